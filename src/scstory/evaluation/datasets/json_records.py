"""JSON files of any size, record by record: lists, lines, and values one after another."""

import codecs
import gzip
import json
import lzma
import zlib
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import IO, Any

from scstory.errors import SourceError
from scstory.feeds.json_text import MAX_VALUE_CHARACTERS, JsonError, JsonText

OPENERS: Mapping[str, Any] = {".gz": gzip.open, ".xz": lzma.open}
MAX_JSON_LINE_BYTES = 2**28
"""The longest line that is read. WCEP has all articles of a story on one line."""

PEEKED_RECORDS = 5
DAMAGED = "damaged file, the rest is unreadable"
DAMAGE_ERRORS = (EOFError, OSError, lzma.LZMAError, zlib.error)

Record = tuple[int, Any, str | None]
"""The number of a record or line, its value, and its problem."""


def read_values(path: Path) -> Iterator[Record]:
    """Yield the elements of a JSON list, or the values of a file that holds one after another.

    Nothing after a broken value can be trusted, so it is the last that is reported. Bytes that
    are not UTF-8 are ignored, as the publishers of News14 do themselves.
    """
    number = 0
    try:
        with _open(path) as stream:
            for value in JsonText(stream, errors="ignore").elements():
                number += 1
                yield number, value, None
    except JsonError as error:
        yield number + 1, None, f"broken JSON, the rest is unreadable ({error})"
    except DAMAGE_ERRORS as error:
        yield number + 1, None, _damaged(error)


def read_lines(path: Path) -> Iterator[Record]:
    """Yield the value of every line that is not empty; a broken line costs only itself."""
    number = 0
    try:
        with _open(path) as stream:
            while line := stream.readline(MAX_JSON_LINE_BYTES):
                number += 1
                if len(line) == MAX_JSON_LINE_BYTES and not line.endswith(b"\n"):
                    while (rest := stream.readline(MAX_VALUE_CHARACTERS)) and not rest.endswith(
                        b"\n"
                    ):
                        pass
                    yield number, None, f"line longer than {MAX_JSON_LINE_BYTES:,} bytes"
                elif line.strip():
                    yield number, *_parse(line)
    except DAMAGE_ERRORS as error:
        yield number + 1, None, _damaged(error)


def _parse(line: bytes) -> tuple[Any, str | None]:
    try:
        return json.loads(line.decode("utf-8-sig", "surrogateescape")), None
    except (ValueError, RecursionError) as error:
        return None, f"broken JSON ({str(error).split(':')[0]})"


def peek(path: Path, way_out: str) -> list[dict[str, Any]]:
    """Return the first objects of a file; raise SourceError for a file of another format."""
    try:
        with _open(path) as stream:
            start = stream.read(1024).removeprefix(codecs.BOM_UTF8).lstrip()
    except DAMAGE_ERRORS as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise SourceError(f"{path}: cannot be read ({reason}); {way_out}") from error
    if not start:
        raise SourceError(f"{path}: is empty; {way_out}")
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise SourceError(f"{path}: is UTF-16; convert it to UTF-8 (iconv -t UTF-8)")
    if start.startswith((b"\x1f\x8b", b"\xfd7zXZ")):
        raise SourceError(f"{path}: is compressed; name it .gz or .xz, or decompress it first")
    if start.startswith(b"PK\x03\x04"):
        raise SourceError(f"{path}: is a zip archive; unpack it first")
    if start.startswith(b"<"):
        raise SourceError(f"{path}: is a web page, not the data; {way_out}")
    for read in (read_values, read_lines):
        records = list(islice(read(path), PEEKED_RECORDS))
        if found := [value for _, value, _ in records if isinstance(value, dict)]:
            return found
        for _, _, problem in records:
            if problem and problem.startswith(DAMAGED):
                raise SourceError(f"{path}: {problem}; {way_out}")
    return []


def _open(path: Path) -> IO[bytes]:
    opener = OPENERS.get(path.suffix.lower())
    stream: IO[bytes] = opener(path, "rb") if opener else path.open("rb")
    return stream


def _damaged(error: Exception) -> str:
    reason = str(error).strip().rstrip(".") or type(error).__name__
    return f"{DAMAGED} ({reason})"
