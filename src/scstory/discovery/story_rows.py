"""Which rows of the window each story consists of, and which rows have changed since a moment.

Methods write the story and the confidence of a row straight into the window's columns. So what
depends on them compares a column with what it was: a comparison of a million numbers takes a
millisecond, whereas sorting them anew for every step would take as long as the step.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


class Changes:
    """The rows of a column that changed since they were last asked for.

    A row is known by its serial number: how many rows came before it, also those long gone.
    """

    def __init__(self) -> None:
        self._known: NDArray[Any] | None = None
        self._first = 0

    def take(self, values: NDArray[Any], first: int) -> tuple[Ints, NDArray[Any], NDArray[Any]]:
        """Return the serial numbers of changed rows, what they were, and which of them are new.

        `first` is the serial number of the first row. What has left is returned as well, by numbers
        below `first`.
        """
        known = values[:0] if self._known is None else self._known
        gone = min(first - self._first, len(known))
        rest = known[gone:]
        changed = np.flatnonzero(values[: len(rest)] != rest)
        left, arrived = np.arange(gone), np.arange(len(rest), len(values))
        serials = np.concatenate([left + self._first, changed + first, arrived + first])
        before = np.concatenate([known[:gone], rest[changed]])
        fresh = np.arange(len(serials)) >= len(before)
        if len(serials) or self._known is None:
            self._known = values.copy()
        self._first = first
        return serials, before, fresh


class StoryRows:
    """The rows of each story, brought up to date when they are asked for."""

    def __init__(self) -> None:
        self._changes = Changes()
        self._serials: dict[int, Ints] = {}
        self._first = 0

    def update(self, story: Ints, first: int) -> None:
        """Take note of the column of stories as it is; `first` is its first serial number."""
        serials, before, fresh = self._changes.take(story, first)
        self._first = first
        if not len(serials):
            return
        left = serials[~fresh]
        for number, gone in _grouped(before, left):
            rest = np.setdiff1d(self._serials[number], gone, assume_unique=True)
            if len(rest):
                self._serials[number] = rest
            else:
                del self._serials[number]
        there = serials[serials >= first]
        for number, some in _grouped(story[there - first], there):
            known = self._serials.get(number)
            if known is None:
                self._serials[number] = some
            elif known[-1] < some[0]:
                self._serials[number] = np.concatenate([known, some])
            else:
                self._serials[number] = np.sort(np.concatenate([known, some]))

    def __contains__(self, story: int) -> bool:
        return story in self._serials

    def __len__(self) -> int:
        return len(self._serials)

    def __iter__(self) -> Iterator[int]:
        return iter(self._serials)

    def of(self, story: int) -> Ints:
        """Return the rows of a story in ascending order."""
        return self._serials[story] - self._first


def _grouped(numbers: Ints, serials: Ints) -> Iterator[tuple[int, Ints]]:
    """Yield each number with the serial numbers that go with it, in ascending order."""
    if not len(numbers):
        return
    order = np.lexsort((serials, numbers))
    ids, starts = np.unique(numbers[order], return_index=True)
    yield from zip(ids.tolist(), np.split(serials[order], starts[1:]), strict=True)
