"""Terms, and how common each has been in the stream so far."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

BUCKETS = 1 << 18
"""Terms are counted by hash, so that memory does not grow with the stream."""

Hashes = NDArray[np.uint64]
"""Terms as numbers; two of them share one but rarely."""

LONG = 64
"""Letters from which on a word is not remembered: a text without spaces is one word."""

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
    """The term it stands for; nothing if it is one of the commonest."""
    hash: int
    """The hash of that; negative if there is none."""


def look_up(word: str) -> Word:
    """Read a word."""
    return _known_word(word) if len(word) <= LONG else _read_word(word)


def _read_word(word: str) -> Word:
    term = without_possessive(word.lower())
    told = term not in STOP_WORDS and (len(term) > 1 or term.isdecimal())
    return Word(term, _hash(term)) if told else Word("", -1)


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
    return _known_hash(term) if len(term) <= LONG else _digest(term)


def _digest(term: str) -> int:
    digest = blake2b(term.encode("utf-8", "replace"), digest_size=4).digest()
    return int.from_bytes(digest, "little")


_known_hash = lru_cache(maxsize=1 << 14)(_digest)


def term_counts(documents: Sequence[Sequence[str]]) -> csr_array:
    """Return how often each document has each term, one row a document, one column a bucket."""
    return field_counts([[hashes(document)] for document in documents], 1)


def field_counts(documents: Sequence[Sequence[Hashes]], fields: int) -> csr_array:
    """Return how often documents have the terms of several fields, the fields side by side."""
    parts = [part for document in documents for part in document]
    places = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    buckets = np.concatenate([*parts, _NO_HASHES]).astype(np.int64) % BUCKETS
    # Rows have their fields one after the other, so the place tells the row as well.
    found, counts = np.unique(places * BUCKETS + buckets, return_counts=True)
    row, column = np.divmod(found, fields * BUCKETS)
    ends = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(documents)))])
    shape = (len(documents), fields * BUCKETS)
    index = column.astype(np.int32), ends.astype(np.int32)
    return csr_array((counts.astype(np.float64), *index), shape=shape)


_NO_HASHES: Hashes = np.empty(0, dtype=np.uint64)


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
        self._log_frequency = np.zeros(fields * BUCKETS)
        """The logarithm of one more than each."""

    def update(self, counts: csr_array) -> None:
        """Count the documents that `term_counts` was made of, each term once a document."""
        self.documents += counts.shape[0]
        found, times = np.unique(counts.indices, return_counts=True)
        self._set(found, self._frequency[found] + times.astype(np.uint32))

    def idf(self, term: str) -> float:
        """Return how telling a term is: high when few documents so far had it."""
        return self.idf_of([term])[0]

    def idf_of(self, terms: Sequence[str]) -> list[float]:
        """Return how telling each of some terms is."""
        return list(self._idf(hashes(terms).astype(np.int64) % BUCKETS).tolist())

    def tfidf(self, counts: csr_array) -> csr_array:
        """Return counts weighted by idf, each row of unit length in each field."""
        data = (1 + np.log(counts.data)) * self._idf(counts.indices)
        group = _row_of(counts) * self._fields + counts.indices // BUCKETS
        norms = np.sqrt(np.bincount(group, data**2, minlength=counts.shape[0] * self._fields))
        data /= np.maximum(norms, 1e-12)[group]
        return csr_array((data, counts.indices, counts.indptr), shape=counts.shape)

    def _idf(self, ids: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
        """Return log (1 + documents) / (1 + frequency) + 1."""
        return np.asarray(np.log1p(self.documents) + 1 - self._log_frequency[ids])

    def _set(self, ids: NDArray[np.integer[Any]], frequency: NDArray[np.uint32]) -> None:
        self._frequency[ids] = frequency
        self._log_frequency[ids] = np.log1p(frequency.astype(np.float64))

    def state(self) -> tuple[int, NDArray[np.int64], NDArray[np.uint32]]:
        """Return the number of documents, the buckets in use and their counts."""
        used = np.flatnonzero(self._frequency)
        return self.documents, used, self._frequency[used]

    def restore(self, documents: int, used: NDArray[np.int64], counts: NDArray[np.uint32]) -> None:
        """Go back to what `state` returned."""
        self.documents = documents
        self._frequency[:], self._log_frequency[:] = 0, 0
        self._set(used, counts)
