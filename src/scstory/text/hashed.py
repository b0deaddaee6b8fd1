"""Terms as numbers: what texts are compared by."""

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]
"""Terms as numbers; two terms rarely have the same."""

MAX_CACHED = 64
"""Letters of the longest word that is cached: a text without spaces is one word."""


class Word(NamedTuple):
    """A word as it is written, read."""

    term: str
    """The term it stands for; empty for one of the most common words."""
    hash: int
    """The hash of that; negative if there is none."""


def hashes(found: Sequence[str]) -> Hashes:
    """Return terms as numbers of 32 bits, the same in every process."""
    return np.fromiter(map(hash_of, found), dtype=np.uint64, count=len(found))


def pair_hashes(single: Hashes) -> Hashes:
    """Return a number for each two terms that follow each other, of their hashes."""
    mixed = single[:-1] * _ODD + single[1:]
    return np.asarray(((mixed ^ (mixed >> np.uint64(29))) * _ODDER) >> np.uint64(32))


_ODD, _ODDER = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)


def hash_of(term: str) -> int:
    """Return a term as a number."""
    return _known_hash(term) if len(term) <= MAX_CACHED else _digest(term)


def _digest(term: str) -> int:
    digest = blake2b(term.encode("utf-8", "replace"), digest_size=4).digest()
    return int.from_bytes(digest, "little")


_known_hash = lru_cache(maxsize=1 << 14)(_digest)
