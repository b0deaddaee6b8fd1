"""A file lock that ends with the process that holds it, however that ends."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress

from scstory.errors import Kept, StoreError


class FileLock:
    """Holds a lock file until released; raises Kept at once if somebody else does."""

    def __init__(self, path: str, *, busy: str) -> None:
        self._path = path
        while True:
            try:
                self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            except OSError as error:
                raise StoreError(f"{path}: cannot be made ({error.strerror})") from error
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                os.close(self._file)
                raise Kept(busy) from error
            if self._is_current():
                return
            os.close(self._file)  # the one who held it has just removed it

    def release(self) -> None:
        """Let others have it."""
        with suppress(OSError):
            os.unlink(self._path)
        os.close(self._file)

    def _is_current(self) -> bool:
        try:
            return os.path.samestat(os.fstat(self._file), os.stat(self._path))
        except FileNotFoundError:
            return False
