"""Sentence vectors on disk: a stream is encoded once, however often it is evaluated.

There is one SQLite file per encoder. Vectors are stored to the last bit, by the hash of their
sentence. Several processes and threads may use a file; the oldest vectors leave when there are too
many. The code is our own because a batch needs thousands of vectors at once, in one transaction:
diskcache reads and writes one key at a time.
"""

import os
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from threading import RLock

import numpy as np

from scstory.errors import EncoderError
from scstory.types import Vectors
from scstory.vectors.cached_encoder import CachedEncoder
from scstory.vectors.encoder import Encoder

KEYS_PER_QUERY = 500
"""SQLite limits the number of placeholders in a statement."""
DISK_CACHE_VECTORS = 2_000_000
"""The most vectors in a file: about 4 GB at 384 dimensions, some 100,000 articles."""


def cache_folder() -> Path:
    """Return the folder of all caches: SCSTORY_CACHE, or one in the user's cache folder."""
    if named := os.environ.get("SCSTORY_CACHE"):
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "scstory"


def disk_cached(
    encoder: Encoder, *, folder: Path | None = None, limit: int = DISK_CACHE_VECTORS
) -> CachedEncoder:
    """Return an encoder whose vectors stay on disk."""
    file = (folder or cache_folder()) / f"{_file_name(encoder)}.vectors.db"
    return CachedEncoder(encoder, DiskVectorCache(file, limit=limit))


class DiskVectorCache:
    """The vectors of one encoder in a SQLite file."""

    def __init__(self, file: Path, *, limit: int = DISK_CACHE_VECTORS) -> None:
        self._file, self._limit = file, limit
        self._lock = RLock()
        with self._errors_explained():
            file.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(
                file, timeout=60, isolation_level="IMMEDIATE", check_same_thread=False
            )
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.execute(
                "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL)"
            )

    def look_up(self, keys: Iterable[bytes]) -> dict[bytes, Vectors]:
        """Return the vectors of those keys that are there."""
        wanted, found = list(keys), dict[bytes, Vectors]()
        with self._lock, self._errors_explained():
            for start in range(0, len(wanted), KEYS_PER_QUERY):
                some = wanted[start : start + KEYS_PER_QUERY]
                placeholders = ",".join("?" * len(some))
                for key, vector in self._db.execute(
                    f"SELECT key, vector FROM vectors WHERE key IN ({placeholders})", some
                ):
                    found[key] = np.frombuffer(vector, dtype=np.float32)
        return found

    def store(self, vectors: Mapping[bytes, Vectors]) -> None:
        """Add vectors; the oldest leave where there are too many."""
        with self._lock, self._errors_explained(), self._db:  # one transaction
            self._db.executemany(
                "INSERT OR IGNORE INTO vectors VALUES (?, ?)",
                ((key, vector.tobytes()) for key, vector in vectors.items()),
            )
            # Row ids grow with time, so the oldest rows are known without counting.
            self._db.execute(
                "DELETE FROM vectors WHERE rowid <= (SELECT max(rowid) FROM vectors) - ?",
                (self._limit,),
            )

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

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
    digest = blake2b(f"{encoder.name} {fingerprint}".encode(), digest_size=4).hexdigest()
    return f"{plain}-{digest}"
