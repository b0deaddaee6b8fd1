"""Untidy streams: every system, as foreign sentences or errors of dates increase."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from scstory.evaluation.harness import load_stream
from scstory.evaluation.report import Row
from scstory.evaluation.studies.output import (
    GREY,
    MARKERS,
    PAGE,
    PALETTE,
    Cell,
    Outcome,
    Table,
    label_panel,
)
from scstory.evaluation.studies.setting import RECORD, Setting, label, record
from scstory.evaluation.systems import system_names
from scstory.evaluation.variants import Transformation
from scstory.feeds import Item

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHARES = (0.0, 0.2, 0.35, 0.5, 1.0)
"""Inserted sentences, for each one that an article has."""
DAYS = (0.0, 0.5, 1.0, 2.0, 4.0)
"""By how much dates are moved on average."""
NOISE_JITTER = 1.0
"""By how many days dates are moved where sentences are inserted: the dates of data sets often tell
which articles belong together, however noisy the texts."""
FLOORS = ("singletons", "one")
MARGIN = 0.03
"""Room below the lowest point of a system that is drawn in colour."""

Rows = Mapping[float, Sequence[Row]]


def noise(
    setting: Setting, *, shares: Sequence[float] = SHARES, systems: Sequence[str] | None = None
) -> Outcome:
    """Run all systems with ever more sentences of other stories in each text."""
    rows = _sweep(
        setting,
        shares,
        lambda share: Transformation.parse(NOISE_JITTER, [f"noisy={share}"] if share else []),
        systems,
    )
    note = (
        "Sentences of other stories of the same days are inserted into every text, so many for "
        "each sentence that it has; dates are moved by a day on average."
    )
    return _outcome(setting, "Foreign sentences in every article", "foreign share", rows, note)


def dates(
    setting: Setting, *, days: Sequence[float] = DAYS, systems: Sequence[str] | None = None
) -> Outcome:
    """Run all systems with dates moved ever further."""
    rows = _sweep(setting, days, lambda some: Transformation.parse(some, []), systems)
    note = "The date of every article is moved by random noise with a mean of so many days."
    return _outcome(setting, "Dates that are moved", "days moved", rows, note)


def _sweep(
    setting: Setting,
    values: Sequence[float],
    transformation: Callable[[float], Transformation],
    systems: Sequence[str] | None,
) -> Rows:
    """Return the rows of all systems on the stream transformed by each value."""
    jobs = setting.jobs([name for name in systems or system_names() if name not in FLOORS])
    stream = setting.stream
    items = [Item(a.id, a, label=stream.truth.get(a.id)) for a in stream.articles]
    found = {}
    for number, value in enumerate(values):
        changed, own_texts = transformation(value).apply(items)

        def progress(done: int, total: int, before: int = number) -> None:
            setting.on_progress(before * total + done, len(values) * total)

        changed_stream = load_stream(changed, setting.encoder, own_texts=own_texts)
        found[value] = replace(setting, stream=changed_stream, on_progress=progress).run(jobs)
    return found


def _outcome(setting: Setting, title: str, axis: str, rows: Rows, note: str) -> Outcome:
    by_system = list(zip(*rows.values(), strict=True))
    table: list[list[Cell]] = [
        [label(some[0]), *(f"{row.windowed.b3_f1:.3f} / {row.stream.b3_f1:.3f}" for row in some)]
        for some in by_system
    ]
    notes = [
        f"{setting.scope} Cells are B³-F1: the mean over windows / the whole stream.",
        f"{note} All systems have their default settings.",
    ]
    if setting.seeds > 1:
        notes.append(f"Learned systems: mean of {setting.seeds} seeds.")
    records = [
        [row.system, row.preset, value, *record(row), _weights_auc(row)]
        for value, some in rows.items()
        for row in some
    ]
    return Outcome(
        title,
        Table(("system", *(f"{axis} {value:g}" for value in rows)), table),
        lambda figure: _draw(figure, axis, list(rows), by_system),
        (PAGE, 3.0),
        notes,
        records=Table(
            ("system", "preset", axis.replace(" ", "_"), *RECORD, "weights_auc"), records
        ),
    )


def _weights_auc(row: Row) -> float | None:
    """Return how well sentence weights tell own sentences from inserted ones, over all seeds."""
    found = [result.weights_auc for result in row.results if result.weights_auc is not None]
    return sum(found) / len(found) if found else None


def _draw(
    figure: Figure, axis: str, values: Sequence[float], by_system: Sequence[Sequence[Row]]
) -> None:
    # SCStory, and of the others as many as there are colours, those that end highest.
    best = sorted(
        by_system, key=lambda rows: (rows[0].system != "scstory", -rows[-1].windowed.b3_f1)
    )
    coloured = best[: len(PALETTE)]
    panels = figure.subplots(1, 2, sharey=True)
    for panel, letter, score, text in zip(
        panels, "ab", ("windowed", "stream"), ("mean over windows", "whole stream"), strict=True
    ):
        for rows in best[len(PALETTE) :]:
            _line(panel, values, rows, score, color=GREY, marker=".", linewidth=0.7)
        for number, rows in enumerate(coloured):
            style: dict[str, str | float] = {
                "color": PALETTE[number],
                "marker": MARKERS[number],
                "linewidth": 1.2,
            }
            _line(panel, values, rows, score, label=label(rows[0]), **style)
        panel.set_xticks(values, [f"{value:g}" for value in values])
        panel.set_xlabel(axis)
        panel.grid(axis="y")
        label_panel(panel, letter, text)
    lowest = min(min(row.windowed.b3_f1, row.stream.b3_f1) for rows in coloured for row in rows)
    panels[0].set_ylim(max(lowest - MARGIN, 0), 1)
    panels[0].set_ylabel("B³-F1")
    if len(best) > len(coloured):
        panels[0].plot([], [], color=GREY, marker=".", linewidth=0.7, label="other systems")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, columnspacing=1.2)


def _line(
    panel: Axes, values: Sequence[float], rows: Sequence[Row], score: str, **style: str | float
) -> None:
    panel.plot(values, [getattr(row, score).b3_f1 for row in rows], markersize=3.5, **style)  # type: ignore[arg-type]
