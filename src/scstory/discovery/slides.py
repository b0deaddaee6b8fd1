"""Slides: a stream cut into steps of equal length in publication time.

Slides are aligned to the epoch, so a slide of a day is a calendar day in UTC.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby
from operator import itemgetter
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
    items: Sequence[T], time_of: Callable[[T], datetime], slide: timedelta, current: int | None
) -> Iterator[tuple[int, list[T]]]:
    """Yield items by the slide in which they are decided.

    Time never goes back: an item of a slide before the current one goes with the current one.
    """
    indices = []
    for item in items:
        index = slide_index(time_of(item), slide)
        current = index if current is None else max(current, index)
        indices.append(current)
    for index, group in groupby(zip(indices, items, strict=True), key=itemgetter(0)):
        yield index, [item for _, item in group]


def cut_slides(articles: Iterable[Article], slide: timedelta) -> Iterator[list[Article]]:
    """Cut a stream into slides, each in publication order; those without articles are left out.

    A slide is complete when an article of a later one arrives.
    """
    current: int | None = None
    waiting: list[Article] = []
    for article in articles:
        index = slide_index(article.published, slide)
        if current is None or index > current:
            if waiting:
                yield sorted(waiting, key=_published)
            current, waiting = index, []
        waiting.append(article)
    if waiting:
        yield sorted(waiting, key=_published)


def _published(article: Article) -> datetime:
    return article.published
