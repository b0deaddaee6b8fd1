"""``scstory evaluate``: scores the stories that systems find in a labelled stream."""

import sys
from typing import Annotated

import typer

from scstory.cli.options import AsJson, Device, EncoderName, Seeds, Slide, Threads, Window

Systems = Annotated[
    list[str] | None, typer.Option(metavar="NAME", help="A system to run, or `all`.")
]
Presets = Annotated[
    list[str] | None, typer.Option(metavar="NAME", help="A preset of SCStory [default: default].")
]
Tune = Annotated[bool, typer.Option("--tune", help="Also tune the compared systems on the labels.")]


def command(
    data: Annotated[str, typer.Argument(help="A labelled stream; see `scstory data`.")],
    system: Systems = None,
    preset: Presets = None,
    encoder: EncoderName = None,
    device: Device = None,
    seeds: Seeds = 1,
    tune: Tune = False,
    window: Window = "7d",
    slide: Slide = "1d",
    workers: Threads = None,
    as_json: AsJson = False,
) -> None:
    """Run systems over a labelled stream and score the stories they find.

    Scores are the mean over windows, and those of the final stories of the whole stream. All
    systems share one encoding pass, whose vectors are cached on disk.
    """
    from scstory.cli.labelled import encoded, stoppable
    from scstory.cli.progress import counting_bar
    from scstory.cli.show import counted, echo_json
    from scstory.discovery.presets import make_settings
    from scstory.evaluation.comparison import compare_systems
    from scstory.evaluation.datasets import open_dataset
    from scstory.evaluation.report import plain, table

    presets = preset or ["default"]
    for name in presets:
        make_settings(name, {"window": window, "slide": slide})
    plan = _plan(system or ["scstory"], presets, floors=not as_json)
    source = open_dataset(data)
    stream, cached = encoded(source, encoder, device)
    if unlabelled := len(stream.articles) - len(stream.truth):
        sys.stderr.write(f"not scored: {counted(unlabelled, 'article')} without a label\n")
    with stoppable(), counting_bar("discovering") as show:
        rows = compare_systems(
            plan,
            stream,
            cached,
            seeds=seeds,
            tune=tune,
            window=window,
            slide=slide,
            workers=workers,
            on_slide=show,
        )
    if as_json:
        for row in rows:
            seconds = stream.encode_seconds
            echo_json(row.as_json(data=source.name, encoder=cached.name, encode_seconds=seconds))
        return
    typer.echo(
        f"{source.name}: {counted(len(stream.truth), 'article')} of "
        f"{counted(len(set(stream.truth.values())), 'story')}, "
        f"{counted(rows[0].results[0].windows, 'window')} of {window} slid by {slide}, "
        f"{cached.name}\n"
    )
    typer.echo(plain(table(rows)))


def _plan(names: list[str], presets: list[str], *, floors: bool) -> list[tuple[str, str | None]]:
    """Return the systems to run, SCStory once for each preset, and the floors if asked for."""
    from scstory.evaluation.systems import check_system, system_names

    names = system_names() if "all" in names else names
    for name in names:
        check_system(name)
    plan: list[tuple[str, str | None]] = []
    for name in dict.fromkeys(names):
        plan += [(name, p) for p in presets] if name == "scstory" else [(name, None)]
    if floors:  # the trivial systems show what a score is worth
        plan += [(floor, None) for floor in ("singletons", "one") if (floor, None) not in plan]
    return plan
