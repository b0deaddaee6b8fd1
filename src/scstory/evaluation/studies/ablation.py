"""The ablation: SCStory, and SCStory with one of its parts taken out or replaced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from scstory.evaluation.report import SCORE_COLUMNS, Row, table
from scstory.evaluation.studies.output import BLUE, COLUMN, ORANGE, Outcome, Table
from scstory.evaluation.studies.setting import RECORD, Setting, as_flags, record
from scstory.evaluation.systems import ablations

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WHOLE = "SCStory"
CHANGE = "Δ B³-F1"


def ablation(
    setting: Setting, *, variants: Mapping[str, Mapping[str, Any]] | None = None
) -> Outcome:
    """Run SCStory and each of its variants."""
    variants = variants or ablations(setting.one_preset, setting.window)
    jobs = [setting.job(), *(setting.job(**parameters) for parameters in variants.values())]
    rows = setting.run(jobs)
    names = [f"{WHOLE} ({setting.one_preset})", *variants]
    whole = rows[0].windowed.b3_f1
    changes = ["", *(f"{row.windowed.b3_f1 - whole:+.3f}" for row in rows[1:])]
    _, *lines = table(rows)
    shown = [
        (name, *line[1:5], change, *line[5:])
        for name, line, change in zip(names, lines, changes, strict=True)
    ]
    notes = [f"{setting.scope} Scores are the mean over windows. No variant sees a label."]
    if setting.seeds > 1:
        notes.append(f"Mean of {setting.seeds} seeds, ± standard deviation.")
    return Outcome(
        f"Ablation of SCStory ({setting.one_preset})",
        Table(("variant", *SCORE_COLUMNS[1:5], CHANGE, *SCORE_COLUMNS[5:]), shown),
        lambda figure: _draw(figure, names, rows),
        (COLUMN, 0.65 + 0.17 * len(rows)),
        notes,
        records=Table(
            ("variant", "parameters", *RECORD),
            [
                [name, as_flags(row.parameters), *record(row)]
                for name, row in zip(names, rows, strict=True)
            ],
        ),
    )


def _draw(figure: Figure, names: Sequence[str], rows: Sequence[Row]) -> None:
    axes = figure.subplots()
    whole = rows[0].windowed.b3_f1
    axes.axvline(whole, color=BLUE, linewidth=0.8, linestyle=(0, (3, 2)), zorder=1)
    for place, row in enumerate(rows):
        value = row.windowed.b3_f1
        axes.plot([whole, value], [place, place], color="#9E9E9E", linewidth=1, zorder=1)
        axes.errorbar(
            value,
            place,
            xerr=row.spread.b3_f1 if len(row.results) > 1 else None,
            fmt="D" if place == 0 else "o",
            color=BLUE if place == 0 else ORANGE,
            elinewidth=0.8,
            capsize=1.5,
            zorder=2,
        )
    axes.set_yticks(range(len(rows)), names)
    axes.get_yticklabels()[0].set_fontweight("bold")
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.margins(x=0.08)
    low, high = axes.get_xlim()
    spare = max(0.02 - (high - low), 0) / 2  # differences of nothing must not look like something
    axes.set_xlim(low - spare, high + spare)
    axes.locator_params(axis="x", nbins=4)
    axes.grid(axis="x")
    axes.set_xlabel("B³-F1")
