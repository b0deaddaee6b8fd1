"""The columns of the window, and the arrays that hold them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike, NDArray

from scstory.types import EncodedArticle

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the window: a value for each article, or for each of its sentences or terms.

    `derive` makes the values of new articles; without it they are `fill`. A column that is derived
    is not saved: it is derived again.
    """

    name: str
    dtype: DTypeLike
    shape: tuple[int, ...] = ()
    per: Literal["article", "sentence", "term"] = "article"
    fill: float = 0
    derive: Callable[[Sequence[EncodedArticle]], NDArray[Any]] | None = None


def places_of(starts: Ints, lengths: Ints) -> Ints:
    """Return the places of values that stand in runs of some lengths."""
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(lengths.sum())


class Values:
    """An array that grows at its end and shrinks at its front, and is rarely copied."""

    def __init__(self, column: Column) -> None:
        self._room: NDArray[Any] = np.empty((0, *column.shape), dtype=column.dtype)
        self._start = self._stop = 0

    def view(self) -> NDArray[Any]:
        """Return the values; writing to them changes the column."""
        return self._room[self._start : self._stop]

    def extend(self, values: NDArray[Any]) -> None:
        """Add values at the end."""
        count = self._stop - self._start + len(values)
        if self._stop + len(values) > len(self._room):
            room = np.empty((count + count // 4, *self._room.shape[1:]), dtype=self._room.dtype)
            room[: self._stop - self._start] = self.view()
            self._room, self._start, self._stop = room, 0, self._stop - self._start
        self._room[self._stop : self._stop + len(values)] = values
        self._stop += len(values)

    def drop(self, count: int) -> None:
        """Remove values at the front."""
        self._start += count

    def set(self, values: NDArray[Any]) -> None:
        """Replace all values."""
        self._room, self._start, self._stop = values, 0, len(values)


class Ends:
    """Where the values of each article end in a column that has several for each."""

    def __init__(self) -> None:
        self._ends = Values(Column("ends", np.int64))
        self.gone = 0
        """How many values have left with their articles."""

    def extend(self, lengths: Ints) -> None:
        """Add articles that have so many values each."""
        ends = self._ends.view()
        last = int(ends[-1]) if len(ends) else self.gone
        self._ends.extend(last + np.cumsum(lengths))

    def drop(self, count: int) -> None:
        """Remove articles at the front, one at least."""
        self.gone = int(self._ends.view()[count - 1])
        self._ends.drop(count)

    def starts(self, rows: Ints) -> Ints:
        """Return where the values of some articles start."""
        before = self._ends.view()[rows - 1] - self.gone
        return np.where(rows > 0, before, 0)

    def owners(self, values: Ints) -> Ints:
        """Return the articles that have some values."""
        return np.searchsorted(self._ends.view(), values + self.gone, side="right")

    def span(self, start: int, stop: int) -> slice:
        """Return where the values of the articles from `start` to `stop` are."""
        first, last = (self._end_of(row) for row in (start, stop))
        return slice(first, max(first, last))

    def _end_of(self, count: int) -> int:
        """Return where the values of the first `count` articles end."""
        ends = self._ends.view()[:count]
        return int(ends[-1]) - self.gone if len(ends) else 0
