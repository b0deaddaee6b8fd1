"""Files and standard input as sources: JSON Lines and CSV, plain, .gz or .xz, read as a stream."""

import gzip
import json
import lzma
import sys
import zlib
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import IO, Any

from scstory.config import FeedSettings
from scstory.errors import BadItem, SourceError
from scstory.feeds.article import MAX_CHARACTERS, REQUIRED, parse_article
from scstory.feeds.csv_rows import CsvRows, starts_row
from scstory.feeds.source import Item, bytes_read

OPENERS: Mapping[str, Any] = {".gz": gzip.open, ".xz": lzma.open}
MAX_LINE_BYTES = 64 * MAX_CHARACTERS // 8
"""The longest line that is read, so that a file without line ends cannot fill the memory."""


class FileSource:
    """A file of articles. Iterating gives an Item for every record, good or bad."""

    def __init__(self, path: str, *, max_characters: int = MAX_CHARACTERS) -> None:
        self.path = path
        self.name = "<stdin>" if path == "-" else path
        self.size: int | None = None
        self._max_characters = max_characters
        self._raw: IO[bytes] | None = None
        self.complete = True
        if path == "-":
            return
        file = Path(path)
        if file.is_dir():
            raise SourceError(f"{path}: is a folder; name the files in it, as in {path}/*.jsonl")
        if not file.exists():
            raise SourceError(f"{path}: no such file; give a .jsonl or .csv file, or - for input")
        if not file.is_file():
            return  # a pipe can be read once, and has no size
        try:
            with file.open("rb"):
                self.size = file.stat().st_size
        except OSError as error:
            raise SourceError(f"{path}: cannot be read ({error.strerror})") from error

    @property
    def position(self) -> int:
        """The number of bytes of the file, as stored, that have been read."""
        return bytes_read(self._raw, self.size)

    def __iter__(self) -> Iterator[Item]:
        suffixes = [suffix.lower() for suffix in Path(self.path).suffixes]
        compression = suffixes.pop() if suffixes and suffixes[-1] in OPENERS else ""
        read = self._csv if suffixes[-1:] == [".csv"] else self._json_lines
        self.complete = False
        line = 0
        try:
            for line, record, problem in read(self._lines(compression)):
                yield self._item(line, record, problem)
            self.complete = True
        except (EOFError, OSError, lzma.LZMAError, zlib.error) as error:
            reason = str(error).strip().rstrip(".") or type(error).__name__
            yield Item(
                f"{self.name}:{line + 1}", None, f"damaged file, the rest is unreadable ({reason})"
            )
        finally:
            if self._raw is not None and self.path != "-":
                self._raw.close()

    def _item(self, line: int, record: Mapping[str, Any] | None, problem: str | None) -> Item:
        place = f"{self.name}:{line}"
        if record is None:
            return Item(place, None, problem)
        try:
            article = parse_article(record, max_characters=self._max_characters)
        except BadItem as error:
            return Item(place, None, str(error))
        return Item(place, article, label=_label(record.get("story")))

    def _lines(self, compression: str) -> Iterator[tuple[int, str | None]]:
        """Yield numbered lines; None instead of one that is too long.

        Bytes that are not UTF-8 become surrogates here, which are refused field by field later:
        one bad line must not end the reading.
        """
        if self.path == "-" and sys.stdin is None:
            raise SourceError("-: standard input is closed; give a file")
        self._raw = sys.stdin.buffer if self.path == "-" else open(self.path, "rb")  # noqa: SIM115
        stream: IO[bytes] = OPENERS[compression](self._raw) if compression else self._raw
        number = 0
        while line := stream.readline(MAX_LINE_BYTES):
            number += 1
            if len(line) == MAX_LINE_BYTES and not line.endswith(b"\n"):
                while (rest := stream.readline(MAX_LINE_BYTES)) and not rest.endswith(b"\n"):
                    pass
                yield number, None
                continue
            if number == 1:
                line = line.removeprefix(b"\xef\xbb\xbf")
                self._refuse_foreign(line)
            yield number, line.decode("utf-8", "surrogateescape")

    def _refuse_foreign(self, start: bytes) -> None:
        """Raise SourceError for a file of another format: one message, not one per line."""
        if start.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise SourceError(f"{self.name}: is UTF-16; convert it to UTF-8 (iconv -t UTF-8)")
        if start.startswith((b"\x1f\x8b", b"\xfd7zXZ")):
            raise SourceError(
                f"{self.name}: is compressed; name it .gz or .xz, or decompress it first"
            )
        if start.lstrip().startswith(b"["):
            raise SourceError(
                f"{self.name}: is one JSON list; write one object per line (jq -c '.[]')"
            )

    def _json_lines(
        self, lines: Iterator[tuple[int, str | None]]
    ) -> Iterator[tuple[int, Mapping[str, Any] | None, str | None]]:
        for number, line in lines:
            if line is None:
                yield number, None, f"line longer than {MAX_LINE_BYTES:,} bytes"
                continue
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except ValueError as error:
                yield number, None, f"broken JSON ({str(error).split(':')[0]})"
                continue
            except RecursionError:
                yield number, None, "broken JSON (nested too deeply)"
                continue
            if isinstance(record, dict):
                yield number, record, None
            else:
                yield number, None, "not a JSON object"

    def _csv(
        self, lines: Iterator[tuple[int, str | None]]
    ) -> Iterator[tuple[int, Mapping[str, Any] | None, str | None]]:
        table = CsvRows(lines, limit=MAX_LINE_BYTES)
        header: list[str] | None = None
        for start, row, problem in table:
            if header is None:
                header = self._header(row, problem)
                table.is_row = partial(starts_row, header=header)
            elif problem:
                yield start, None, problem
            elif row and len(row) != len(header):
                yield start, None, f"{len(row)} columns where the header has {len(header)}"
            elif row:
                # An empty cell is an absent value, except for a title, which may be empty.
                record = dict(zip(header, row, strict=True))
                yield start, {k: v for k, v in record.items() if v or k == "title"}, None

    def _header(self, row: list[str], problem: str | None) -> list[str]:
        header = [name.strip().lower() for name in row]
        if lacking := [name for name in REQUIRED if name not in header]:
            what = problem or f"the header has no {', '.join(lacking)}"
            raise SourceError(
                f"{self.name}: {what}; the first line must name the columns "
                f"{', '.join(REQUIRED)}, with commas between them"
            )
        return header


def open_file(name: str, settings: FeedSettings, max_characters: int) -> FileSource:
    """Return the source of a file."""
    return FileSource(name, max_characters=max_characters)


def _label(value: Any) -> str | None:
    """Return a true story as text; None where there is none, or none that can be a name."""
    if not isinstance(value, str | int | float) or value != value:
        return None
    return str(value).strip() or None
