"""ONNX graphs that are built once, into the user's cache folder, and loaded from there afterwards.

A file is named after what it was built from, so a new version builds its own. Files appear whole
or not at all: of two processes that build at the same time, the later one wins.
"""

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from scstory.errors import EncoderError
from scstory.vectors.disk_cache import cache_folder

T = TypeVar("T")


def load_or_build(
    kind: str,
    key: str,
    build: Callable[[], bytes],
    load: Callable[[str], T],
    *,
    folder: Path | None = None,
) -> T:
    """Return what `load` makes of the file `KIND-KEY.onnx`, which is built if it is not there.

    A file that cannot be loaded is built again, once.
    """
    path = (folder or cache_folder()) / f"{kind}-{key}.onnx"
    if path.is_file():
        try:
            return load(str(path))
        except Exception:  # whatever the runtime says about a damaged file
            path.unlink(missing_ok=True)
    if sys.stderr.isatty():
        sys.stderr.write(f"building {kind} (once, a few seconds) …\n")
    try:
        _write(path, build())
        return load(str(path))
    except OSError as error:
        raise EncoderError(
            f"{path}: cannot be written ({error.strerror}); set SCSTORY_CACHE to a folder that can"
        ) from error
    except RuntimeError as error:
        raise EncoderError(f"{path}: cannot be loaded ({str(error).splitlines()[0]})") from error


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, unfinished = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(unfinished).replace(path)
    finally:
        Path(unfinished).unlink(missing_ok=True)
