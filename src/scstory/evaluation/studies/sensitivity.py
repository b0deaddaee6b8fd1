"""Sensitivity: δ, epochs, τ and the learning rate, one at a time around the preset's values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from scstory.discovery.presets import make_settings
from scstory.discovery.settings import MethodSettings
from scstory.evaluation.report import Row
from scstory.evaluation.studies.output import (
    COLUMN,
    MARKERS,
    PALETTE,
    Cell,
    Outcome,
    Table,
    label_panel,
)
from scstory.evaluation.studies.setting import RECORD, Setting, record

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Axis(NamedTuple):
    """A parameter that is varied: what it is called, and the values around that of a preset."""

    text: str
    values: Callable[[Any], Sequence[float]]
    logarithmic: bool = False


def _times(value: float, factors: Sequence[float]) -> list[float]:
    return [float(f"{value * factor:.3g}") for factor in factors]


AXES: Mapping[str, Axis] = {
    "delta": Axis(
        "threshold δ",
        lambda p: [round(max(-1, min(1, p.delta + d)), 6) for d in (-0.2, -0.1, 0, 0.1, 0.2)],
    ),
    "epochs": Axis("epochs", lambda p: [max(p.epochs, 1) * n for n in (1, 2, 3, 4, 5)]),
    "temperature": Axis(
        "temperature τ", lambda p: _times(p.temperature, (0.25, 0.5, 1, 2, 4)), logarithmic=True
    ),
    "learning_rate": Axis(
        "learning rate", lambda p: _times(p.learning_rate, (0.1, 0.3, 1, 3, 10)), logarithmic=True
    ),
}
LINES = (("b3_f1", "B³-F1"), ("ami", "AMI"), ("ari", "ARI"))


def sensitivity(setting: Setting, *, axes: Mapping[str, Axis] = AXES) -> Outcome:
    """Run SCStory with one parameter changed at a time."""
    preset = make_settings(setting.one_preset, setting.parameters)
    points = [(name, value) for name, axis in axes.items() for value in axis.values(preset)]
    # The preset's own value is on every axis: it runs once.
    changed = [(name, value) for name, value in points if value != getattr(preset, name)]
    job = setting.job()
    variants = [replace(job, parameters={**job.parameters, name: value}) for name, value in changed]
    own, *rest = setting.run([job, *variants])
    found = dict(zip(changed, rest, strict=True))
    rows = {point: found.get(point, own) for point in points}
    table: list[list[Cell]] = [
        [
            name,
            f"{value:g}" + (" (preset)" if value == getattr(preset, name) else ""),
            row.windowed.b3_f1,
            row.spread.b3_f1 if setting.seeds > 1 else None,
            row.windowed.ami,
            row.windowed.ari,
            row.stream.b3_f1,
        ]
        for (name, value), row in rows.items()
    ]
    notes = [f"{setting.scope} One parameter at a time is changed; all others are the preset's."]
    if setting.seeds > 1:
        notes.append(f"Mean of {setting.seeds} seeds, ± standard deviation.")
    return Outcome(
        f"Sensitivity of SCStory ({setting.one_preset}) to its parameters",
        Table(("parameter", "value", "B³-F1", "±", "AMI", "ARI", "stream B³-F1"), table),
        lambda figure: _draw(figure, axes, rows, preset),
        (COLUMN, 3.1),
        notes,
        records=Table(
            ("parameter", "value", *RECORD),
            [[name, value, *record(row)] for (name, value), row in rows.items()],
        ),
    )


def _draw(
    figure: Figure,
    axes: Mapping[str, Axis],
    rows: Mapping[tuple[str, float], Row],
    preset: MethodSettings,
) -> None:
    panels = figure.subplots(2, 2, sharey=True).flat
    for panel, letter, (name, axis) in zip(panels, "abcd", axes.items(), strict=False):
        own = {value: row for (parameter, value), row in rows.items() if parameter == name}
        _panel(panel, own, getattr(preset, name))
        if axis.logarithmic:
            panel.set_xscale("log")
            panel.minorticks_off()
        tiny = max(own) < 0.01
        ticks = list(own)[::2] if tiny else list(own)
        panel.set_xticks(
            ticks, [f"{v:.0e}".replace("e-0", "e-") if tiny else f"{v:g}" for v in ticks]
        )
        label_panel(panel, letter, axis.text)
    figure.supylabel("mean over windows", fontsize=8)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, columnspacing=1.2)


def _panel(panel: Axes, rows: Mapping[float, Row], own: float) -> None:
    panel.axvline(own, color="#8C8C8C", linewidth=0.8, linestyle=(0, (3, 2)), label="preset")
    for number, (score, text) in enumerate(LINES):
        values = [getattr(row.windowed, score) for row in rows.values()]
        spread = [getattr(row.spread, score) for row in rows.values()]
        colour = PALETTE[number]
        panel.errorbar(list(rows), values, spread, color=colour, fmt="none", elinewidth=0.8)
        panel.plot(
            list(rows),
            values,
            color=colour,
            marker=MARKERS[number],
            markersize=3.5,
            linestyle=("-", "--", ":")[number],  # lines that coincide are all seen
            markerfacecolor=colour if number == 0 else "white",
            label=text,
        )
    panel.grid(axis="y")
    panel.locator_params(axis="y", nbins=5)
