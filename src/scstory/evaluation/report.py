"""Results over seeds, as JSON objects and as tables."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field, replace
from typing import Any

from scstory.evaluation.languages import languages_json, languages_line
from scstory.evaluation.metrics import Scores
from scstory.evaluation.protocol import Result, mean_scores
from scstory.evaluation.significance import Difference, compare


@dataclass(frozen=True)
class Row:
    """The results of one system: the mean over seeds, and their spread."""

    system: str
    preset: str | None
    results: Sequence[Result]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    tuned_by: Sequence[str] = ()
    """The scores on labels, `windowed` or `stream`, that the parameters are the best by."""
    edges: Sequence[str] = ()
    """The tuned parameters that have the least or greatest value that was tried."""
    description: str = ""
    """What must be known of how the system was run, such as the tools that it used."""
    against: "Row | None" = None
    """The row that it is compared with: the first one, if it is another."""
    difference: Difference | None = None
    """How its B³-F1 differs from that row's."""

    @property
    def tuned(self) -> bool:
        """Whether the parameters were chosen with the labels."""
        return bool(self.tuned_by)

    @property
    def by_window(self) -> list[float]:
        """B³-F1 of each window, as the mean over seeds."""
        scores = [[window.b3_f1 for window in result.by_window] for result in self.results]
        return [statistics.mean(values) for values in zip(*scores, strict=True)]

    @property
    def windowed(self) -> Scores:
        """The mean over windows, then over seeds."""
        return mean_scores([result.windowed for result in self.results])

    @property
    def stream(self) -> Scores:
        """The scores of the final stories, as the mean over seeds."""
        return mean_scores([result.stream for result in self.results])

    @property
    def first(self) -> Scores:
        """The windowed scores of first decisions, as the mean over seeds."""
        return mean_scores([result.first for result in self.results])

    @property
    def seconds(self) -> float:
        """The seconds of discovery, as the mean over seeds."""
        return statistics.mean(result.seconds for result in self.results)

    @property
    def decide_seconds(self) -> float:
        """The seconds of deciding."""
        return statistics.mean(result.decide_seconds for result in self.results)

    @property
    def learn_seconds(self) -> float:
        """The seconds of learning."""
        return statistics.mean(result.learn_seconds for result in self.results)

    @property
    def weights_auc(self) -> float | None:
        """How well sentence weights tell own sentences from inserted ones, over seeds."""
        found = [r.weights_auc for r in self.results if r.weights_auc is not None]
        return statistics.mean(found) if found else None

    @property
    def spread(self) -> Scores:
        """The standard deviation over seeds of the windowed scores."""
        if len(self.results) < 2:
            return Scores(0.0, 0.0, 0.0, 0.0, 0.0)
        values = [astuple(result.windowed) for result in self.results]
        return Scores(*map(statistics.stdev, zip(*values, strict=True)))

    def as_json(self, *, data: str, encoder: str, encode_seconds: float) -> dict[str, Any]:
        """Return the object that `evaluate --json` prints."""
        one, many = self.results[0], self.results
        auc = self.weights_auc
        return {
            "system": self.system,
            "preset": self.preset,
            "data": data,
            "encoder": encoder,
            "windowed": _rounded(self.windowed),
            "stream": _rounded(self.stream),
            "first": _rounded(self.first),
            "first_stream": _rounded(mean_scores([result.first_stream for result in many])),
            "windows": one.windows,
            "articles": one.articles,
            "seconds": {
                "encode": round(encode_seconds, 3),
                "discover": round(self.seconds, 3),
                "decide": round(self.decide_seconds, 3),
                "learn": round(self.learn_seconds, 3),
            },
            "against": self._against(),
            "weights_auc": None if auc is None else round(auc, 6),
            "languages": languages_json([result.languages for result in many]),
            "seeds": len(self.results),
            "spread": _rounded(self.spread),
            "tuned": self.tuned,
            "tuned_by": list(self.tuned_by),
            "grid_edges": list(self.edges),
            "parameters": dict(self.parameters),
            "description": self.description,
        }

    def _against(self) -> dict[str, Any] | None:
        other, found = self.against, self.difference
        if other is None or found is None:
            return None
        return {
            "system": other.system,
            "preset": other.preset,
            "b3_f1": round(found.mean, 6),
            "interval": [round(end, 6) for end in found.interval] if found.interval else None,
            "block": found.block,
            "significant": found.significant,
        }

    @property
    def label(self) -> str:
        """The name of the row in a table."""
        if self.preset:
            return f"{self.system} ({self.preset})"
        # What is set in words makes another system of it, which may be in the same table.
        words = [f"{name} {v}" for name, v in self.parameters.items() if isinstance(v, str) and v]
        name = ", ".join([self.system, *words])
        if not self.tuned:
            return name
        numbers = [f"{n}={v:g}" for n, v in self.parameters.items() if not isinstance(v, str)]
        how = f"{' and '.join(self.tuned_by)}: {' '.join(numbers)}"
        return f"{name}, tuned on labels ({how})" + EDGE * bool(self.edges)


EDGE = " †"
"""Marks a row that tuning found at the edge of the grid."""


SCORE_COLUMNS = ("system", "B³-P", "B³-R", "B³-F1", "±", "AMI", "ARI", "stream B³-F1", "s/window")
DETAILS = ("first B³-F1", "s/window", "deciding", "learning")
"""The columns that replace the last one in a detailed table; the seconds are per window."""
MARK = "*"
"""Marks a B³-F1 that differs significantly from that of the first row."""


def against_first(rows: Sequence[Row], *, block: int) -> list[Row]:
    """Return rows with each one but the first compared with the first, window by window."""
    compared = list(rows[:1])
    for row in rows[1:]:
        found = compare(row.by_window, rows[0].by_window, block=block)
        compared.append(replace(row, against=rows[0], difference=found))
    return compared


def table(rows: Sequence[Row], *, detailed: bool = False) -> list[tuple[str, ...]]:
    """Return rows as text, the header first.

    A detailed table also shows first decisions, and the seconds of deciding and of learning.
    """
    lines: list[tuple[str, ...]] = [SCORE_COLUMNS]
    if detailed:
        lines = [(*SCORE_COLUMNS[:-1], *DETAILS)]
    for row in rows:
        w, s = row.windowed, row.stream
        spread = f"{row.spread.b3_f1:.4f}" if len(row.results) > 1 else ""
        windows = max(row.results[0].windows, 1)
        seconds = [row.seconds, row.decide_seconds, row.learn_seconds]
        numbers = [_shown(v) for v in (w.b3_precision, w.b3_recall, w.b3_f1)]
        if any(other.difference for other in rows):
            numbers[-1] += _mark(row.difference)
        numbers += [spread, *(_shown(v) for v in (w.ami, w.ari, s.b3_f1))]
        numbers += [_shown(row.first.b3_f1)] if detailed else []
        numbers += [_shown(s / windows) for s in (seconds if detailed else seconds[:1])]
        lines.append((row.label, *numbers))
    return lines


def differences(rows: Sequence[Row]) -> list[tuple[str, ...]]:
    """Return by how much each row differs from the first, as text; nothing if none is compared."""
    lines: list[tuple[str, ...]] = []
    for row in rows:
        if not row.against or not (found := row.difference):
            continue
        if not lines:
            lines.append((f"B³-F1 against {row.against.label}", "difference", "95 % interval"))
        mean, *ends = (f"{round(v, 3) + 0.0:+.3f}" for v in (found.mean, *(found.interval or ())))
        lines.append((row.label, mean + _mark(found), " to ".join(ends) or "too few windows"))
    return lines


def differences_note(rows: Sequence[Row]) -> str:
    """Return the line that explains the mark and the intervals; nothing if none is compared."""
    blocks = [row.difference.block for row in rows if row.difference]
    if not blocks:
        return ""
    return (
        f"{MARK} differs significantly: zero is outside the interval (paired bootstrap over "
        f"windows, in blocks of {blocks[0]})"
    )


def _mark(found: Difference | None) -> str:
    return MARK if found and found.significant else " "


def weights_line(rows: Sequence[Row]) -> str:
    """Return a line on the sentence weights of the systems that have them; nothing if none has."""
    shown = [f"{row.label} {row.weights_auc:.3f}" for row in rows if row.weights_auc is not None]
    about = "sentence weights, own sentences against inserted ones (area under the ROC curve)"
    return f"{about}: {', '.join(shown)}" if shown else ""


def notes(rows: Sequence[Row]) -> list[str]:
    """Return what a reader must know of the rows of a table, a line for each note."""
    described = {f"{row.system}: {row.description}" for row in rows if row.description}
    return [
        *sorted(described),
        *filter(None, (edges_line(rows), weights_line(rows), *map(_languages_line, rows))),
    ]


def _languages_line(row: Row) -> str:
    found = languages_line([result.languages for result in row.results])
    return f"{row.label}: {found}" if found else ""


def edges_line(rows: Sequence[Row]) -> str:
    """Return a line on the tuned rows whose best value ends the grid; nothing if there is none."""
    shown = [
        f"{name} of {row.system} ({' and '.join(row.tuned_by)})"
        for row in rows
        for name in row.edges
    ]
    about = "the best value tried is the first or last of the grid, so others may be better"
    return f"{EDGE.strip()} {about}: {', '.join(shown)}" if shown else ""


def _shown(value: float) -> str:
    """Return a number with three decimals; zero has no sign.

    >>> _shown(-0.0001)
    '0.000'
    """
    return f"{round(value, 3) + 0.0:.3f}"


def markdown(lines: Sequence[Sequence[str]]) -> str:
    """Return lines as a Markdown table with right-aligned numbers."""
    header, *body = lines
    rule = "|---|" + "---:|" * (len(header) - 1)
    rows = ["| " + " | ".join(line) + " |" for line in (header, *body)]
    return "\n".join([rows[0], rule, *rows[1:]])


def plain(lines: Sequence[Sequence[str]]) -> str:
    """Return lines as columns for a terminal."""
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    shown = []
    for line in lines:
        cells = [line[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)]
        shown.append("  ".join(cells).rstrip())
    return "\n".join(shown)


def _rounded(scores: Scores) -> dict[str, float]:
    return {name: round(value, 6) for name, value in asdict(scores).items()}
