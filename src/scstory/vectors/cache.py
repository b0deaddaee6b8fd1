"""Sentence vectors on disk, so that a stream is encoded once however often it is measured.

One SQLite file an encoder, keyed by the sentence's hash; vectors are kept to the last bit. Safe
when several processes and threads use it. The oldest vectors leave when there are too many.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from threading import RLock

import numpy as np

from scstory.errors import EncoderError
from scstory.types import Vectors
from scstory.vectors.encoder import Encoder
from scstory.vectors.memory import sentence_key

LOOK_UP = 500
"""Keys asked for at a time; SQLite limits the variables of a statement."""
LIMIT = 2_000_000
"""Vectors kept: about 4 GB at 384 dimensions, some 100,000 articles."""


def cache_folder() -> Path:
    """Return where caches are kept: SCSTORY_CACHE, or the user's cache folder."""
    if named := os.environ.get("SCSTORY_CACHE"):
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "scstory"


class CachedEncoder:
    """An encoder that remembers, on disk, what it has encoded."""

    def __init__(self, encoder: Encoder, *, folder: Path | None = None, limit: int = LIMIT) -> None:
        self._encoder, self._limit = encoder, limit
        self.name, self.dim = encoder.name, encoder.dim
        self._file = (folder or cache_folder()) / f"{_file_name(encoder)}.vectors.db"
        self._lock = RLock()
        with self._errors_explained():
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(
                self._file, timeout=60, isolation_level=None, check_same_thread=False
            )
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.execute(
                "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL)"
            )

    def encode(self, sentences: Sequence[str]) -> Vectors:
        """Return the vectors, those already known from disk, the others encoded and kept."""
        keys = [sentence_key(sentence) for sentence in sentences]
        unique = dict(zip(keys, sentences, strict=True))
        found = self._look_up(list(unique))
        missing = [key for key in unique if key not in found]
        if missing:
            fresh = self._encoder.encode([unique[key] for key in missing])
            found.update(zip(missing, fresh, strict=True))
            self._keep(missing, fresh)
        if not keys:
            return np.empty((0, self.dim), dtype=np.float32)
        return np.stack([found[key] for key in keys])

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._db.close()

    def _look_up(self, keys: list[bytes]) -> dict[bytes, Vectors]:
        found: dict[bytes, Vectors] = {}
        with self._lock, self._errors_explained():
            for start in range(0, len(keys), LOOK_UP):
                some = keys[start : start + LOOK_UP]
                marks = ",".join("?" * len(some))
                for key, vector in self._db.execute(
                    f"SELECT key, vector FROM vectors WHERE key IN ({marks})", some
                ):
                    found[key] = np.frombuffer(vector, dtype=np.float32)
        return found

    def _keep(self, keys: list[bytes], vectors: Vectors) -> None:
        with self._lock, self._errors_explained(), self._transaction():
            self._db.executemany(
                "INSERT OR IGNORE INTO vectors VALUES (?, ?)",
                zip(keys, (vector.tobytes() for vector in vectors), strict=True),
            )
            # Row ids grow with time, so what is too old is known without counting.
            self._db.execute(
                "DELETE FROM vectors WHERE rowid <= (SELECT max(rowid) FROM vectors) - ?",
                (self._limit,),
            )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise

    @contextmanager
    def _errors_explained(self) -> Iterator[None]:
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            raise EncoderError(
                f"vector cache {self._file}: cannot be used ({error}); set SCSTORY_CACHE to a "
                "folder that can be written"
            ) from error


def _file_name(encoder: Encoder) -> str:
    """Return a name that no encoder with other vectors shares."""
    plain = re.sub(r"[^A-Za-z0-9.-]+", "_", encoder.name)
    fingerprint = getattr(encoder, "fingerprint", "")
    if plain == encoder.name and not fingerprint:
        return plain
    told_apart = blake2b(f"{encoder.name} {fingerprint}".encode(), digest_size=4).hexdigest()
    return f"{plain}-{told_apart}"
