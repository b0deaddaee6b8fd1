"""``scstory evaluate``: how well systems find the true stories of a labelled stream."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from scstory.cli.options import AsJson, Device, EncoderName, Threads


def command(
    data: Annotated[str, typer.Argument(help="A labelled stream; see `scstory data`.")],
    system: Annotated[
        list[str] | None,
        typer.Option("--system", metavar="NAME", help="Systems to run; `all` for every one."),
    ] = None,
    preset: Annotated[
        list[str] | None,
        typer.Option("--preset", metavar="NAME", help="Presets of SCStory [default: default]."),
    ] = None,
    encoder: EncoderName = None,
    device: Device = None,
    seeds: Annotated[int, typer.Option("--seeds", min=1, help="Runs of learned systems.")] = 1,
    tune: Annotated[
        bool, typer.Option("--tune", help="Also tune the compared systems on the labels.")
    ] = False,
    window: Annotated[str, typer.Option("--window", help="The window.")] = "7d",
    slide: Annotated[str, typer.Option("--slide", help="The slide.")] = "1d",
    workers: Threads = None,
    as_json: AsJson = False,
) -> None:
    """Run systems over a labelled stream and score the stories they find.

    Articles are decided before anything learns from them. Scores are the mean over windows, and of
    the whole stream's final stories. All systems share one encoding pass, kept on disk.
    """
    from scstory.cli.labelled import encoded, stoppable
    from scstory.cli.progress import Bar
    from scstory.cli.show import counted
    from scstory.config import parse_duration
    from scstory.discovery.presets import make_parameters
    from scstory.evaluation.datasets import open_dataset
    from scstory.evaluation.report import plain, table
    from scstory.evaluation.systems import check_system, system_names
    from scstory.evaluation.table import rows_for

    names = system or ["scstory"]
    names = system_names() if "all" in names else names
    for name in names:
        check_system(name)
    presets = preset or ["default"]
    for name in presets:
        make_parameters(name, {"window": window, "slide": slide})
    parse_duration(window, what="window")
    plan: list[tuple[str, str | None]] = []
    for name in dict.fromkeys(names):
        plan += [(name, p) for p in presets] if name == "scstory" else [(name, None)]
    if not as_json:  # the floors tell whether a number says anything
        plan += [(floor, None) for floor in ("singletons", "one") if (floor, None) not in plan]

    source = open_dataset(data)
    with stoppable():
        stream, cached = encoded(source, encoder, device)
    unlabelled = len(stream.articles) - len(stream.truth)
    if unlabelled:
        verb = "is" if unlabelled == 1 else "are"
        told = f"{counted(unlabelled, 'article')} without a label {verb} not scored\n"
        sys.stderr.write(told)
    with stoppable(), Bar("discovering") as bar:
        rows = rows_for(
            plan,
            stream,
            cached,
            seeds=seeds,
            tune=tune,
            window=window,
            slide=slide,
            workers=workers,
            on_slide=bar.show,
        )
    if as_json:
        for row in rows:
            value = row.as_json(
                data=source.name, encoder=cached.name, encode_seconds=stream.encode_seconds
            )
            typer.echo(json.dumps(value, ensure_ascii=False))
        return
    typer.echo(
        f"{source.name}: {counted(len(stream.truth), 'article')} of "
        f"{counted(len(set(stream.truth.values())), 'story')}, "
        f"{counted(rows[0].results[0].windows, 'window')} of {window} slid by {slide}, "
        f"{cached.name}\n"
    )
    typer.echo(plain(table(rows)))
