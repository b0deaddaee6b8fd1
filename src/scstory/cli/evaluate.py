"""``scstory evaluate``: scores the stories that systems find in a labelled stream."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from scstory.cli.options import (
    AsJson,
    Columns,
    Config,
    Device,
    EncoderName,
    Seeds,
    Threads,
    parse_overrides,
)

if TYPE_CHECKING:
    from scstory.config import Settings
    from scstory.evaluation.datasets import Dataset
    from scstory.evaluation.plan import Plan
    from scstory.evaluation.report import Row
    from scstory.evaluation.variants import Transformation

Data = Annotated[str, typer.Argument(help="A labelled stream; see `scstory data`.")]
Systems = Annotated[
    list[str] | None, typer.Option(metavar="NAME", help="A system to run, or `all`.")
]
Presets = Annotated[
    list[str] | None, typer.Option(metavar="NAME", help="A preset of SCStory [default: default].")
]
Tune = Annotated[bool, typer.Option("--tune", help="Also tune the compared systems on the labels.")]
Window = Annotated[str | None, typer.Option(help="The length of the window [default: 7d].")]
Slide = Annotated[str | None, typer.Option(help="The length of a slide [default: 1d].")]
Jitter = Annotated[
    float,
    typer.Option(
        metavar="DAYS",
        help="Move the date of every article by random noise with a mean of so many days.",
    ),
]
Variants = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="Change the stream first; may be repeated: noisy (or noisy=SHARE), headlines, "
        "singles, one-affair, small.",
    ),
]
Overrides = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Set a parameter of SCStory, or of the only system named, as in --set delta=0.7.",
    ),
]


def command(
    data: Data,
    system: Systems = None,
    preset: Presets = None,
    encoder: EncoderName = None,
    device: Device = None,
    seeds: Seeds = 1,
    tune: Tune = False,
    window: Window = None,
    slide: Slide = None,
    jitter: Jitter = 0.0,
    variant: Variants = None,
    overrides: Overrides = None,
    columns: Columns = None,
    config: Config = None,
    workers: Threads = None,
    as_json: AsJson = False,
) -> None:
    """Run systems over a labelled stream and score the stories they find.

    Scores are the mean over windows, those of the final stories of the whole stream, and those of
    first decisions. All systems share one encoding pass, whose vectors are cached on disk. Each is
    compared with the first one by a paired bootstrap over windows.
    """
    from scstory.config import load_settings
    from scstory.evaluation.datasets import open_dataset
    from scstory.evaluation.plan import make_plan
    from scstory.evaluation.variants import Transformation
    from scstory.feeds import SourceOptions
    from scstory.feeds.columns import parse_map

    settings = load_settings(config=config, encoder=encoder, device=device, threads=workers)
    lengths = {"window": window, "slide": slide}
    plan = make_plan(
        system or ["scstory"],
        preset or [settings.preset or "default"],
        settings=settings.discovery,
        overrides=parse_overrides(overrides) | {k: v for k, v in lengths.items() if v is not None},
        floors=not as_json,
    )
    transformation = Transformation.parse(jitter, variant or [])
    options = SourceOptions(columns=parse_map(columns or []), on_notice=_say)
    _evaluate(
        open_dataset(data, options),
        plan,
        transformation,
        settings,
        seeds=seeds,
        tune=tune,
        as_json=as_json,
    )


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


def _evaluate(
    source: Dataset,
    plan: Plan,
    transformation: Transformation,
    settings: Settings,
    *,
    seeds: int,
    tune: bool,
    as_json: bool,
) -> None:
    from scstory.cli.labelled import encoded, stoppable
    from scstory.cli.progress import counting_bar
    from scstory.cli.show import counted, echo_json
    from scstory.config import parse_duration
    from scstory.evaluation.comparison import compare_systems
    from scstory.evaluation.report import against_first
    from scstory.evaluation.significance import block_length

    stream, cached = encoded(
        source,
        settings.encoder,
        settings.device,
        transformation=transformation,
        max_sentences=plan.max_sentences,
    )
    if unlabelled := len(stream.articles) - len(stream.truth):
        sys.stderr.write(f"not scored: {counted(unlabelled, 'article')} without a label\n")
    with stoppable(), counting_bar("discovering") as show:
        rows = compare_systems(
            plan.systems,
            stream,
            cached,
            seeds=seeds,
            tune=tune,
            window=plan.window,
            slide=plan.slide,
            seed=plan.seed,
            parameters=plan.parameters,
            device=settings.device,
            workers=settings.threads,
            on_slide=show,
        )
    lengths = (parse_duration(length, what="window") for length in (plan.window, plan.slide))
    rows = against_first(rows, block=block_length(*lengths))
    if as_json:
        changes = {"jitter": transformation.jitter, "variants": transformation.names}
        seconds = stream.encode_seconds
        for row in rows:
            found = row.as_json(data=source.name, encoder=cached.name, encode_seconds=seconds)
            echo_json(found | changes)
        return
    typer.echo(
        f"{source.name}: {counted(len(stream.truth), 'article')} of "
        f"{counted(len(set(stream.truth.values())), 'story')}, "
        f"{counted(rows[0].results[0].windows, 'window')} of {plan.window} slid by {plan.slide}, "
        f"{cached.name}, encoded in {stream.encode_seconds:.1f} s"
    )
    _print_table(rows, transformation)


def _print_table(rows: Sequence[Row], transformation: Transformation) -> None:
    from scstory.evaluation.report import differences, differences_note, notes, plain, table

    if changes := transformation.summary():
        typer.echo(changes)
    typer.echo(f"\n{plain(table(rows, detailed=True))}")
    if compared := differences(rows):
        typer.echo(f"\n{plain(compared)}\n{differences_note(rows)}")
    for line in notes(rows):
        typer.echo(f"\n{line}")
