"""Slides: a stream cut into steps of equal length in publication time.

Slides are aligned to the epoch, so a slide of a day is a calendar day in UTC.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import groupby
from operator import attrgetter
from typing import TypeVar

from scstory.types import Article

T = TypeVar("T")

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def slide_index(time: datetime, slide: timedelta) -> int:
    """Return the number of the slide that a time falls into."""
    return (time - EPOCH) // slide


def slide_start(index: int, slide: timedelta) -> datetime:
    """Return when a slide starts."""
    return EPOCH + index * slide


def by_slide(
    items: Iterable[T], time_of: Callable[[T], datetime], slide: timedelta, current: int | None
) -> Iterator[tuple[int, list[T]]]:
    """Yield items by the slide in which they are decided, once an item of a later one arrives.

    Time never goes back: an item of a slide before the current one goes with the current one.
    """

    def index_of(item: T) -> int:
        nonlocal current
        index = slide_index(time_of(item), slide)
        current = index if current is None else max(current, index)
        return current

    for index, some in groupby(items, index_of):
        yield index, list(some)


def cut_slides(articles: Iterable[Article], slide: timedelta) -> Iterator[list[Article]]:
    """Cut a stream into slides, each in publication order; those without articles are left out."""
    published = attrgetter("published")
    for _, some in by_slide(articles, published, slide, None):
        yield sorted(some, key=published)
