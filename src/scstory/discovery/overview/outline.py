"""What a story, or part of an article, is about: a vector and its heaviest terms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from scstory.discovery.profile import considered
from scstory.discovery.window import Floats, Ints, Window
from scstory.text import BUCKETS, FIELDS, TermStatistics

USED = tuple(FIELDS.index(name) for name in ("terms", "names", "bigrams"))
"""The fields that are compared; their terms have their columns of the term table."""
KEYED = tuple(FIELDS.index(name) for name in ("terms", "names"))
"""The fields by whose terms a story is found."""
PARTS = 1 + len(USED)


@dataclass(frozen=True, eq=False)
class Outline:
    """A mean vector that is not centred, and TF-IDF vectors of unit length, side by side."""

    vector: NDArray[np.float32]
    columns: NDArray[np.int32]
    """The columns of its terms in ascending order, and how much each weighs."""
    weights: NDArray[np.float32]

    def centred(self, centre: Floats) -> Floats:
        """Return its vector without what all articles have in common, of unit length."""
        rest = self.vector.astype(np.float64) - centre
        return np.asarray(rest / max(float(np.sqrt(rest @ rest)), 1e-12))

    def keys(self, count: int) -> list[int]:
        """Return the heaviest terms by which it is found."""
        keyed = np.flatnonzero(np.isin(self.columns // BUCKETS, KEYED))
        best = keyed[np.lexsort((self.columns[keyed], -self.weights[keyed]))][:count]
        return [int(column) for column in self.columns[best]]

    def weigh(self, columns: NDArray[np.int32]) -> Floats:
        """Return how much each of some columns weighs, 0 if it is not there."""
        if not len(self.columns):
            return np.zeros(len(columns))
        places = np.minimum(np.searchsorted(self.columns, columns), len(self.columns) - 1)
        there = self.columns[places] == columns
        return np.asarray(np.where(there, self.weights[places], 0.0), dtype=np.float64)


def likeness(one: Outline, other: Outline, centre: Floats) -> float:
    """Return how alike two outlines are: the mean of the cosines of their parts."""
    by_vector = float(one.centred(centre) @ other.centred(centre))
    by_terms = float(one.weigh(other.columns) @ other.weights)
    return (by_vector + by_terms) / PARTS


def outline_of(vector: NDArray[Any], tfidf: csr_array, count: int) -> Outline:
    """Return the outline of a mean vector and of rows of TF-IDF vectors, which are added up."""
    columns, place = np.unique(tfidf.indices, return_inverse=True)
    sums = np.bincount(place, tfidf.data, minlength=len(columns)).astype(np.float64)
    kept = []
    for field in USED:
        own = np.flatnonzero(columns // BUCKETS == field)
        best = np.sort(own[np.lexsort((columns[own], -sums[own]))][:count])
        sums[best] = sums[best] / max(float(np.sqrt((sums[best] ** 2).sum())), 1e-12)
        kept.append(best)
    chosen = np.concatenate(kept)
    chosen = chosen[np.argsort(columns[chosen])]
    return Outline(
        vector.astype(np.float32),
        columns[chosen].astype(np.int32),
        sums[chosen].astype(np.float32),
    )


def story_outline(window: Window, rows: Ints, statistics: TermStatistics, count: int) -> Outline:
    """Return the outline of a story by its rows in the window."""
    rows = considered(window, rows[np.argsort(window["published"][rows], kind="stable")])
    vectors = np.array([article_vector(window, int(i)) for i in rows])
    tfidf = statistics.tfidf(window.term_table("term_counts", rows))
    return outline_of(vectors.mean(axis=0), tfidf, count)


def article_vector(window: Window, row: int) -> Floats:
    """Return the mean of an article's sentence vectors by their weights, of unit length."""
    weights = window.of("weights", row).astype(np.float64)
    if weights.sum() <= 0:
        weights = np.ones(len(weights))
    mean = weights @ window.members[row].vectors.astype(np.float64)
    return np.asarray(mean / max(float(np.sqrt(mean @ mean)), 1e-12))
