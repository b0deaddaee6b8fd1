"""Terms, and how common each has been in the stream so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from scstory.text.hashed import hashes
from scstory.text.language import ENGLISH
from scstory.text.languages import profile_of

if TYPE_CHECKING:  # SciPy is imported where it is used: listing stories needs none of it
    from scipy.sparse import csr_array

BUCKETS = 1 << 18
"""Terms are counted in hash buckets, so that memory does not grow with the stream."""


def terms(text: str, language: str = ENGLISH) -> list[str]:
    """Return the words and numbers of a text, lower-case, without the commonest words.

    >>> terms("The river Alder's level hit 6.2 metres, said Ms. Lanning.")
    ['river', 'alder', 'level', 'hit', '6.2', 'metres', 'lanning']
    """
    return profile_of(language).terms(text)


def term_counts(documents: Sequence[Sequence[str]]) -> csr_array:
    """Return how often each document has each term: a row per document, a column per bucket."""
    buckets = [hashes(document).astype(np.int64) % BUCKETS for document in documents]
    found = [np.unique(part, return_counts=True) for part in buckets]
    return stack_counts([(part.astype(np.int32), n) for part, n in found], BUCKETS)


def stack_counts(rows: Sequence[tuple[NDArray[np.int32], NDArray[Any]]], width: int) -> csr_array:
    """Return rows of columns and counts as one matrix."""
    from scipy.sparse import csr_array

    ends = np.cumsum([0, *(len(columns) for columns, _ in rows)], dtype=np.int32)
    columns = np.concatenate([*(part for part, _ in rows), np.empty(0, dtype=np.int32)])
    counts = np.concatenate([*(part for _, part in rows), np.empty(0)]).astype(np.float64)
    return csr_array((counts, columns, ends), shape=(len(rows), width))


def field_of(terms: csr_array, field: int) -> csr_array:
    """Return the columns of one field of a term table."""
    from scipy.sparse import csr_array

    within = terms.indices // BUCKETS == field
    ends = np.concatenate([[0], np.cumsum(within)])[terms.indptr]
    parts = (terms.data[within], terms.indices[within] - field * BUCKETS, ends)
    return csr_array(parts, shape=(terms.shape[0], BUCKETS))


def _row_of(matrix: csr_array) -> NDArray[np.int64]:
    """Return the row of each stored value."""
    return np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))


class TermStatistics:
    """Document frequencies of the stream so far, and TF-IDF vectors by them.

    Documents may have several fields, side by side in the term table; `idf` is that of the first.

    >>> statistics = TermStatistics()
    >>> statistics.update(term_counts([["river", "flood"], ["river", "trial"]]))
    >>> statistics.idf("river") < statistics.idf("trial") < statistics.idf("comet")
    True
    """

    def __init__(self, fields: int = 1) -> None:
        self.documents = 0.0
        self._fields = fields
        self._frequency = np.zeros(fields * BUCKETS)
        self._log_frequency = np.zeros(fields * BUCKETS)
        """The logarithm of one more than each."""

    def update(self, counts: csr_array, weights: NDArray[np.float64] | None = None) -> None:
        """Count the documents that `term_counts` was made of, each term once a document.

        `weights` say how much each document counts, 1 unless given.
        """
        weights = np.ones(counts.shape[0]) if weights is None else weights
        self.documents += float(weights.sum())
        found, place = np.unique(counts.indices, return_inverse=True)
        times = np.bincount(place, weights[_row_of(counts)], minlength=len(found))
        self._set(found, self._frequency[found] + times)

    def idf(self, term: str) -> float:
        """Return how telling a term is: high when few documents so far had it."""
        return self.idf_of([term])[0]

    def idf_of(self, terms: Sequence[str]) -> list[float]:
        """Return how telling each of some terms is."""
        return list(self._idf(hashes(terms).astype(np.int64) % BUCKETS).tolist())

    def idf_at(
        self, columns: NDArray[np.int32], documents: NDArray[np.float64] | float | None = None
    ) -> NDArray[np.float64]:
        """Return how telling the terms of some columns are.

        `documents` says how many documents there were that could have them, such as those of a
        language; all unless given.
        """
        if documents is None:
            return self._idf(columns)
        known = np.log1p(documents) - self._log_frequency[columns]
        return np.asarray(np.maximum(known, 0) + 1)

    def tfidf(self, counts: csr_array, documents: NDArray[np.float64] | None = None) -> csr_array:
        """Return counts weighted by idf, each row of unit length in each field.

        `documents` says for each row how many documents there were that could have its terms, such
        as those of its language; all unless given.
        """
        from scipy.sparse import csr_array

        # 1 + log n, and a straight line below 1, where a sentence's weight makes less than one use
        data = np.where(counts.data < 1, counts.data, 1 + np.log(np.maximum(counts.data, 1)))
        of_term = None if documents is None else documents[_row_of(counts)]
        data *= self.idf_at(counts.indices, of_term)
        group = _row_of(counts) * self._fields + counts.indices // BUCKETS
        norms = np.sqrt(np.bincount(group, data**2, minlength=counts.shape[0] * self._fields))
        data /= np.maximum(norms, 1e-12)[group]
        return csr_array((data, counts.indices, counts.indptr), shape=counts.shape)

    def _idf(self, ids: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
        """Return log (1 + documents) / (1 + frequency) + 1."""
        return np.asarray(np.log1p(self.documents) + 1 - self._log_frequency[ids])

    def _set(self, ids: NDArray[np.integer[Any]], frequency: NDArray[np.float64]) -> None:
        self._frequency[ids] = frequency
        self._log_frequency[ids] = np.log1p(frequency)

    def state(self) -> tuple[float, NDArray[np.int64], NDArray[np.float64]]:
        """Return the number of documents, the buckets in use and their counts."""
        used = np.flatnonzero(self._frequency)
        return self.documents, used, self._frequency[used]

    def restore(
        self, documents: float, used: NDArray[np.int64], counts: NDArray[np.float64]
    ) -> None:
        """Go back to what `state` returned."""
        self.documents = documents
        self._frequency[:], self._log_frequency[:] = 0, 0
        self._set(used, counts)
