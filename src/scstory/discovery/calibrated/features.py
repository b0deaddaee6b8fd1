"""Features: the vectors of several kinds that articles and stories are compared by.

`learned` is R, what M makes of the sentences; `headline` and `opening` are sentence vectors without
M, of the first sentence and of the first few; the others are TF-IDF vectors of the fields of the
text. A story is the sum of its articles' features.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.sparse import csr_array, hstack

from scstory.discovery.calibrated.names import DENSE, LEARNED, SOUNDS
from scstory.discovery.window import Floats, Ints, Window
from scstory.text import BUCKETS, FIELDS, TermStatistics, field_of
from scstory.types import Vectors


@dataclass(frozen=True, slots=True)
class Features:
    """Articles or stories as they are compared, one per row."""

    dense: Floats
    """Vectors, (dense features, n, dim)."""
    terms: csr_array
    """TF-IDF vectors, (n, fields × BUCKETS), the fields side by side."""
    language: Ints
    """The code of the language of each row."""

    def __len__(self) -> int:
        return int(self.dense.shape[1])

    def __getitem__(self, chosen: Ints | slice) -> Features:
        return Features(self.dense[:, chosen], self.terms[chosen], self.language[chosen])

    @property
    def fields(self) -> int:
        """How many fields the terms are of."""
        return int(self.terms.shape[1]) // BUCKETS

    def summed(self, members: csr_array) -> Features:
        """Return sums of rows of one language; `members` says which rows each is the sum of."""
        dense = np.stack([members @ view for view in self.dense])
        # The cost of a sparse product grows with the number of columns; few of them are in use.
        used = np.zeros(self.terms.shape[1], dtype=bool)
        used[self.terms.indices] = True
        place = np.cumsum(used, dtype=np.int32) - 1
        columns = np.flatnonzero(used).astype(np.int32)
        compact = csr_array(
            (self.terms.data, place[self.terms.indices], self.terms.indptr),
            shape=(len(self), len(columns)),
        )
        sums = csr_array(members @ compact)
        shape = (sums.shape[0], self.terms.shape[1])
        terms = csr_array((sums.data, columns[sums.indices], sums.indptr), shape=shape)
        language, some = (
            np.zeros(len(terms.indptr) - 1, dtype=np.int64),
            np.diff(members.indptr) > 0,
        )
        language[some] = self.language[members.indices[members.indptr[:-1][some]]]
        return Features(dense, terms, language)

    def products_with(self, sums: Features, column: Ints) -> Floats:
        """Return the inner product of each row with one of the sums, (features, n)."""
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
        """Return the squared length of every row, (features, n)."""
        dense = np.einsum("vnd,vnd->vn", self.dense, self.dense)
        return np.concatenate([dense, _by_field(self.terms, np.square(self.terms.data))])


class TermIndex:
    """Which rows have a term, for the inner products of many others with them.

    The product of two rows depends on these two, bit for bit, whatever is asked for beside it.
    """

    def __init__(self, rows: Features) -> None:
        terms, count = rows.terms, len(rows)
        self._shape = rows.fields, count
        # The cost of a sparse product grows with the number of columns; few of them are in use.
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


class FeatureReader:
    """Computes the features of articles from what is known of the stream at the moment."""

    def __init__(self, features: Sequence[str]) -> None:
        self._dense = [name for name in features if name in DENSE]
        self._fields = [
            FIELDS.index(name) for name in features if name in FIELDS and name != SOUNDS
        ]
        self._sounds = SOUNDS in features

    @property
    def fields(self) -> int:
        """How many features are of terms."""
        return len(self._fields) + self._sounds

    @property
    def kinds(self) -> int:
        """How many features are vectors."""
        return len(self._dense)

    def read(
        self,
        window: Window,
        chosen: Ints | slice,
        *,
        centre: Vectors,
        statistics: TermStatistics,
        documents: Floats | None = None,
    ) -> Features:
        """Return the features of some of the window's articles.

        `centre` is subtracted from vectors: one for all, or a row for each of the articles.
        `documents` says for each of them how many there were in its language; all unless given.
        """
        vectors = self._vectors(window, chosen, centre)
        language = window["language"][chosen]
        return Features(vectors, self._terms(window, chosen, statistics, documents), language)

    def _vectors(self, window: Window, chosen: Ints | slice, centre: Vectors) -> Floats:
        kinds = {
            LEARNED: (window["vectors"], np.zeros_like(centre)),
            "headline": (window["openings"][:, 0], centre),
            "opening": (window["openings"][:, 1], centre),
        }
        shape = (len(self._dense), len(window.story[chosen]), centre.shape[-1])
        vectors = np.empty(shape)
        for feature, name in zip(vectors, self._dense, strict=True):
            known, less = kinds[name]
            np.subtract(known[chosen], less, out=feature, dtype=np.float64)
        lengths = np.sqrt(np.einsum("vnd,vnd->vn", vectors, vectors))
        vectors /= np.maximum(lengths, 1e-12)[:, :, None]
        return vectors

    def _terms(
        self,
        window: Window,
        chosen: Ints | slice,
        statistics: TermStatistics,
        documents: Floats | None,
    ) -> csr_array:
        if not self.fields:
            return csr_array((len(window.story[chosen]), 0))
        counts = window.term_table("weighted_counts", chosen)
        weighted = statistics.tfidf(_part(counts, sounds=False), documents)
        sounds = []
        if self._sounds:  # those of any language, so they are as telling as in all articles
            every = statistics.tfidf(_part(counts, sounds=True))
            sounds = [field_of(every, FIELDS.index(SOUNDS))]
        if len(self._fields) * BUCKETS == weighted.shape[1]:
            return csr_array(hstack([weighted, *sounds], format="csr")) if sounds else weighted
        parts = [field_of(weighted, field) for field in self._fields]
        return csr_array(hstack([*parts, *sounds], format="csr"))


def _by_field(terms: csr_array, values: Floats) -> Floats:
    """Return the sums of values, one for each stored term, by field and row."""
    count, fields = terms.shape[0], terms.shape[1] // BUCKETS
    rows = np.repeat(np.arange(count), np.diff(terms.indptr))
    group = (terms.indices // BUCKETS) * count + rows
    sums = np.bincount(group, values, minlength=fields * count).astype(np.float64)
    return np.asarray(sums.reshape(fields, count))


def pair_cosines(rows: Features) -> Floats:
    """Return the cosines of articles, two by two, (features, n, n)."""
    dense = rows.dense @ rows.dense.transpose(0, 2, 1)
    fields = [field_of(rows.terms, n) for n in range(rows.fields)]
    terms = [(some @ some.T).toarray() for some in fields]
    return np.stack([*dense, *terms])


def _part(terms: csr_array, *, sounds: bool) -> csr_array:
    """Return the last field of a term table, which is that of sounds, or all before it."""
    first = FIELDS.index(SOUNDS) * BUCKETS
    chosen = (terms.indices >= first) == sounds
    ends = np.concatenate([[0], np.cumsum(chosen)])[terms.indptr].astype(np.int32)
    width = terms.shape[1] if sounds else first
    parts = (terms.data[chosen], terms.indices[chosen], ends)
    return csr_array(parts, shape=(terms.shape[0], width))
