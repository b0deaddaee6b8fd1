"""The overall comparison: every system, as it comes and with its thresholds tuned on labels."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scstory.baselines import ranges_of
from scstory.discovery.calibrated.settings import CalibratedSettings
from scstory.evaluation.comparison import compare_systems
from scstory.evaluation.report import Row, table
from scstory.evaluation.report import notes as notes_of
from scstory.evaluation.studies.output import (
    BLUE,
    ORANGE,
    PAGE,
    SKY,
    Outcome,
    Table,
    label_panel,
)
from scstory.evaluation.studies.setting import RECORD, Setting, as_flags, label, record
from scstory.evaluation.systems import LEARNED_SYSTEMS, system_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FLOORS = ("singletons", "one")
OWN: dict[str, Any] = {"marker": "D", "color": BLUE, "capsize": 1.5, "elinewidth": 0.8}
COMPARED: dict[str, Any] = {**OWN, "marker": "o", "color": SKY}
TUNED: dict[str, Any] = {**COMPARED, "color": ORANGE, "markerfacecolor": "none"}
LINE = ("marker", "color", "markerfacecolor")
"""What of a style also describes its line in the legend."""
SHOWN = 0.2
"""How far below the best score the axis of a panel reaches: differences of .01 must be seen."""
PANELS = (("b3_f1", "B³-F1"), ("ami", "AMI"), ("ari", "ARI"))
LONG_MEMORY = CalibratedSettings().resume
"""How long the default of SCStory remembers a story."""


def overall(setting: Setting, *, systems: list[str] | None = None) -> Outcome:
    """Run all systems; those with thresholds once as they come and once tuned on labels."""
    names = [*dict.fromkeys([*(systems or system_names()), *FLOORS])]
    learned = setting.jobs([name for name in LEARNED_SYSTEMS if name in names])
    others = [name for name in names if name not in (*LEARNED_SYSTEMS, *FLOORS)]
    remembering = [
        replace(setting.job(name, memory=LONG_MEMORY), preset="default")
        for name in others
        if "memory" in ranges_of(name)
    ]
    rows = setting.run(learned) if learned else []
    rows += compare_systems(
        [(name, None) for name in (*others, *FLOORS)],
        setting.stream,
        setting.encoder,
        tune=True,
        window=setting.window,
        slide=setting.slide,
        device=setting.device,
        workers=setting.workers,
        finished=setting.finished,
        on_slide=setting.on_progress,
    )
    compared = {(row.system, row.preset) for row in rows}
    rows += setting.run(remembering) if remembering else []
    header, *lines = table(rows)
    notes = [
        f"{setting.scope} Scores are the mean over windows; “stream” is the score of the final "
        "stories of the whole stream.",
        "“Tuned on labels” takes, of the settings in the system's grid, the one with the best "
        "B³-F1 on this very stream, over windows (“windowed”) or over the whole stream (“stream”): "
        "an upper bound that needs the truth. All other rows never see a label.",
        "“all singletons” and “all in one” are floors: what no system should fall below. The "
        "picture leaves them out, and its axes end .2 below the best score.",
    ]
    if remembering:
        notes.append(
            "“Memory” lets a system join clusters that left the window, for as long as SCStory's "
            "default can resume a story; its authors do not have that. The picture leaves these "
            "rows out."
        )
    notes += notes_of(rows)
    if setting.seeds > 1:
        notes.append(f"Learned systems: mean of {setting.seeds} seeds, ± standard deviation.")
    return Outcome(
        "Overall story discovery performance",
        Table(header, lines),
        lambda figure: _draw(figure, rows),
        (PAGE, 0.75 + 0.19 * (len(compared) - len(FLOORS))),
        notes,
        records=Table(
            (
                "system",
                "preset",
                "tuned",
                "grid_edges",
                "parameters",
                *RECORD,
                "seconds",
                "windows",
            ),
            [
                [
                    row.system,
                    row.preset,
                    " ".join(row.tuned_by) or "no",
                    " ".join(row.edges),
                    as_flags(row.parameters),
                    *record(row),
                    row.seconds,
                    row.results[0].windows,
                ]
                for row in rows
            ],
        ),
    )


def _draw(figure: Figure, rows: list[Row]) -> None:
    labels = {(row.system, row.preset): label(row) for row in rows if row.system not in FLOORS}
    places = {key: place for place, key in enumerate(labels)}
    # The panels compare systems as published, by windowed scores.
    shown = [
        row
        for row in rows
        if row.system not in FLOORS
        and not row.parameters.get("memory")
        and (not row.tuned or "windowed" in row.tuned_by)
    ]
    panels = figure.subplots(1, len(PANELS), sharey=True)
    for axes, letter, (score, text) in zip(panels, "abc", PANELS, strict=True):
        values = [getattr(row.windowed, score) for row in shown]
        least = max(max(values) - SHOWN, 0)
        for row, value in zip(shown, values, strict=True):
            _dot(axes, places[row.system, row.preset], value, row, score, least)
        label_panel(axes, letter, text)
        axes.set_xlim(least - 0.2 * SHOWN, max(values) + 0.08 * SHOWN)
        axes.locator_params(axis="x", nbins=5)
        axes.grid(axis="both")
        axes.tick_params(axis="y", length=0)
    panels[0].set_yticks(range(len(labels)), list(labels.values()))
    panels[0].set_ylim(len(labels) - 0.4, -0.6)
    for tick, (name, _) in zip(panels[0].get_yticklabels(), labels, strict=True):
        tick.set_fontweight("bold" if name == "scstory" else "normal")
    _legend(figure)


def _dot(axes: Axes, place: int, value: float, row: Row, score: str, least: float) -> None:
    """Draw a score as a dot; one below the axis as an arrow at its end, with the number."""
    style = TUNED if row.tuned else (OWN if row.system == "scstory" else COMPARED)
    if value < least:
        if not row.tuned:
            end = least - 0.17 * SHOWN
            axes.plot(end, place, marker="<", color=SKY, linestyle="")
            axes.annotate(
                f"{value:.2f}",
                (end, place),
                xytext=(5, 0),
                textcoords="offset points",
                va="center_baseline",
                fontsize=6,
                color="#5A5A5A",
            )
        return
    spread = getattr(row.spread, score) if len(row.results) > 1 else None
    axes.errorbar(value, place, xerr=spread, **style)


def _legend(figure: Figure) -> None:
    from matplotlib.lines import Line2D

    handles: list[Any] = [
        Line2D([], [], linestyle="", **{k: v for k, v in style.items() if k in LINE}, label=text)
        for style, text in (
            (OWN, "SCStory"),
            (COMPARED, "compared system, as it comes"),
            (TUNED, "tuned on labels (windowed)"),
        )
    ]
    handles.append(
        Line2D([], [], linestyle="", marker="<", color=SKY, label="below the axis, with its score")
    )
    figure.legend(handles=handles, loc="outside lower center", ncols=4, columnspacing=1.2)
