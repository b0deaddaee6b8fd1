"""Terms, and how common each has been in the stream so far."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack

BUCKETS = 1 << 18
"""Terms are counted by hash, so that memory does not grow with the stream."""

_TERM = re.compile(r"[^\W_]+(?:['’.,-][^\W_]+)*")

STOP_WORDS = frozenset((files("scstory.text") / "stopwords.txt").read_text("utf-8").split())


def terms(text: str) -> list[str]:
    """Return the words and numbers of a text, lower-case, without the commonest words.

    >>> terms("The river Alder's level hit 6.2 metres, said Ms. Lanning.")
    ['river', 'alder', 'level', 'hit', '6.2', 'metres', 'lanning']
    """
    words = (word.removesuffix("'s").removesuffix("’s") for word in _TERM.findall(text.lower()))
    return [
        word for word in words if word not in STOP_WORDS and (len(word) > 1 or word.isdecimal())
    ]


@lru_cache(maxsize=1 << 14)
def bucket(term: str) -> int:
    """Return the number a term is counted under, the same in every process."""
    digest = blake2b(term.encode("utf-8", "replace"), digest_size=4).digest()
    return int.from_bytes(digest, "little") % BUCKETS


def term_counts(documents: Sequence[Sequence[str]]) -> csr_array:
    """Return how often each document has each term, one row a document, one column a bucket."""
    tallies = [Counter(bucket(term) for term in document) for document in documents]
    ends = np.cumsum([0, *(len(tally) for tally in tallies)])
    columns = np.array([column for tally in tallies for column in tally], dtype=np.int64)
    values = np.array([n for tally in tallies for n in tally.values()], dtype=np.float64)
    return csr_array((values, columns, ends), shape=(len(documents), BUCKETS))


def field_counts(documents: Sequence[Sequence[Sequence[str]]], fields: int) -> csr_array:
    """Return term counts of documents that have several fields, the fields side by side."""
    columns = [[document[field] for document in documents] for field in range(fields)]
    return csr_array(hstack([term_counts(column) for column in columns], format="csr"))


def _row_of(matrix: csr_array) -> NDArray[np.int64]:
    """Return the row of each stored value."""
    return np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))


class TermStatistics:
    """Document frequencies of the stream so far, and TF-IDF vectors by them.

    Documents may have several fields, as `field_counts` makes them; `idf` speaks of the first.

    >>> statistics = TermStatistics()
    >>> statistics.update(term_counts([["river", "flood"], ["river", "trial"]]))
    >>> statistics.idf("river") < statistics.idf("trial") < statistics.idf("comet")
    True
    """

    def __init__(self, fields: int = 1) -> None:
        self.documents = 0
        self._fields = fields
        self._frequency = np.zeros(fields * BUCKETS, dtype=np.uint32)

    def update(self, counts: csr_array) -> None:
        """Count the documents that `term_counts` was made of, each term once a document."""
        self.documents += counts.shape[0]
        self._frequency += np.bincount(counts.indices, minlength=len(self._frequency)).astype(
            np.uint32
        )

    def idf(self, term: str) -> float:
        """Return how telling a term is: high when few documents so far had it."""
        return float(self._idf(np.array([bucket(term)]))[0])

    def tfidf(self, counts: csr_array) -> csr_array:
        """Return counts weighted by idf, each row of unit length in each field."""
        data = (1 + np.log(counts.data)) * self._idf(counts.indices)
        group = _row_of(counts) * self._fields + counts.indices // BUCKETS
        norms = np.sqrt(np.bincount(group, data**2, minlength=counts.shape[0] * self._fields))
        data /= np.maximum(norms, 1e-12)[group]
        return csr_array((data, counts.indices, counts.indptr), shape=counts.shape)

    def _idf(self, ids: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
        seen: NDArray[np.float64] = self._frequency[ids].astype(np.float64)
        return np.log((1 + self.documents) / (1 + seen)) + 1

    def state(self) -> tuple[int, NDArray[np.int64], NDArray[np.uint32]]:
        """Return the number of documents, the buckets in use and their counts."""
        used = np.flatnonzero(self._frequency)
        return self.documents, used, self._frequency[used]

    def restore(self, documents: int, used: NDArray[np.int64], counts: NDArray[np.uint32]) -> None:
        """Go back to what `state` returned."""
        self.documents = documents
        self._frequency[:] = 0
        self._frequency[used] = counts
