"""Sentence vectors that are computed once: wire copy and boilerplate come again and again."""

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from threading import Lock
from typing import Protocol

import numpy as np

from scstory.types import Vectors
from scstory.vectors.auto_encoder import served_languages
from scstory.vectors.encoder import Encoder

MEMORY_CACHE_VECTORS = 20_000
"""The most vectors that the memory cache holds: 30 MB at 384 dimensions."""


class VectorCache(Protocol):
    """A store of vectors by the hash of their sentence."""

    def look_up(self, keys: Iterable[bytes]) -> dict[bytes, Vectors]:
        """Return the vectors of those keys that are there."""

    def store(self, vectors: Mapping[bytes, Vectors]) -> None:
        """Add vectors."""


class CachedEncoder:
    """An encoder that encodes equal sentences once and looks vectors up in a cache first."""

    def __init__(self, encoder: Encoder, cache: VectorCache) -> None:
        self.name, self.dim = encoder.name, encoder.dim
        self.fingerprint = getattr(encoder, "fingerprint", "")
        self.languages = served_languages(encoder)
        self._encoder, self._cache = encoder, cache

    def encode(self, sentences: Sequence[str]) -> Vectors:
        """Return the vectors: from the cache where they are there, else encoded and stored."""
        if not sentences:
            return np.empty((0, self.dim), dtype=np.float32)
        keys = [_key(sentence) for sentence in sentences]
        unique = dict(zip(keys, sentences, strict=True))
        found = self._cache.look_up(unique)
        if missing := [key for key in unique if key not in found]:
            encoded = self._encoder.encode([unique[key] for key in missing])
            fresh = dict(zip(missing, encoded, strict=True))
            self._cache.store(fresh)
            found |= fresh
        return np.stack([found[key] for key in keys])


class MemoryVectorCache:
    """The vectors used last. An OrderedDict does what cachetools would, without a dependency."""

    def __init__(self, limit: int = MEMORY_CACHE_VECTORS) -> None:
        self._limit = limit
        self._vectors: OrderedDict[bytes, Vectors] = OrderedDict()
        self._lock = Lock()

    def look_up(self, keys: Iterable[bytes]) -> dict[bytes, Vectors]:
        """Return the vectors of those keys that are there, which makes them the last used."""
        with self._lock:
            found = {key: self._vectors[key] for key in keys if key in self._vectors}
            for key in found:
                self._vectors.move_to_end(key)
        return found

    def store(self, vectors: Mapping[bytes, Vectors]) -> None:
        """Add vectors; those used least recently leave."""
        with self._lock:
            for key, vector in vectors.items():
                self._vectors[key] = vector.copy()  # a view would keep its whole batch alive
            while len(self._vectors) > self._limit:
                self._vectors.popitem(last=False)


def memory_cached(encoder: Encoder, *, limit: int = MEMORY_CACHE_VECTORS) -> CachedEncoder:
    """Return an encoder whose latest vectors stay in memory."""
    return CachedEncoder(encoder, MemoryVectorCache(limit))


def _key(sentence: str) -> bytes:
    return blake2b(sentence.encode("utf-8", "replace"), digest_size=16).digest()
