"""Sentence vectors in memory: wire copy and boilerplate are encoded once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from hashlib import blake2b
from threading import Lock

import numpy as np

from scstory.types import Vectors
from scstory.vectors.encoder import Encoder

LIMIT = 20_000
"""Vectors kept: 30 MB at 384 dimensions."""


def sentence_key(sentence: str) -> bytes:
    """Return what a sentence is known by in caches."""
    return blake2b(sentence.encode("utf-8", "replace"), digest_size=16).digest()


class RememberingEncoder:
    """An encoder that encodes equal sentences once and remembers the ones used last."""

    def __init__(self, encoder: Encoder, *, limit: int = LIMIT) -> None:
        self._encoder, self._limit = encoder, limit
        self.name, self.dim = encoder.name, encoder.dim
        self.fingerprint = getattr(encoder, "fingerprint", "")
        self._recent: OrderedDict[bytes, Vectors] = OrderedDict()
        self._lock = Lock()

    def encode(self, sentences: Sequence[str]) -> Vectors:
        """Return the vectors, those remembered from memory, the others encoded."""
        keys = [sentence_key(sentence) for sentence in sentences]
        unique = dict(zip(keys, sentences, strict=True))
        with self._lock:
            found = {key: self._recent[key] for key in unique if key in self._recent}
        missing = [key for key in unique if key not in found]
        if missing:
            fresh = self._encoder.encode([unique[key] for key in missing])
            found.update(zip(missing, fresh, strict=True))
        self._remember(found)
        if not keys:
            return np.empty((0, self.dim), dtype=np.float32)
        return np.stack([found[key] for key in keys])

    def _remember(self, found: dict[bytes, Vectors]) -> None:
        with self._lock:
            for key, vector in found.items():
                if key not in self._recent:
                    self._recent[key] = vector.copy()  # not a view that keeps a whole batch alive
                self._recent.move_to_end(key)
            while len(self._recent) > self._limit:
                self._recent.popitem(last=False)
