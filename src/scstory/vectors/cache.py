"""Sentence vectors on disk, so that a stream is encoded once however often it is measured.

One SQLite file an encoder, keyed by the sentence's hash. Safe when several processes use it.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np

from scstory.errors import EncoderError
from scstory.types import Vectors
from scstory.vectors.encoder import Encoder

LOOK_UP = 500
"""Keys asked for at a time; SQLite limits the variables of a statement."""


def cache_folder() -> Path:
    """Return where caches are kept: SCSTORY_CACHE, or the user's cache folder."""
    if named := os.environ.get("SCSTORY_CACHE"):
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "scstory"


class CachedEncoder:
    """An encoder that remembers, on disk, what it has encoded."""

    def __init__(self, encoder: Encoder, *, folder: Path | None = None) -> None:
        self._encoder = encoder
        self.name, self.dim = encoder.name, encoder.dim
        folder = folder or cache_folder()
        file = folder / f"{re.sub(r'[^A-Za-z0-9.-]+', '_', encoder.name)}.vectors.db"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(file, timeout=60, isolation_level=None)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.execute(
                "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL)"
            )
        except (OSError, sqlite3.Error) as error:
            raise EncoderError(
                f"vector cache {file}: cannot be used ({error}); set SCSTORY_CACHE to a folder "
                "that can be written"
            ) from error

    def encode(self, sentences: Sequence[str]) -> Vectors:
        """Return the vectors, those already known from disk, the others encoded and kept."""
        keys = [blake2b(s.encode("utf-8", "replace"), digest_size=16).digest() for s in sentences]
        found = self._look_up(list(dict.fromkeys(keys)))
        missing = {key: s for key, s in zip(keys, sentences, strict=True) if key not in found}
        if missing:
            fresh = self._encoder.encode(list(missing.values()))
            found.update(zip(missing, fresh, strict=True))
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany(
                "INSERT OR IGNORE INTO vectors VALUES (?, ?)",
                [(key, found[key].tobytes()) for key in missing],
            )
            self._db.execute("COMMIT")
        if not keys:
            return np.empty((0, self.dim), dtype=np.float32)
        return np.stack([found[key] for key in keys])

    def _look_up(self, keys: list[bytes]) -> dict[bytes, Vectors]:
        found: dict[bytes, Vectors] = {}
        for start in range(0, len(keys), LOOK_UP):
            some = keys[start : start + LOOK_UP]
            marks = ",".join("?" * len(some))
            for key, vector in self._db.execute(
                f"SELECT key, vector FROM vectors WHERE key IN ({marks})", some
            ):
                found[key] = np.frombuffer(vector, dtype=np.float32)
        return found

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()
