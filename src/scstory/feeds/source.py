"""The seam: a source yields items, each an article or the reason why there is none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Protocol

from scstory.types import Article


@dataclass(frozen=True, slots=True)
class Item:
    """What one place in a source held: an article, or the reason why there is none.

    `label` is the true story where the source tells it. It is for measuring alone and is kept
    apart from the article, which is all that discovery sees.
    """

    place: str
    article: Article | None
    problem: str | None = None
    label: str | None = None


class Source(Protocol):
    """Somewhere articles come from. A bad item is reported and skipped, never fatal."""

    @property
    def name(self) -> str:
        """What it is called in messages."""

    @property
    def size(self) -> int | None:
        """How many bytes there are to read, if that is known."""

    @property
    def position(self) -> int:
        """How many of them have been read."""

    @property
    def complete(self) -> bool:
        """Whether the last reading came to the end."""

    def __iter__(self) -> Iterator[Item]:
        """Yield an Item for every record, good or bad."""


def bytes_read(file: IO[bytes] | None, size: int | None) -> int:
    """Return how many bytes of a file of known size have been read, as they are stored."""
    if file is None or size is None:
        return 0
    return size if file.closed else file.tell()
