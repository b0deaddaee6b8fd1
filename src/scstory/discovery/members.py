"""The articles of the window: the latest in memory, the others in temporary files.

What deciding needs of an article stands in the columns of the window. Its text, what was read from
it and the vectors of its sentences are needed now and then: to describe its story, to make its
vector anew, to learn from it. They take ten times the memory of the columns, so most of them are on
disk. An article has the same bytes wherever it is read from.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import overload

from scstory.discovery.member_records import (
    as_bytes,
    extract_bytes,
    extract_from,
    from_bytes,
    vectors_from,
)
from scstory.errors import StoreError
from scstory.text.extract import Extract, extract_of
from scstory.types import EncodedArticle, Vectors

IN_MEMORY = 2048
"""The latest articles of a window that are in memory; a smaller window needs no files."""
TO_FILE = 512
"""Articles that go to a file together."""
IN_A_FILE = 16384
"""Articles of a file, and what is known of them. A file is gone with the last of them."""


class Members(Sequence[EncodedArticle]):
    """The articles of a window, oldest first."""

    def __init__(self, articles: Iterable[EncodedArticle] = ()) -> None:
        self.ids: list[str] = []
        self.dates: list[datetime] = []
        self._places: list[EncodedArticle | _Place] = []
        self._files = _Files()
        self._extracts: dict[str, Extract] = {}
        """What is known of the articles in memory, by their ids."""
        self._written = 0
        """How many of the first articles are in files."""
        self.extend(articles)

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, chosen: int) -> EncodedArticle: ...
    @overload
    def __getitem__(self, chosen: slice) -> Members: ...
    def __getitem__(self, chosen: int | slice) -> EncodedArticle | Members:
        """Return an article, or some that share their files with these."""
        if not isinstance(chosen, slice):
            place = self._places[chosen]
            return place.read() if isinstance(place, _Place) else place
        some = Members()
        some.ids, some.dates = self.ids[chosen], self.dates[chosen]
        some._places = self._places[chosen]
        some._files = self._files
        some._written = sum(isinstance(place, _Place) for place in some._places)
        return some

    def __iter__(self) -> Iterator[EncodedArticle]:
        return (self[i] for i in range(len(self)))

    def __setitem__(self, row: int, article: EncodedArticle) -> None:
        """Replace an article by what is left of it."""
        known = isinstance(self._places[row], _Place)
        self._places[row] = self._files.write(as_bytes(article)) if known else article
        self._extracts.pop(self.ids[row], None)

    def vectors(self, row: int) -> Vectors:
        """Return the vectors of an article's sentences."""
        place = self._places[row]
        return place.read_vectors() if isinstance(place, _Place) else place.vectors

    def extract(self, row: int) -> Extract:
        """Return what a description takes from an article; its text is searched for it once."""
        place, name = self._places[row], self.ids[row]
        if isinstance(place, _Place):
            if place.extract is None:
                place.extract = self._files.write(extract_bytes(_extract(place.read())))
            return extract_from(place.extract.content())
        if name not in self._extracts:
            self._extracts[name] = _extract(place)
        return self._extracts[name]

    def extend(self, articles: Iterable[EncodedArticle]) -> None:
        """Add the latest articles; of those before, some go to a file."""
        for article in articles:
            self.ids.append(article.article.id)
            self.dates.append(article.article.published)
            self._places.append(article)
        if len(self) - self._written >= IN_MEMORY + TO_FILE:
            for row in range(self._written, len(self) - IN_MEMORY):
                place = self._places[row]
                if not isinstance(place, _Place):
                    self._places[row] = stored = self._files.write(as_bytes(place))
                    if known := self._extracts.pop(self.ids[row], None):
                        stored.extract = self._files.write(extract_bytes(known))
            self._written = len(self) - IN_MEMORY

    def drop(self, count: int) -> None:
        """Remove the oldest articles."""
        for name in self.ids[self._written : count]:
            self._extracts.pop(name, None)
        del self.ids[:count]
        del self.dates[:count]
        del self._places[:count]
        self._written = max(0, self._written - count)


class _Files:
    """Temporary files, which only this process sees; the system removes them when it ends."""

    def __init__(self) -> None:
        self._file: _File | None = None
        self._count = 0

    def write(self, content: bytes) -> _Place:
        """Write an article, or what is known of it; return where that is."""
        if self._file is None or self._count >= IN_A_FILE:
            self._file, self._count = _File(), 0
        self._count += 1
        return self._file.write(content)


class _File:
    """A file to which articles are added; it is closed with the last reference to it."""

    def __init__(self) -> None:
        folder = temporary_folder()
        try:
            self._file = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115
        except OSError as error:
            raise _failed("opened", folder, error) from error
        self._end = 0

    def write(self, content: bytes) -> _Place:
        place = _Place(self, self._end, len(content))
        written = 0
        try:
            while written < len(content):
                rest = content[written:] if written else content
                written += os.pwrite(self._file.fileno(), rest, self._end + written)
        except OSError as error:
            raise _failed("written", temporary_folder(), error) from error
        self._end += len(content)
        return place

    def read(self, start: int, length: int) -> bytes:
        try:
            content = os.pread(self._file.fileno(), length, start)
        except OSError as error:
            raise _failed("read", temporary_folder(), error) from error
        if len(content) < length:
            raise StoreError(
                f"{temporary_folder()}: a temporary file of the window has {len(content):,} bytes "
                f"of {length:,} where an article is; start again"
            )
        return content


class _Place:
    """Where an article is in a file, and where what is known of it."""

    __slots__ = ("_file", "_length", "_start", "extract")

    def __init__(self, file: _File, start: int, length: int) -> None:
        self._file, self._start, self._length = file, start, length
        self.extract: _Place | None = None

    def content(self) -> bytes:
        return self._file.read(self._start, self._length)

    def read(self) -> EncodedArticle:
        return from_bytes(self.content())

    def read_vectors(self) -> Vectors:
        return vectors_from(self.content())


def temporary_folder() -> Path:
    """Return where temporary files are, which is a disk: /tmp often is memory.

    The variable TMPDIR names another folder.
    """
    disk = Path("/var/tmp")
    usable = "TMPDIR" not in os.environ and disk.is_dir() and os.access(disk, os.W_OK)
    return disk if usable else Path(tempfile.gettempdir())


def _failed(what: str, folder: Path, error: OSError) -> StoreError:
    return StoreError(
        f"{folder}: a temporary file for the articles of the window cannot be {what} "
        f"({error.strerror}); set TMPDIR to a folder of a disk with more room"
    )


def _extract(article: EncodedArticle) -> Extract:
    return extract_of(article.article, article.sentences, article.reading.language)
