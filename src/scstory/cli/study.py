"""``scstory study``: makes the tables and figures of the paper on a labelled stream."""

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from scstory.cli.options import Device, EncoderName, Seeds, Slide, Threads, Window, parse_overrides

STUDY_NAMES = "overall, ablation, embedding-quality, scalability, sensitivity or case-study"


Name = Annotated[str, typer.Argument(help=f"Which study: {STUDY_NAMES}.")]
Data = Annotated[str, typer.Argument(help="A labelled stream; see `scstory data`.")]
Folder = Annotated[str, typer.Option(metavar="FOLDER", help="The folder for the files.")]
Preset = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="The preset of SCStory [default: paper; overall: each of them]."
    ),
]
Overrides = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Set a parameter of SCStory and HRSTORY, as in --set seed_size=18.",
    ),
]
Bert = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="embedding-quality: a transformer, by name or folder, for the mean of its tokens.",
    ),
]
Longformer = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="embedding-quality: the same, with a transformer for long documents."
    ),
]


def command(
    name: Name,
    data: Data,
    out: Folder = "studies",
    preset: Preset = None,
    overrides: Overrides = None,
    encoder: EncoderName = None,
    device: Device = None,
    seeds: Seeds = 1,
    window: Window = "7d",
    slide: Slide = "1d",
    bert: Bert = None,
    longformer: Longformer = None,
    workers: Threads = None,
) -> None:
    """Make a table or figure of the paper: Markdown, CSV, and a picture as PNG and SVG.

    The study scalability has its own windows and ignores --window.
    """
    from scstory.cli.labelled import encoded, stoppable
    from scstory.cli.progress import counting_bar
    from scstory.discovery.presets import make_settings
    from scstory.evaluation.datasets import open_dataset
    from scstory.evaluation.report import plain
    from scstory.evaluation.studies import Setting, find_study, write_outcome
    from scstory.evaluation.studies.output import as_text, make_folder

    study = find_study(name)
    parameters = _parameters(overrides)
    make_settings(preset or "paper", {**parameters, "window": window, "slide": slide})
    source = open_dataset(data)
    folder = Path(out)
    make_folder(folder)  # fails before hours of work, not after
    stream, cached = encoded(source, encoder, device)
    with stoppable(), counting_bar(name) as show:
        outcome = study(
            Setting(
                stream,
                cached,
                preset=preset,
                parameters=parameters,
                seeds=seeds,
                window=window,
                slide=slide,
                device=device,
                workers=workers,
                bert=bert,
                longformer=longformer,
                on_progress=show,
            )
        )
    given = (out, preset, encoder, device, seeds, window, slide, bert, longformer, workers)
    made_by = _command_line([name, data], given, overrides or [])
    about = f"{source.name}: {stream.counted()}; encoder {cached.name}."
    files = write_outcome(outcome, folder, name, command=made_by, about=about)
    typer.echo(plain(as_text(outcome.table)))
    sys.stderr.write(f"wrote {', '.join(map(str, files))}\n")


def _parameters(overrides: list[str] | None) -> dict[str, str]:
    """Return what `--set` changes; refuse what has an option of its own."""
    from scstory.errors import ConfigError

    parameters = parse_overrides(overrides)
    if clash := parameters.keys() & {"window", "slide", "seed"}:
        flag = sorted(clash)[0]
        raise ConfigError(f"--set {flag}: use the option --{flag if flag != 'seed' else 'seeds'}")
    return parameters


DEFAULTS: dict[str, object] = {
    "--out": "studies",
    "--preset": None,
    "--encoder": None,
    "--device": None,
    "--seeds": 1,
    "--window": "7d",
    "--slide": "1d",
    "--bert": None,
    "--longformer": None,
    "--threads": None,
}


def _command_line(arguments: list[str], given: tuple[object, ...], overrides: list[str]) -> str:
    """Return the command that makes the same files; `given` has the options of `DEFAULTS`."""
    options = zip(DEFAULTS.items(), given, strict=True)
    changed = [(flag, value) for (flag, usual), value in options if value != usual]
    changed += [("--set", pair) for pair in overrides]
    return shlex.join(["scstory", "study", *arguments, *(str(p) for pair in changed for p in pair)])
