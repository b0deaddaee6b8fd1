"""``scstory study``: makes the tables and figures of the paper on a labelled stream."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scstory.cli.options import Device, EncoderName, Seeds, Slide, Threads, Window, parse_overrides

if TYPE_CHECKING:
    from scstory.evaluation.studies import Outcome, Setting

STUDY_NAMES = (
    "overall, ablation, embedding-quality, scalability, sensitivity, case-study, noise, dates, "
    "corrections, overview, or all of them (all)"
)

Name = Annotated[str, typer.Argument(help=f"Which study: {STUDY_NAMES}.")]
Data = Annotated[
    list[str], typer.Argument(help="A labelled stream, or several; see `scstory data`.")
]
Folder = Annotated[str, typer.Option(metavar="FOLDER", help="The folder for the files.")]
Preset = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="The preset of SCStory [default: paper; overall, noise and dates: each].",
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

Fresh = Annotated[
    bool,
    typer.Option(
        "--fresh", help="Run everything, also what this code has run on this stream before."
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
    fresh: Fresh = False,
) -> None:
    """Make a table or figure of the paper: Markdown, CSV, and a picture as PNG and SVG.

    The result of each run is saved when the run ends. If the command is interrupted, the same
    command goes on from there. With several streams, each has a folder of its own. `all` makes all
    studies, and a page that lists them. The study scalability has its own windows and ignores
    --window.
    """
    from scstory.cli.labelled import encoded
    from scstory.discovery.presets import make_settings
    from scstory.evaluation.datasets import open_dataset
    from scstory.evaluation.finished_runs import FinishedRuns
    from scstory.evaluation.studies import ALL, STUDIES, Setting, find_study
    from scstory.evaluation.studies.collection import Entry, write_index
    from scstory.evaluation.studies.output import make_folder
    from scstory.vectors.disk_cache import cache_folder

    names = list(STUDIES) if name == ALL else [name]
    for one in names:
        find_study(one)
    parameters = _parameters(overrides)
    make_settings(preset or "paper", {**parameters, "window": window, "slide": slide})
    sources = [open_dataset(path) for path in data]
    folder, several = Path(out), name == ALL or len(data) > 1
    make_folder(folder)  # fails before hours of work, not after
    given = (out, preset, encoder, device, seeds, window, slide, bert, longformer, workers)
    entries, machines = list[Entry](), dict[str, None]()
    for path, source in zip(data, sources, strict=True):
        stream, cached = encoded(source, encoder, device)
        setting = Setting(
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
            finished=FinishedRuns(cache_folder() / "runs", reuse=not fresh),
        )
        own = folder / source.name if several else folder
        about = f"{source.name}: {stream.counted()}; encoder {cached.name}."
        for one in names:
            made_by = _command_line([one, path], (str(own), *given[1:]), overrides or [])
            outcome, made_with = _make(one, setting, own, made_by, about, shown=not several)
            machines.update(made_with)
            entries.append(Entry(source.name, about, outcome, own / f"{one}.md"))
    if name == ALL:
        made_by = _command_line([name, *data], given, overrides or [])
        page = write_index(folder, entries, command=made_by, machines=machines)
        sys.stderr.write(f"wrote {page}\n")


def _make(
    name: str, setting: Setting, folder: Path, made_by: str, about: str, *, shown: bool
) -> tuple[Outcome, dict[str, None]]:
    """Make one study of one stream and write its files; return also what it was made with."""
    from scstory.cli.labelled import stoppable
    from scstory.cli.progress import counting_bar
    from scstory.evaluation.finished_runs import machine
    from scstory.evaluation.report import plain
    from scstory.evaluation.studies import find_study, write_outcome
    from scstory.evaluation.studies.collection import made_with
    from scstory.evaluation.studies.output import as_text

    finished = setting.finished
    if finished:
        finished.machines = {}
    with (
        stoppable("the same command goes on from the last finished run"),
        counting_bar(name) as bar,
    ):
        outcome = find_study(name)(replace(setting, on_progress=bar))
    machines = (finished.machines if finished else {}) or {machine(): None}
    files = write_outcome(
        outcome, folder, name, command=made_by, about=about, made_with=made_with(machines)
    )
    if shown:
        typer.echo(plain(as_text(outcome.table)))
    sys.stderr.write(f"wrote {', '.join(map(str, files))}\n")
    return outcome, machines


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
