"""The stories that an article is compared with in a large window.

Two searches find them. One finds the stories whose vectors are the nearest. The other finds those
of the latest articles that share telling terms with it: the rarest of its words and names. The
result is a function of the article and of the window, whatever was asked for before.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scstory.discovery.calibrated.story_table import StoryTable
from scstory.discovery.key_index import KeyIndex
from scstory.discovery.window import Floats, Ints, Window
from scstory.text import BUCKETS, FIELDS, TermStatistics

TELLING = {"terms": 24, "names": 8}
"""How many of an article's terms are looked up, by field."""
LATEST = 32
"""The latest articles that are looked up for each of them."""


class TellingTerms:
    """Which articles have a telling term."""

    def __init__(self, statistics: TermStatistics) -> None:
        self._statistics = statistics
        self._index = KeyIndex()

    def of(self, terms: NDArray[np.int32], counts: Floats) -> tuple[NDArray[np.int32], Floats]:
        """Return the telling terms of an article, and how telling they are.

        `terms` are all of its terms in ascending order, `counts` how often it has each.
        """
        idf = self._statistics.idf_at(terms)
        weights = idf * np.log1p(counts)
        found = []
        for name, most in TELLING.items():
            field = FIELDS.index(name)
            start, stop = np.searchsorted(terms, [field * BUCKETS, (field + 1) * BUCKETS])
            order = np.argsort(-weights[start:stop], kind="stable")[:most]
            found.append(start + order)
        chosen = np.concatenate(found)
        return terms[chosen], np.square(idf[chosen])

    def add(self, window: Window, row: int) -> None:
        """Add an article of the window, the latest one."""
        self._index.add(window.first + row, self._of_row(window, row)[0])

    def build(self, window: Window) -> None:
        """Add all articles of a window at once."""
        found = [self._of_row(window, i)[0] for i in range(len(window))]
        serials = window.first + np.repeat(np.arange(len(found)), [len(keys) for keys in found])
        if found:
            self._index.add_many(serials, np.concatenate(found))

    def _of_row(self, window: Window, row: int) -> tuple[NDArray[np.int32], Floats]:
        return self.of(window.of("term_columns", row), window.of("term_counts", row))

    def nearest(
        self, window: Window, terms: NDArray[np.int32], counts: Floats, most: int
    ) -> list[int]:
        """Return the stories of the latest articles that share the most telling terms."""
        telling, weights = self.of(terms, counts)
        place, serial = self._index.find(telling, first=window.first, most=LATEST)
        story = window.story[serial - window.first]
        if not len(story):
            return []
        pairs = np.unique(story * len(telling) + place)
        ids, start = np.unique(pairs // len(telling), return_index=True)
        shared = np.add.reduceat(weights[pairs % len(telling)], start)
        return list(ids[_highest(shared, most)].tolist())


def nearest_vectors(table: StoryTable, scores: NDArray[np.float32], most: int) -> Ints:
    """Return the columns with the highest scores."""
    there = scores[: len(table.ids)].copy()
    there[table.ids[: len(there)] < 0] = -np.inf
    found = _highest(there, most)
    return found[table.ids[found] >= 0]


def _highest(values: NDArray[np.floating], most: int) -> Ints:
    """Return the places of the highest values, and of those that equal the least of them."""
    if len(values) <= most:
        return np.arange(len(values))
    return np.flatnonzero(values >= np.partition(values, len(values) - most)[len(values) - most])


def in_order(table: StoryTable, columns: Ints) -> Ints:
    """Return columns in the order of their stories' numbers: columns are used again."""
    return columns[np.argsort(table.ids[columns], kind="stable")]
