"""Terms, and how common each has been in the stream so far."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:  # SciPy is imported where it is used: listing stories needs none of it
    from scipy.sparse import csr_array

BUCKETS = 1 << 18
"""Terms are counted in hash buckets, so that memory does not grow with the stream."""

Hashes = NDArray[np.uint64]
"""Terms as numbers; two terms rarely have the same."""

MAX_CACHED = 64
"""Letters of the longest word that is cached: a text without spaces is one word."""

_TERM = re.compile(r"[^\W_]+(?:['’.,-][^\W_]+)*")

STOP_WORDS = frozenset((files("scstory.text") / "stopwords.txt").read_text("utf-8").split())


def terms(text: str) -> list[str]:
    """Return the words and numbers of a text, lower-case, without the commonest words.

    >>> terms("The river Alder's level hit 6.2 metres, said Ms. Lanning.")
    ['river', 'alder', 'level', 'hit', '6.2', 'metres', 'lanning']
    """
    return [term for word in words(text) if (term := look_up(word).term)]


def words(text: str) -> list[str]:
    """Return all words and numbers of a text, as they are written."""
    return _TERM.findall(text)


class Word(NamedTuple):
    """A word as it is written, read."""

    term: str
    """The term it stands for; empty for one of the most common words."""
    hash: int
    """The hash of that; negative if there is none."""


def look_up(word: str) -> Word:
    """Read a word."""
    return _known_word(word) if len(word) <= MAX_CACHED else _read_word(word)


def _read_word(word: str) -> Word:
    term = without_possessive(word.lower())
    counts = term not in STOP_WORDS and (len(term) > 1 or term.isdecimal())
    return Word(term, _hash(term)) if counts else Word("", -1)


_known_word = lru_cache(maxsize=1 << 16)(_read_word)


def without_possessive(word: str) -> str:
    """Return a word without its ’s.

    >>> without_possessive("Alder's"), without_possessive("boats")
    ('Alder', 'boats')
    """
    return word.removesuffix("'s").removesuffix("’s") if word.endswith("s") else word


def hashes(found: Sequence[str]) -> Hashes:
    """Return terms as numbers of 32 bits, the same in every process."""
    return np.fromiter(map(_hash, found), dtype=np.uint64, count=len(found))


def pair_hashes(single: Hashes) -> Hashes:
    """Return a number for each two terms that follow each other, of their hashes."""
    mixed = single[:-1] * _ODD + single[1:]
    return np.asarray(((mixed ^ (mixed >> np.uint64(29))) * _ODDER) >> np.uint64(32))


_ODD, _ODDER = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)


def _hash(term: str) -> int:
    return _known_hash(term) if len(term) <= MAX_CACHED else _digest(term)


def _digest(term: str) -> int:
    digest = blake2b(term.encode("utf-8", "replace"), digest_size=4).digest()
    return int.from_bytes(digest, "little")


_known_hash = lru_cache(maxsize=1 << 14)(_digest)


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
