"""The source protocol: a source yields items, each an article or the reason why there is none."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import IO, Any, Protocol

from scstory.config import FeedSettings
from scstory.feeds.article import MAX_CHARACTERS
from scstory.types import Article


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """What sources are told besides their name."""

    settings: FeedSettings = field(default_factory=FeedSettings)
    max_characters: int = MAX_CHARACTERS
    columns: Mapping[str, str] = field(default_factory=dict)
    """The columns or fields of files that the user named, by our field."""
    day_first: bool = False
    """Whether 03/04/2026 is 3 April where nothing else says so."""
    on_notice: Callable[[str], None] = lambda text: None
    """Called with what the user should know of how a source is read."""


@dataclass(frozen=True, slots=True)
class Item:
    """The content of one place in a source: an article, or the reason why there is none.

    `label` is the true story where the source has one. It is used for evaluation only and is not
    part of the article, which is all that discovery sees.
    """

    place: str
    article: Article | None
    problem: str | None = None
    label: str | None = None


Raw = tuple[str, Mapping[str, Any] | None, str | None]
"""A place within a file, the record that is there, and its problem."""


class Source(Protocol):
    """A source of articles. A bad item is reported and skipped, never fatal."""

    @property
    def name(self) -> str:
        """The name in messages."""

    @property
    def size(self) -> int | None:
        """The number of bytes to read, if known."""

    @property
    def position(self) -> int:
        """The number of bytes read so far."""

    @property
    def complete(self) -> bool:
        """Whether the last iteration reached the end."""

    def __iter__(self) -> Iterator[Item]:
        """Yield an Item for every record, good or bad."""


def bytes_read(file: IO[bytes] | None, size: int | None) -> int:
    """Return the number of bytes, as stored, that were read from a file of known size."""
    if file is None or size is None:
        return 0
    return size if file.closed else file.tell()
