"""The overall comparison: every system, as it comes and with its thresholds tuned on labels."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from scstory.baselines import ranges_of
from scstory.discovery.calibrated.settings import CalibratedSettings
from scstory.evaluation.comparison import compare_systems
from scstory.evaluation.report import Row, table
from scstory.evaluation.report import notes as notes_of
from scstory.evaluation.studies.output import (
    BLUE,
    GREY,
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
    from matplotlib.figure import Figure

FLOORS = ("singletons", "one")
COLOURS = {"scstory": BLUE, "singletons": GREY, "one": GREY}
PANELS = (("b3_f1", "B³-F1"), ("ami", "AMI"), ("ari", "ARI"))
LONG_MEMORY = CalibratedSettings().resume
"""How long the default of SCStory remembers a story."""
THICK = 0.38
"""Of a bar, where the space for a system is 1."""


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
        "“all singletons” and “all in one” are floors: what no system should fall below.",
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
        (PAGE, 0.75 + 0.21 * len(compared)),
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
    labels = {(row.system, row.preset): label(row) for row in rows}
    keys = list(labels)
    panels = figure.subplots(1, len(PANELS), sharey=True)
    tuned = {(row.system, row.preset) for row in rows if row.tuned}
    for axes, letter, (score, text) in zip(panels, "abc", PANELS, strict=True):
        for row in rows:
            if row.parameters.get("memory") or (row.tuned and "windowed" not in row.tuned_by):
                continue  # the panels compare systems as published, by windowed scores
            key = row.system, row.preset
            place: float = keys.index(key)
            if key in tuned:  # two bars share the place
                place += THICK / 2 if row.tuned else -THICK / 2
            colour = COLOURS.get(row.system, SKY)
            value, spread = getattr(row.windowed, score), getattr(row.spread, score)
            axes.barh(
                place,
                max(value, 0),
                THICK if key in tuned else 2 * THICK,
                color="white" if row.tuned else colour,
                edgecolor=ORANGE if row.tuned else colour,
                hatch="/////" if row.tuned else None,
                linewidth=0.6,
                xerr=spread if len(row.results) > 1 else None,
                error_kw={"elinewidth": 0.8, "capsize": 1.5},
            )
        label_panel(axes, letter, text)
        axes.set_xlim(0, 1)
        axes.set_xticks(np.linspace(0, 1, 6))
        axes.grid(axis="x")
        axes.tick_params(axis="y", length=0)
    panels[0].set_yticks(range(len(keys)), list(labels.values()))
    panels[0].set_ylim(len(keys) - 0.4, -0.6)
    for tick, (name, _) in zip(panels[0].get_yticklabels(), keys, strict=True):
        tick.set_fontweight("bold" if name == "scstory" else "normal")
    _legend(figure)


def _legend(figure: Figure) -> None:
    from matplotlib.patches import Patch

    handles = [
        Patch(facecolor=BLUE, label="SCStory"),
        Patch(facecolor=SKY, label="compared system, as it comes"),
        Patch(
            facecolor="white", edgecolor=ORANGE, hatch="/////", label="tuned on labels (windowed)"
        ),
        Patch(facecolor=GREY, label="floor"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=4)
