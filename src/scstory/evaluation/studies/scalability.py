"""Scalability: how good and how slow systems are as the window grows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from scstory.config import parse_duration
from scstory.evaluation.harness import FrozenEncoder, Job
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
from scstory.evaluation.systems import LEARNED_SYSTEMS, check_system, make_system

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WINDOWS = ("3d", "7d", "14d", "21d", "28d")


class Compared(NamedTuple):
    """A system, what is set otherwise than by default, and the preset of SCStory."""

    system: str
    parameters: Mapping[str, Any] = {}
    preset: str | None = None
    """That of the study if None."""


COMPARED: Mapping[str, Compared] = {
    "SCStory": Compared("scstory"),
    "SCStory-MR7": Compared("scstory", {"memory": "7d"}),
    "SCStory default": Compared("scstory", preset="default"),
    **{
        named(system): Compared(system)
        for system in ("constream+pse", "newslens+pse", "batclus+pse", "densps+pse")
    },
}


def scalability(
    setting: Setting,
    *,
    windows: Sequence[str] = WINDOWS,
    systems: Mapping[str, Compared] = COMPARED,
) -> Outcome:
    """Run systems with windows of growing size, one after the other so that time is fair."""
    for compared in systems.values():
        check_system(compared.system)
    _warm_up(setting, list(systems.values()))
    keys = [(label, window) for label in systems for window in windows]
    jobs = [_job(setting, systems[label], window) for label, window in keys]
    rows = dict(zip(keys, setting.run(jobs, workers=1), strict=True))
    moves = len(setting.stream.slides(setting.slide))
    deciding = {key: row.decide_seconds / moves for key, row in rows.items()}
    learning = {key: row.learn_seconds / moves for key, row in rows.items()}
    table: list[list[Cell]] = []
    for label in systems:
        scores = [rows[label, window].windowed.b3_f1 for window in windows]
        times = [
            f"{deciding[label, window]:.4f} + {learning[label, window]:.4f}" for window in windows
        ]
        table.append([label, *scores, *times])
    header = ("system", *(f"B³-F1, {w}" for w in windows), *(f"s/window, {w}" for w in windows))
    return Outcome(
        "Scalability with the size of the window",
        Table(header, table),
        lambda figure: _draw(figure, rows, deciding, learning, windows),
        (PAGE, 2.7),
        [
            f"The window is slid by {setting.slide}. SCStory ({setting.one_preset}) replays from "
            "the whole window, SCStory-MR7 always from the last 7 days; SCStory default is that "
            "preset.",
            f"s/window: mean seconds of deciding (with the second look and the cold start) + of "
            f"learning, for each of the {moves:,} times the window moved to new articles; encoding "
            "is not counted. Each run has one thread.",
            "A window longer than the stream is scored once, at the end; the CSV has the number of "
            "windows scored.",
            "The compared systems take the mean sentence vector as feature and are not tuned.",
        ],
        records=Table(
            (
                "system",
                "window",
                "deciding_per_window",
                "learning_per_window",
                "windows",
                *RECORD,
            ),
            [
                [*key, deciding[key], learning[key], row.results[0].windows, *record(row)]
                for key, row in rows.items()
            ],
        ),
    )


def _job(setting: Setting, compared: Compared, window: str) -> Job:
    system, preset = compared.system, compared.preset or setting.one_preset
    (job,) = replace(setting, preset=preset).jobs([system])
    return replace(job, parameters={**job.parameters, **compared.parameters}, window=window)


def _warm_up(setting: Setting, systems: Sequence[Compared]) -> None:
    """Let every system touch an article, so that loading code is on nobody's clock."""
    encoder = FrozenEncoder(setting.encoder.name, setting.encoder.dim)
    for name, preset in dict.fromkeys((one.system, one.preset) for one in systems):
        system = make_system(
            name,
            encoder,
            preset=preset or setting.one_preset,
            slide=setting.slide,
            device=setting.device,
        )
        system.decide(setting.stream.slides(setting.slide)[0])
        system.finish()


def _draw(
    figure: Figure,
    rows: Mapping[tuple[str, str], Row],
    deciding: Mapping[tuple[str, str], float],
    learning: Mapping[tuple[str, str], float],
    windows: Sequence[str],
) -> None:
    from matplotlib.ticker import LogLocator

    quality, time, learn = figure.subplots(1, 3)
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
        time.plot(days, [deciding[label, window] for window in windows], **look)
        if rows[label, windows[0]].system in LEARNED_SYSTEMS:
            learn.plot(days, [learning[label, window] for window in windows], **look)
    quality.set_ylabel("B³-F1")
    time.set_ylabel("seconds per window")
    for axes in (time, learn):
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:g}")
        low, high = axes.get_ylim()
        if high / low < 200:
            axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axes.minorticks_off()
    panels = ((quality, "a", "quality"), (time, "b", "deciding"), (learn, "c", "learning"))
    for axes, letter, text in panels:
        axes.set_xticks(days, [f"{day:g}" for day in days])
        axes.set_xlabel("window (days)")
        axes.grid(axis="y")
        label_panel(axes, letter, text)
    handles, names = time.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=4, columnspacing=1.4)
