"""Files and standard input as sources, read as a stream. The content says what a file is."""

import io
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import IO, Any, cast

from scstory.errors import SourceError
from scstory.feeds.article import MAX_CHARACTERS
from scstory.feeds.byte_streams import (
    CHUNK,
    DAMAGE_ERRORS,
    as_utf8,
    buffered,
    decompressed,
    start_of,
    with_line_feeds,
)
from scstory.feeds.csv_rows import Line
from scstory.feeds.file_formats import format_of, is_by_lines
from scstory.feeds.folders import is_data
from scstory.feeds.json_articles import JsonArticles, articles_by_line
from scstory.feeds.json_shapes import Shapes
from scstory.feeds.records import RecordReader
from scstory.feeds.source import Item, Raw, SourceOptions, bytes_read
from scstory.feeds.tables import Decoder, read_table

MAX_LINE_BYTES = 64 * MAX_CHARACTERS // 8
"""The longest line that is read, so that a file without line ends cannot fill the memory."""
LOOK_AHEAD = 1_000
"""Records that are read ahead to find out whether 03/04/2026 is in March or in April."""


class FileSource:
    """A file of articles. Iterating gives an Item for every record, good or bad."""

    def __init__(self, path: str, options: SourceOptions | None = None) -> None:
        self.path = path
        self.name = "<stdin>" if path == "-" else path
        self.size: int | None = None
        self._options = options or SourceOptions()
        self._raw: IO[bytes] | None = None
        self.complete = True
        if path == "-":
            return
        file = Path(path)
        if not file.exists():
            raise SourceError(f"{path}: no such file; give a file, a folder, or - for input")
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
        if self.path == "-" and sys.stdin is None:
            raise SourceError("-: standard input is closed; give a file")
        self.complete = False
        self._raw = sys.stdin.buffer if self.path == "-" else open(self.path, "rb")  # noqa: SIM115
        try:
            stream = decompressed(buffered(self._raw), self.name)
            self.complete = yield from self._part(self.name, stream)
        except DAMAGE_ERRORS as error:
            yield _damaged(self.name, error)
        finally:
            if self.path != "-":
                self._raw.close()

    def _part(self, name: str, stream: io.BufferedReader) -> Generator[Item, None, bool]:
        """Yield the items of a file, or of a file in an archive; return whether it was whole."""
        stream, certain = as_utf8(stream)
        start = start_of(stream)
        if not start.strip():
            return True
        kind = format_of(start, name)
        if kind == "zip":
            return (yield from self._zip(name, stream))
        if kind in ("feed", "warc"):
            return (yield from self._foreign(name, stream, kind))
        reader = RecordReader(name, self._options)
        place = ""
        try:
            records = self._records(name, stream, kind, reader, certain=certain)
            for place, record, problem in self._with_known_order(records, reader):
                at = f"{name}{place}"
                yield Item(at, None, problem) if record is None else reader.item(at, record)
        except DAMAGE_ERRORS as error:
            yield _damaged(f"{name}{_after(place)}", error)
            return False
        if problem := reader.unmapped():
            yield Item(name, None, problem)
        return True

    def _records(
        self,
        name: str,
        stream: io.BufferedReader,
        kind: str,
        reader: RecordReader,
        *,
        certain: bool,
    ) -> Iterator[Raw]:
        if kind in ("parquet", "arrow"):
            from scstory.feeds.parquet import read_parquet

            with _seekable(stream) as file:
                yield from read_parquet(file, kind, reader)
        elif kind == "mediawiki":
            from scstory.feeds.mediawiki import read_dump

            yield from read_dump(stream)
        elif kind == "table":
            stream = with_line_feeds(stream)
            lines = _lines(stream, Decoder(reader, certain=certain))
            yield from read_table(lines, stream, reader, limit=MAX_LINE_BYTES)
        elif is_by_lines(start_of(stream, CHUNK), name):
            yield from _json_lines(stream, Shapes(self._options.columns))
        else:
            shapes = Shapes(self._options.columns)
            found = JsonArticles(stream, shapes, live=self.size is None)
            for number, (value, problem) in enumerate(found, 1):
                yield f" item {number}", *_object(value, problem)

    def _with_known_order(self, records: Iterator[Raw], reader: RecordReader) -> Iterator[Raw]:
        """Read ahead while dates could have day and month in either place.

        Not from a pipe: what comes next may come much later.
        """
        waiting: list[Raw] = []
        try:
            for raw in records:
                waiting.append(raw)
                if self.size is None or len(waiting) >= LOOK_AHEAD:
                    break
                if raw[1] is not None and not reader.undecided(reader.date_in(raw[1])):
                    break
        except DAMAGE_ERRORS:
            yield from waiting
            raise
        yield from waiting
        yield from records

    def _zip(self, name: str, stream: io.BufferedReader) -> Generator[Item, None, bool]:
        """Yield the items of the files in a zip archive, by their names."""
        whole = True
        with _seekable(stream) as file:
            try:
                archive = zipfile.ZipFile(file)
                for member in _with_articles(archive):
                    place = f"{name}/{member}"
                    try:
                        with archive.open(member) as part:
                            unpacked = decompressed(buffered(part), place)
                            whole &= yield from self._part(place, unpacked)
                    except SourceError as error:
                        whole = False
                        yield Item(place, None, str(error).removeprefix(f"{place}: "))
            except (zipfile.BadZipFile, RuntimeError, NotImplementedError) as error:
                yield _damaged(name, error)
                return False
        return whole

    def _foreign(
        self, name: str, stream: io.BufferedReader, kind: str
    ) -> Generator[Item, None, bool]:
        """Yield the items of a format of the web: a feed that was saved, or an archive of pages."""
        if kind == "feed":
            from scstory.feeds.saved_feed import read_saved_feed

            yield from read_saved_feed(stream, name, self._options)
            return True
        from scstory.feeds.warc import WarcSource

        if self.size is None or name != self.name:
            raise SourceError(f"{name}: is a WARC archive; give it as a file of its own")
        archive = WarcSource(self.path, self._options)
        yield from archive
        return archive.complete


def _json_lines(stream: io.BufferedReader, shapes: Shapes) -> Iterator[Raw]:
    for number, line in _lines(stream, lambda line: line.decode("utf-8", "surrogateescape")):
        if line is None:
            yield f":{number}", None, f"line longer than {MAX_LINE_BYTES:,} bytes"
        elif line.strip():
            for value, problem in articles_by_line(line, shapes):
                yield f":{number}", *_object(value, problem)


def _object(value: Any, problem: str | None) -> tuple[dict[str, Any] | None, str | None]:
    if problem or isinstance(value, dict):
        return value, problem
    return None, "not a JSON object"


def _lines(stream: IO[bytes], decode: Any) -> Iterator[Line]:
    """Yield numbered lines; None instead of one that is too long."""
    number = 0
    while line := stream.readline(MAX_LINE_BYTES):
        number += 1
        if len(line) == MAX_LINE_BYTES and not line.endswith(b"\n"):
            while (rest := stream.readline(MAX_LINE_BYTES)) and not rest.endswith(b"\n"):
                pass
            yield number, None
        else:
            yield number, decode(line)


def _with_articles(archive: zipfile.ZipFile) -> list[str]:
    """Return the files in an archive that may hold articles: by their names, if any name tells."""
    names = sorted(
        name
        for name in archive.namelist()
        if not name.endswith("/")
        and not any(part.startswith((".", "__MACOSX")) for part in name.split("/"))
    )
    return [name for name in names if is_data(name)] or names


def _seekable(stream: io.BufferedReader) -> IO[bytes]:
    """Return a copy on disk of what can only be read from its start to its end."""
    file = tempfile.TemporaryFile()  # noqa: SIM115
    shutil.copyfileobj(cast(IO[bytes], stream), file)
    file.seek(0)
    return file


def _after(place: str) -> str:
    """Return the place after one: `:3` is followed by `:4`."""
    before, mark, number = place.rpartition(":" if place.startswith(":") else " ")
    return f"{before}{mark}{int(number) + 1}" if number.isdecimal() else ":1"


def _damaged(place: str, error: Exception) -> Item:
    reason = str(error).strip().rstrip(".") or type(error).__name__
    return Item(place, None, f"damaged file, the rest is unreadable ({reason})")


def open_file(name: str, options: SourceOptions) -> FileSource:
    """Return the source of a file."""
    return FileSource(name, options)
