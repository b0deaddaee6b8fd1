"""Scalability: how good and how slow systems are as the window grows."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scstory.config import parse_duration
from scstory.evaluation.harness import FrozenEncoder
from scstory.evaluation.report import Row
from scstory.evaluation.studies.output import (
    MARKERS,
    PAGE,
    PALETTE,
    Cell,
    Outcome,
    Table,
    label_panel,
)
from scstory.evaluation.studies.setting import RECORD, Setting, named, record
from scstory.evaluation.systems import check_system, make_system

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WINDOWS = ("3d", "7d", "14d", "21d", "28d")
COMPARED: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "SCStory": ("scstory", {}),
    "SCStory-MR7": ("scstory", {"memory": "7d"}),
    **{
        named(system): (system, {})
        for system in ("constream+pse", "newslens+pse", "batclus+pse", "densps+pse")
    },
}


def scalability(
    setting: Setting,
    *,
    windows: Sequence[str] = WINDOWS,
    systems: Mapping[str, tuple[str, Mapping[str, Any]]] = COMPARED,
) -> Outcome:
    """Run systems with windows of growing size, one after the other so that time is fair."""
    for name, _ in systems.values():
        check_system(name)
    _warm_up(setting, [name for name, _ in systems.values()])
    keys = [(label, window) for label in systems for window in windows]
    jobs = [
        replace(setting.job(systems[label][0], **systems[label][1]), window=window)
        for label, window in keys
    ]
    rows = dict(zip(keys, setting.run(jobs, workers=1), strict=True))
    moves = len(setting.stream.slides(setting.slide))
    seconds = {key: row.seconds / moves for key, row in rows.items()}
    table: list[list[Cell]] = []
    for label in systems:
        scores = [rows[label, window].windowed.b3_f1 for window in windows]
        times = [f"{seconds[label, window]:.4f}" for window in windows]
        table.append([label, *scores, *times])
    header = ("system", *(f"B³-F1, {w}" for w in windows), *(f"s/window, {w}" for w in windows))
    return Outcome(
        "Scalability with the size of the window",
        Table(header, table),
        lambda figure: _draw(figure, rows, seconds, windows),
        (PAGE, 2.5),
        [
            f"The window is slid by {setting.slide}. SCStory ({setting.one_preset}) replays from "
            "the whole window, SCStory-MR7 always from the last 7 days.",
            f"s/window: mean seconds of discovery for each of the {moves:,} times the window "
            "moved to new articles; encoding is not counted. One process on a machine with "
            f"{os.cpu_count()} cores.",
            "A window longer than the stream is scored once, at the end; the CSV has the number of "
            "windows scored.",
            "The compared systems take the mean sentence vector as feature and are not tuned.",
        ],
        records=Table(
            ("system", "window", "seconds_per_window", "windows", *RECORD),
            [
                [label, window, seconds[label, window], row.results[0].windows, *record(row)]
                for (label, window), row in rows.items()
            ],
        ),
    )


def _warm_up(setting: Setting, systems: Sequence[str]) -> None:
    """Let every system touch an article, so that loading code is on nobody's clock."""
    encoder = FrozenEncoder(setting.encoder.name, setting.encoder.dim)
    for name in dict.fromkeys(systems):
        system = make_system(
            name,
            encoder,
            preset=setting.one_preset,
            slide=setting.slide,
            device=setting.device,
        )
        system.decide(setting.stream.slides(setting.slide)[0])
        system.finish()


def _draw(
    figure: Figure,
    rows: Mapping[tuple[str, str], Row],
    seconds: Mapping[tuple[str, str], float],
    windows: Sequence[str],
) -> None:
    from matplotlib.ticker import LogLocator

    quality, time = figure.subplots(1, 2)
    days = [parse_duration(window, what="window").total_seconds() / 86400 for window in windows]
    labels = list(dict.fromkeys(label for label, _ in rows))
    for number, label in enumerate(labels):
        look: dict[str, Any] = {
            "color": PALETTE[number % len(PALETTE)],
            "marker": MARKERS[number % len(MARKERS)],
            "linestyle": "-" if label.startswith("SCStory") else (0, (4, 1.5)),
            "label": label,
        }
        some = [rows[label, window] for window in windows]
        spread = [row.spread.b3_f1 for row in some]
        quality.errorbar(days, [row.windowed.b3_f1 for row in some], spread, elinewidth=0.8, **look)
        time.plot(days, [seconds[label, window] for window in windows], **look)
    quality.set_ylabel("B³-F1")
    time.set_ylabel("seconds per window")
    time.set_yscale("log")
    time.yaxis.set_major_formatter("{x:g}")
    low, high = time.get_ylim()
    if high / low < 200:
        time.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        time.minorticks_off()
    for axes, letter, text in ((quality, "a", "quality"), (time, "b", "running time")):
        axes.set_xticks(days, [f"{day:g}" for day in days])
        axes.set_xlabel("window (days)")
        axes.grid(axis="y")
        label_panel(axes, letter, text)
    handles, names = time.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=6, columnspacing=1.4)
