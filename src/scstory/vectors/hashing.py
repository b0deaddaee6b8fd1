"""A deterministic encoder without a model: every word is a fixed pseudo-random direction."""

import re
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np

from scstory.errors import ConfigError
from scstory.types import Vectors

_WORD = re.compile(r"\w+")


class HashingEncoder:
    """Sentences that share words are similar; nothing else is.

    For tests and for machines where no model may run.

    >>> encoder = HashingEncoder(dim=64)
    >>> a, b, c = encoder.encode(["the river rose", "the river fell", "shares slid"])
    >>> float(a @ b) > float(a @ c)
    True
    """

    def __init__(self, *, dim: int = 256) -> None:
        self.dim = dim
        self.name = f"hashing:{dim}"
        self._direction = lru_cache(maxsize=65536)(self._make_direction)

    def encode(self, sentences: Sequence[str]) -> Vectors:
        """Return the normalised sum of each sentence's word directions."""
        out = np.zeros((len(sentences), self.dim), dtype=np.float32)
        for row, sentence in zip(out, sentences, strict=True):
            for word in _WORD.findall(sentence.lower()) or [sentence]:
                row += self._direction(word)
            row /= max(float(np.linalg.norm(row)), 1e-12)
        return out

    def _make_direction(self, word: str) -> Vectors:
        seed = int.from_bytes(blake2b(word.encode("utf-8", "replace"), digest_size=8).digest())
        return np.random.default_rng(seed).standard_normal(self.dim, dtype=np.float32)


def make_hashing(argument: str, *, threads: int | None, device: str | None) -> HashingEncoder:
    """Return the encoder of `hashing:DIM`, by default of 256 dimensions."""
    dim = argument or "256"
    if not dim.isdecimal() or int(dim) < 1:
        raise ConfigError(
            f"encoder 'hashing:{dim}': the dimension after 'hashing:' must be a whole number "
            "of at least 1, as in hashing:256"
        )
    return HashingEncoder(dim=int(dim))
