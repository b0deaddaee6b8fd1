"""WARC archives of news pages, such as Common Crawl's CC-NEWS: `pip install scstory[warc]`."""

import gzip
import io
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from scstory.errors import BadItem, SourceError
from scstory.feeds.entries import Entry, entry_id, make_article, web_url
from scstory.feeds.page import read_page
from scstory.feeds.source import Item, SourceOptions, bytes_read

HTML_TYPES = ("text/html", "application/xhtml+xml")


class WarcSource:
    """The pages of a WARC file whose status is 200, each an article or a problem."""

    def __init__(self, path: str, options: SourceOptions) -> None:
        self.name = self.path = path
        self.complete = True
        self._max_bytes = options.settings.max_page_bytes
        self._max_characters = options.max_characters
        self._raw: IO[bytes] | None = None
        try:
            import fastwarc  # noqa: F401
        except ImportError:
            raise SourceError(
                f"{path}: reading WARC files needs fastwarc: pip install 'scstory[warc]'"
            ) from None
        try:
            with Path(path).open("rb") as file:
                self.size: int | None = Path(path).stat().st_size
                start = file.read(5)
        except OSError as error:
            raise SourceError(f"{path}: cannot be read ({error.strerror})") from None
        if start and not start.startswith((b"\x1f\x8b", b"WARC/")):
            raise SourceError(f"{path}: is not a WARC file, compressed with gzip or not")

    @property
    def position(self) -> int:
        """The number of bytes of the file, as stored, that have been read."""
        return bytes_read(self._raw, self.size)

    def __iter__(self) -> Iterator[Item]:
        from fastwarc import ArchiveIterator, WarcRecordType

        self.complete = False
        number = 0
        reason = None
        with Path(self.path).open("rb") as self._raw:
            stream = _Decompressed(self._raw)
            file = cast(BinaryIO, stream)
            try:
                for record in ArchiveIterator(file, record_types=WarcRecordType.response):
                    number += 1
                    if item := self._item(f"{self.name} record {number}", record):
                        yield item
            except Exception as error:
                reason = " ".join(str(error).split())[:200] or type(error).__name__
            if reason := reason or stream.damage:
                where = f"{self.name} record {number + 1}"
                yield Item(where, None, f"damaged file, the rest is unreadable ({reason})")
        self.complete = reason is None

    def _item(self, place: str, record: Any) -> Item | None:
        """Return the item of a record; None if it is not a page."""
        url = web_url(record.headers.get("WARC-Target-URI", "").strip("<> "))
        headers = record.http_headers
        kind = (record.http_content_type or "").strip().lower()
        if url is None or headers is None or headers.status_code != 200 or kind not in HTML_TYPES:
            return None
        body = record.reader.read(self._max_bytes + 1)
        if len(body) > self._max_bytes:
            return Item(place, None, f"more than {self._max_bytes:,} bytes (feeds.max_page_bytes)")
        if len(body) < record.content_length:
            return Item(place, None, "breaks off: the file is damaged here")
        page = read_page(body, url, charset=record.http_charset)
        entry = Entry(place, entry_id(None, page.url or url, self.name), url=url)
        try:
            crawled = record.record_date
            now = datetime.now(UTC) if crawled is None else crawled.astimezone(UTC)
            return Item(place, make_article(entry, page, now, max_characters=self._max_characters))
        except BadItem as error:
            return Item(place, None, f"{error} ({url[:200]})")


class _Decompressed(io.RawIOBase):
    """A file that is decompressed where it is in gzip; damage is noted, not raised.

    The bytes before the damage are still good, and a buffering reader would lose them.
    """

    def __init__(self, raw: IO[bytes]) -> None:
        compressed = raw.read(2) == b"\x1f\x8b"
        raw.seek(0)
        self._stream: Any = gzip.GzipFile(fileobj=raw) if compressed else raw
        self.damage: str | None = None

    def readable(self) -> bool:
        return True

    def tell(self) -> int:
        return int(self._stream.tell())

    def read(self, size: int = -1) -> bytes:
        try:
            found: bytes = self._stream.read1(size)
        except (EOFError, OSError, zlib.error) as error:
            self.damage = str(error).rstrip(".") or type(error).__name__
            return b""
        return found

    def readinto(self, buffer: Any) -> int:
        found = self.read(len(buffer))
        buffer[: len(found)] = found
        return len(found)
