"""Near-duplicates: the same report again, under another headline or byline.

Two texts are compared by their shingles (runs of words). Articles that might be the same are found
by a few keys that near-identical texts share and others rarely do; whether they are is then looked
at in full. A different report of the same event shares quotes, not most of its text.
"""

import re
from collections.abc import Iterable
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

SHINGLE = 4
"""Words in a shingle."""
SAME = 0.75
"""The share of all shingles of two texts that both must have."""
SHORT = 30
"""Words below which two texts must be equal, and their titles too."""
BANDS, ROWS = 12, 3
"""Two texts that share `SAME` of their shingles share a key in 998 of 1,000 cases."""

_WORD = re.compile(r"[^\W_]+")
_rng = np.random.default_rng(20260302)
_FACTORS = 2 * _rng.integers(2**63, size=(BANDS * ROWS, 1), dtype=np.uint64) + 1
_MIX = 2 * _rng.integers(2**63, size=ROWS, dtype=np.uint64) + 1


def text_keys(title: str, text: str) -> tuple[int, ...]:
    """Return keys of which near-identical articles have at least one in common.

    >>> body = " ".join(f"word{n}" for n in range(60))
    >>> shared = set(text_keys("A", body)) & set(text_keys("B", body + " one more"))
    >>> len(shared) > 0
    True
    """
    words = _words(text)
    if len(words) < SHORT:
        return (_hash(" ".join([*_words(title), "|", *words])) - 2**63,)
    hashes = np.fromiter((_hash(s) for s in _shingles(words)), dtype=np.uint64)
    # The high bits of a product with an odd number are a hash of their own for every factor.
    mixed = hashes ^ (hashes >> np.uint64(31))
    least: NDArray[np.uint64] = (mixed[None, :] * _FACTORS).min(axis=1).reshape(BANDS, ROWS)
    keys = (least * _MIX).sum(axis=1, dtype=np.uint64) + np.arange(BANDS, dtype=np.uint64)
    return tuple(keys.astype(np.int64).tolist())


def is_duplicate(title: str, text: str, of_title: str, of_text: str) -> bool:
    """Say whether an article is another once more.

    >>> is_duplicate("Flood", "The river rose.", "Flood", "The river  rose!")
    True
    >>> is_duplicate("Flood", "The river rose.", "Drought", "The river rose.")
    False
    """
    words, others = _words(text), _words(of_text)
    if min(len(words), len(others)) < SHORT:
        return words == others and _words(title) == _words(of_title)
    return (
        _overlap(_shingles(words), _shingles(others)) >= SAME
        # Reports made from one mould (results, weather) differ in their numbers.
        and _overlap(_numbers(words), _numbers(others)) >= SAME
    )


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _shingles(words: list[str]) -> set[str]:
    return {" ".join(words[i : i + SHINGLE]) for i in range(len(words) - SHINGLE + 1)}


def _numbers(words: Iterable[str]) -> set[str]:
    return {word for word in words if word[0].isdecimal()}


def _overlap(one: set[str], other: set[str]) -> float:
    either = one | other
    return len(one & other) / len(either) if either else 1.0


def _hash(value: str) -> int:
    return int.from_bytes(blake2b(value.encode("utf-8", "replace"), digest_size=8).digest())
