"""What people have corrected, for as long as the articles and stories it is about are there.

An article that a person placed stays in its story: only with the whole story does it join another.
An article that was left behind by a split may go anywhere but into the part that was split off. Two
stories that a person told apart are never joined, nor are the parts into which they are divided
later.
"""

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from scstory.discovery.corrections import Correction
from scstory.discovery.window import Ints, Window

_PARTS = ("held", "barred", "apart")


class Corrected:
    """The rows that are held, the rows that are barred from stories, and stories kept apart."""

    def __init__(self) -> None:
        self._held: Ints = np.empty((0, 2), dtype=np.int64)
        """A row, and the correction that holds it in its story."""
        self._barred: Ints = np.empty((0, 3), dtype=np.int64)
        """A row, the story that it must not join, and the correction that says so."""
        self._apart: Ints = np.empty((0, 3), dtype=np.int64)
        """Two stories that must not be joined, and the correction that says so."""

    def add(self, window: Window, correction: Correction, held: Ints) -> None:
        """Take note of a correction that has been made; forget the one that it retracts."""
        number, gone = correction.number, correction.retracts
        self._held, self._barred, self._apart = (
            part[part[:, -1] != gone] for part in (self._held, self._barred, self._apart)
        )
        for old, new in correction.merged.items():
            self._rename(old, new)
        self._held = _with(self._held, [(row, number) for row in held.tolist()])
        barred = [
            (row, correction.barred[name], number)
            for row, name in enumerate(window.members.ids)
            if name in correction.barred
        ]
        self._barred = _with(self._barred, barred)
        self._apart = _with(self._apart, [(*pair, number) for pair in correction.apart])

    def placed(self, most: int) -> Ints:
        """Return the rows that people placed, at most so many, the latest ones."""
        return np.unique(self._held[:, 0])[-most:]

    def held(self, count: int) -> NDArray[np.bool_]:
        """Return which of so many rows stay in their stories."""
        found = np.zeros(count, dtype=bool)
        found[self._held[:, 0]] = True
        return found

    def send_back(self, story: Ints, before: Ints) -> None:
        """Undo moves of articles into stories that they are barred from."""
        for row, number, _ in self._barred.tolist():
            if story[row] == number:
                story[row] = before[row]

    def kept_apart(self, story: Ints) -> set[tuple[int, int]]:
        """Return all pairs of stories that must not be joined, in both orders."""
        pairs = {(a, b) for a, b, _ in self._apart.tolist()}
        pairs |= {(int(story[row]), number) for row, number, _ in self._barred.tolist()}
        return {(a, b) for a, b in pairs if a != b} | {(b, a) for a, b in pairs if a != b}

    def bars(self, row: int, story: int) -> bool:
        """Say whether a row must not join a story."""
        return bool(((self._barred[:, 0] == row) & (self._barred[:, 1] == story)).any())

    def of_rows(self, rows: Ints) -> "Corrected":
        """Return what is about some rows, by their places among these, and all stories kept apart.

        The rows are in ascending order.
        """
        part = Corrected()
        part._held, part._barred = (
            _renumbered(table, rows) for table in (self._held, self._barred)
        )
        part._apart = self._apart.copy()
        return part

    def follow(self, part: "Corrected") -> None:
        """Take over from a part which stories are kept apart."""
        self._apart = part._apart

    def divided(self, old: int, new: int) -> None:
        """Keep a part of a story apart from what the story is kept apart from."""
        more = [
            (new, b if a == old else a, number)
            for a, b, number in self._apart.tolist()
            if old in (a, b)
        ]
        self._apart = _with(self._apart, more)

    def joined(self, numbers: Mapping[int, int]) -> None:
        """Take note of stories that became part of others."""
        for old, new in numbers.items():
            self._rename(old, new)

    def evict(self, count: int, known: Collection[int]) -> None:
        """Forget what is about rows that have left the window, and about unknown stories."""
        self._held = _shifted(self._held, count)
        self._barred = _shifted(self._barred, count)
        if len(self._apart):
            some = np.isin(self._apart[:, :2], sorted(known)).all(axis=1)
            self._apart = self._apart[some]

    def _rename(self, old: int, new: int) -> None:
        self._barred[self._barred[:, 1] == old, 1] = new
        stories = self._apart[:, :2]
        stories[stories == old] = new

    # -- stopping and going on ----------------------------------------------------------------

    def state(self) -> dict[str, NDArray[np.int64]]:
        """Return everything."""
        return {name: getattr(self, f"_{name}") for name in _PARTS}

    def restore(self, state: Mapping[str, NDArray[np.int64]]) -> None:
        """Go back to what `state` returned; a database of an earlier version has none."""
        self.__dict__ = Corrected().__dict__
        if state:
            for name in _PARTS:
                setattr(self, f"_{name}", state[name].copy())


def _with(table: Ints, rows: Collection[tuple[int, ...]]) -> Ints:
    if not rows:
        return table
    return np.concatenate([table, np.array(sorted(rows), dtype=np.int64)])


def _renumbered(table: Ints, rows: Ints) -> Ints:
    some = table[np.isin(table[:, 0], rows)].copy()
    some[:, 0] = np.searchsorted(rows, some[:, 0])
    return some


def _shifted(table: Ints, count: int) -> Ints:
    moved = table.copy()
    moved[:, 0] -= count
    return moved[moved[:, 0] >= 0]
