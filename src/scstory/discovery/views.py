"""What articles and stories are compared by: vectors of several kinds, a view each.

`learned` is R, what M makes of the sentences; `headline` and `opening` are sentence vectors without
M, of the first sentence and of the first few; the others are TF-IDF vectors of the fields of the
text. A story is the sum of its articles' vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack

from scstory.discovery.window import UNDECIDED, Window
from scstory.text import BUCKETS, FIELDS, TermStatistics
from scstory.types import Vectors

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LEARNED = "learned"
DENSE = (LEARNED, "headline", "opening")
VIEWS = (*DENSE, *FIELDS)


@dataclass(frozen=True, slots=True)
class Rows:
    """Articles or stories as they are compared, one a row."""

    dense: Floats
    """(views, n, dim)"""
    terms: csr_array
    """(n, fields × BUCKETS), the fields side by side."""

    def __len__(self) -> int:
        return int(self.dense.shape[1])

    def __getitem__(self, chosen: Ints | slice) -> Rows:
        return Rows(self.dense[:, chosen], self.terms[chosen])

    @property
    def fields(self) -> int:
        """How many fields the terms are of."""
        return int(self.terms.shape[1]) // BUCKETS

    def summed(self, belongs: csr_array) -> Rows:
        """Return sums of rows; `belongs` says which rows each is the sum of."""
        dense = np.stack([belongs @ view for view in self.dense])
        # Sparse products take time by the columns there could be; few of them are in use.
        used = np.zeros(self.terms.shape[1], dtype=bool)
        used[self.terms.indices] = True
        place = np.cumsum(used, dtype=np.int32) - 1
        columns = np.flatnonzero(used).astype(np.int32)
        compact = csr_array(
            (self.terms.data, place[self.terms.indices], self.terms.indptr),
            shape=(len(self), len(columns)),
        )
        sums = csr_array(belongs @ compact)
        shape = (sums.shape[0], self.terms.shape[1])
        return Rows(dense, csr_array((sums.data, columns[sums.indices], sums.indptr), shape=shape))

    def products_with(self, sums: Rows, column: Ints) -> Floats:
        """Return the inner product of each row with one of the sums, (views, n)."""
        dense = np.einsum("vnd,vnd->vn", self.dense, sums.dense[:, column])
        order = np.argsort(column, kind="stable")
        terms = self.terms[order]
        looked_up = np.empty(terms.nnz)
        scratch = np.zeros(terms.shape[1])
        stories, firsts = np.unique(column[order], return_index=True)
        for story, own in zip(stories.tolist(), pairwise([*firsts, len(order)]), strict=True):
            whole = slice(*sums.terms.indptr[[story, story + 1]])
            some = slice(*terms.indptr[list(own)])
            scratch[sums.terms.indices[whole]] = sums.terms.data[whole]
            looked_up[some] = scratch[terms.indices[some]]
            scratch[sums.terms.indices[whole]] = 0
        by_field = np.empty((self.fields, len(self)))
        by_field[:, order] = _by_field(terms, terms.data * looked_up)
        return np.concatenate([dense, by_field])

    def squares(self) -> Floats:
        """Return the squared length of every row, (views, n)."""
        dense = np.einsum("vnd,vnd->vn", self.dense, self.dense)
        return np.concatenate([dense, _by_field(self.terms, np.square(self.terms.data))])


class TermIndex:
    """Which rows have a term, for the inner products of many others with them.

    The product of two rows depends on these two, bit for bit, whatever is asked for beside it.
    """

    def __init__(self, rows: Rows) -> None:
        terms, count = rows.terms, len(rows)
        self._shape = rows.fields, count
        # Sparse products take time by the terms there could be; few of them are in use.
        self._place = np.full(terms.shape[1], -1, dtype=np.int32)
        self._place[terms.indices] = 0
        used = np.flatnonzero(self._place == 0)
        self._place[used] = np.arange(len(used))
        row = np.repeat(np.arange(count, dtype=np.int32), np.diff(terms.indptr))
        column = (terms.indices // BUCKETS) * np.int32(count) + row
        self._rows = csr_array(
            (terms.data, (self._place[terms.indices], column)),
            shape=(len(used), rows.fields * count),
        )

    def products(self, terms: csr_array) -> Floats:
        """Return the inner products of terms with all rows, (fields, n, m)."""
        place = self._place[terms.indices]
        known = place >= 0
        ends = np.concatenate([[0], np.cumsum(known)])[terms.indptr].astype(np.int32)
        compact = csr_array(
            (terms.data[known], place[known], ends), shape=(terms.shape[0], self._rows.shape[0])
        )
        found = (compact @ self._rows).toarray()
        return np.asarray(found.reshape(terms.shape[0], *self._shape).transpose(1, 0, 2))


class Reader:
    """Makes the rows of articles, by what is known of the stream when it is asked."""

    def __init__(self, views: Sequence[str], statistics: TermStatistics, *, unit: bool) -> None:
        self.views = tuple(views)
        self._statistics, self._unit = statistics, unit
        self._dense = [name for name in self.views if name in DENSE]
        self._fields = [FIELDS.index(name) for name in self.views if name in FIELDS]

    def rows(self, window: Window, chosen: Ints | slice, centre: Vectors) -> Rows:
        """Return articles of a window as they are compared."""
        return Rows(self._vectors(window, chosen, centre), self._terms(window, chosen))

    def _vectors(self, window: Window, chosen: Ints | slice, centre: Vectors) -> Floats:
        kinds = {
            LEARNED: (window.vectors, np.zeros_like(centre)),
            "headline": (window.openings[:, 0], centre),
            "opening": (window.openings[:, 1], centre),
        }
        shape = (len(self._dense), len(window.story[chosen]), len(centre))
        vectors = np.empty(shape)
        for view, name in zip(vectors, self._dense, strict=True):
            known, less = kinds[name]
            np.subtract(known[chosen], less, out=view, dtype=np.float64)
        if self._unit:
            lengths = np.sqrt(np.einsum("vnd,vnd->vn", vectors, vectors))
            vectors /= np.maximum(lengths, 1e-12)[:, :, None]
        return vectors

    def _terms(self, window: Window, chosen: Ints | slice) -> csr_array:
        if not self._fields:
            return csr_array((len(window.story[chosen]), 0))
        weighted = self._statistics.tfidf(window.terms[chosen])
        if len(self._fields) * BUCKETS == weighted.shape[1]:
            return weighted
        parts = [_field(weighted, field) for field in self._fields]
        return csr_array(hstack(parts, format="csr"))


def _field(terms: csr_array, field: int) -> csr_array:
    """Return the terms of one field."""
    within = terms.indices // BUCKETS == field
    ends = np.concatenate([[0], np.cumsum(within)])[terms.indptr]
    parts = (terms.data[within], terms.indices[within] - field * BUCKETS, ends)
    return csr_array(parts, shape=(terms.shape[0], BUCKETS))


def _by_field(terms: csr_array, values: Floats) -> Floats:
    """Return the sum of values, one a stored term, by field and row."""
    count, fields = terms.shape[0], terms.shape[1] // BUCKETS
    rows = np.repeat(np.arange(count), np.diff(terms.indptr))
    group = (terms.indices // BUCKETS) * count + rows
    sums = np.bincount(group, values, minlength=fields * count).astype(np.float64)
    return np.asarray(sums.reshape(fields, count))


def membership(story: Ints) -> tuple[Ints, csr_array]:
    """Return the stories of articles, and which articles each is made of."""
    decided = np.flatnonzero(story != UNDECIDED)
    ids, column = np.unique(story[decided], return_inverse=True)
    ones, places = np.ones(len(decided)), (column.astype(np.int32), decided.astype(np.int32))
    return ids, csr_array((ones, places), shape=(len(ids), len(story)))


def sizes_of(belongs: csr_array) -> Floats:
    """Return how many articles each story is made of, from what `membership` returned."""
    return np.diff(belongs.indptr).astype(np.float64)


def cosines(
    products: Floats, squares: Floats, others: Floats, least: Floats | float = 0.0
) -> Floats:
    """Return cosines from inner products; a vector of no length is similar to nothing.

    The squared lengths of the others count as `least` where they are less.
    """
    lengths = np.sqrt(squares * np.maximum(others, least))
    usable = lengths > 1e-12
    return np.clip(np.divide(products, lengths, out=np.zeros_like(products), where=usable), -1, 1)
