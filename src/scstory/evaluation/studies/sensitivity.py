"""Sensitivity: parameters of each preset, one at a time around the preset's values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from scstory.discovery.presets import make_settings
from scstory.discovery.settings import MethodSettings
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


def _around(value: float, steps: Sequence[float], low: float, high: float) -> list[float]:
    return list(dict.fromkeys(round(max(low, min(high, value + step)), 6) for step in steps))


FIFTHS = (-0.2, -0.1, 0, 0.1, 0.2)
PAPER = {
    "delta": Axis("threshold δ", lambda p: _around(p.delta, FIFTHS, -1, 1)),
    "epochs": Axis("epochs", lambda p: [max(p.epochs, 1) * n for n in (1, 2, 3, 4, 5)]),
    "temperature": Axis(
        "temperature τ", lambda p: _times(p.temperature, (0.25, 0.5, 1, 2, 4)), logarithmic=True
    ),
    "learning_rate": Axis(
        "learning rate", lambda p: _times(p.learning_rate, (0.1, 0.3, 1, 3, 10)), logarithmic=True
    ),
}
DEFAULT = {
    "delta": Axis("probability δ", lambda p: _around(p.delta, FIFTHS, 0.01, 0.99)),
    "assumed_share": Axis("assumed share", lambda p: _around(p.assumed_share, FIFTHS, 0.01, 0.99)),
    "direction_prior": Axis(
        "prior of weights",
        lambda p: _times(p.direction_prior, (0.1, 0.3, 1, 3, 10)),
        logarithmic=True,
    ),
    "learning_rate": PAPER["learning_rate"],
}
AXES: Mapping[str, Mapping[str, Axis]] = {"paper": PAPER, "default": DEFAULT}
"""For each preset the parameters that it is most likely to be sensitive to."""
LINES = (("b3_f1", "B³-F1"), ("ami", "AMI"), ("ari", "ARI"))

Point = tuple[str, str, float]
"""A preset, one of its parameters, and a value."""


def sensitivity(setting: Setting, *, axes: Mapping[str, Mapping[str, Axis]] = AXES) -> Outcome:
    """Run SCStory with one parameter changed at a time: the given preset, or each."""
    presets = [setting.preset] if setting.preset else list(axes)
    rows: dict[Point, Row] = {}
    for preset in presets:
        rows.update(_runs(replace(setting, preset=preset), axes[preset]))
    own = {preset: _preset_settings(setting, preset) for preset in presets}
    table: list[list[Cell]] = [
        [
            preset,
            name,
            f"{value:g}" + (" (preset)" if value == getattr(own[preset], name) else ""),
            row.windowed.b3_f1,
            row.spread.b3_f1 if setting.seeds > 1 else None,
            row.windowed.ami,
            row.windowed.ari,
            row.stream.b3_f1,
        ]
        for (preset, name, value), row in rows.items()
    ]
    notes = [f"{setting.scope} One parameter at a time is changed; all others are the preset's."]
    if setting.seeds > 1:
        notes.append(f"Mean of {setting.seeds} seeds, ± standard deviation.")
    header = ("preset", "parameter", "value", "B³-F1", "±", "AMI", "ARI", "stream B³-F1")
    return Outcome(
        "Sensitivity of SCStory to its parameters",
        Table(header, table),
        lambda figure: _draw(figure, {preset: axes[preset] for preset in presets}, rows, own),
        (PAGE, 0.6 + 1.7 * len(presets)),
        notes,
        records=Table(
            ("preset", "parameter", "value", *RECORD),
            [[*point, *record(row)] for point, row in rows.items()],
        ),
    )


def _preset_settings(setting: Setting, preset: str) -> MethodSettings:
    return make_settings(preset, setting.known_to("scstory", preset))


def _runs(setting: Setting, axes: Mapping[str, Axis]) -> dict[Point, Row]:
    """Return the rows of one preset."""
    preset = setting.one_preset
    settings = _preset_settings(setting, preset)
    points = [(name, value) for name, axis in axes.items() for value in axis.values(settings)]
    # The preset's own value is on every axis: it runs once.
    changed = [(name, value) for name, value in points if value != getattr(settings, name)]
    (job,) = setting.jobs(["scstory"])
    variants = [replace(job, parameters={**job.parameters, name: value}) for name, value in changed]
    own, *rest = setting.run([job, *variants])
    found = dict(zip(changed, rest, strict=True))
    return {(preset, *point): found.get(point, own) for point in points}


def _draw(
    figure: Figure,
    axes: Mapping[str, Mapping[str, Axis]],
    rows: Mapping[Point, Row],
    own: Mapping[str, MethodSettings],
) -> None:
    width = max(map(len, axes.values()))
    panels = figure.subplots(len(axes), width, sharey="row", squeeze=False)
    letters = iter("abcdefghijkl")
    for line, (preset, parameters) in zip(panels, axes.items(), strict=True):
        for panel, (name, axis) in zip(line, parameters.items(), strict=False):
            values = {v: row for (of, n, v), row in rows.items() if (of, n) == (preset, name)}
            _panel(panel, values, getattr(own[preset], name))
            if axis.logarithmic:
                panel.set_xscale("log")
                panel.minorticks_off()
            tiny = max(values) < 0.01
            ticks = list(values)[::2] if tiny else list(values)
            panel.set_xticks(
                ticks, [f"{v:.0e}".replace("e-0", "e-") if tiny else f"{v:g}" for v in ticks]
            )
            label_panel(panel, next(letters), axis.text)
        line[0].set_ylabel(f"{preset}: mean over windows")
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
