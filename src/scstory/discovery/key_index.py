"""An index of numbers: which rows have a key, the latest rows first.

Rows are added at the end and leave at the front. The index consists of sorted runs. The latest rows
are in a dictionary until there are enough of them for a run, and two runs become one when the
later one is no longer much smaller. So adding a row costs the logarithm of the number of rows, and
what is found depends on the rows alone, not on the runs.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

PENDING = 4096
"""Entries that wait in the dictionary for a run."""


class _Run(NamedTuple):
    """Keys in ascending order, and the serial number of the row that has each."""

    keys: NDArray[np.int32]
    serials: Ints

    def joined(self, later: _Run, first: int) -> _Run:
        """Return this run and a later one as one, without the rows before `first`."""
        keys = np.concatenate([self.keys, later.keys])
        serials = np.concatenate([self.serials, later.serials])
        kept = np.flatnonzero(serials >= first)
        order = kept[np.argsort(keys[kept], kind="stable")]
        return _Run(keys[order], serials[order])


class KeyIndex:
    """Which rows have a key. Of a key the lower 32 bits count."""

    def __init__(self) -> None:
        self._runs: list[_Run] = []
        self._pending: dict[int, list[int]] = {}
        self._waiting: list[tuple[NDArray[np.int32], int]] = []
        self._count = 0

    def add(self, serial: int, keys: NDArray[np.integer]) -> None:
        """Add a row, which comes after those that were added before."""
        own = keys.astype(np.int32)
        for key in own.tolist():
            self._pending.setdefault(key, []).append(serial)
        self._waiting.append((own, serial))
        self._count += len(own)
        if self._count >= PENDING:
            lengths = [len(some) for some, _ in self._waiting]
            serials = np.repeat([number for _, number in self._waiting], lengths)
            every = np.concatenate([some for some, _ in self._waiting])
            self._pending, self._waiting, self._count = {}, [], 0
            self.add_many(serials, every)

    def add_many(self, serials: Ints, keys: NDArray[np.integer], *, first: int = 0) -> None:
        """Add entries of rows that come after those added before, in ascending order of rows."""
        assert not self._waiting
        run = _Run(np.empty(0, np.int32), np.empty(0, np.int64)).joined(
            _Run(keys.astype(np.int32), serials), first
        )
        while self._runs and len(self._runs[-1].keys) < 4 * len(run.keys):
            run = self._runs.pop().joined(run, first)
        self._runs.append(run)

    def find(self, keys: NDArray[np.integer], *, first: int, most: int) -> tuple[Ints, Ints]:
        """Return the latest rows that have some keys, at most so many for each key.

        They are returned as places in `keys` and serial numbers, none of them before `first`.
        """
        wanted = keys.astype(np.int32)
        places: list[Ints] = []
        serials: list[Ints] = []
        room = np.full(len(wanted), most)
        for place, key in enumerate(wanted.tolist()):
            if recent := self._pending.get(key):
                some = np.array(recent[-most:])
                places.append(np.full(len(some), place))
                serials.append(some)
                room[place] -= len(some)
        for run in reversed(self._runs):
            start, stop = (np.searchsorted(run.keys, wanted, side=side) for side in _SIDES)
            count = np.minimum(stop - start, room)
            earlier = np.cumsum(count) - count
            found = np.repeat(stop - count - earlier, count) + np.arange(int(count.sum()))
            places.append(np.repeat(np.arange(len(wanted)), count))
            serials.append(run.serials[found])
            room = room - count
            if not room.any():
                break
        if not places:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        rows, numbers = np.concatenate(places), np.concatenate(serials)
        there = numbers >= first
        return rows[there], numbers[there]


_SIDES: tuple[Literal["left", "right"], ...] = ("left", "right")
