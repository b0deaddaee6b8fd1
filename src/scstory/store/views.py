"""What readers see of a store: stories, articles and events as rows, and times counted up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

from scstory.types import KeySentence, RunnerUp

HALF_LIFE = timedelta(days=1)
"""After this long an article counts half in a story's momentum."""

RECENT = 10 * HALF_LIFE
"""Older articles do not count in momentum at all."""

Sort = Literal["momentum", "latest", "size", "relevance"]


class Version(NamedTuple):
    """What tells one state of the store from the next."""

    commits: int
    event: int
    copy: int
    horizon: str = ""
    """Since when an article counts as of the present; "" where all the engine's window does."""

    def __str__(self) -> str:
        return f"{self.commits}.{self.event}.{self.copy}.{self.horizon[:16]}"


@dataclass(frozen=True, slots=True)
class StoryQuery:
    """Which stories, in which order. A range is met by stories that touch it."""

    text: str = ""
    active: bool | None = None
    since: datetime | None = None
    until: datetime | None = None
    min_size: int = 1
    max_size: int | None = None
    sort: Sort = "latest"


class Cursor(NamedTuple):
    """Where the last page ended: the sort key and the id of its last item."""

    key: float | str
    id: int


@dataclass(frozen=True, slots=True)
class Timeline:
    """How many articles fell into each of equally long stretches of time."""

    start: datetime
    step: timedelta
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class StoryRow:
    """A story as lists show it."""

    id: int
    title: str
    keywords: tuple[str, ...]
    key_sentences: tuple[KeySentence, ...]
    first_seen: datetime
    last_seen: datetime
    size: int
    confidence: float
    active: bool
    momentum: float = 0.0
    sources: tuple[tuple[str, int], ...] = ()
    timeline: Timeline | None = None
    last_event: int = 0


@dataclass(frozen=True, slots=True)
class ArticleRow:
    """An article as lists show it, with the decision on it."""

    id: str
    sequence: int
    published: datetime
    title: str
    text: str
    url: str | None
    source: str | None
    language: str | None
    story: int | None
    confidence: float | None
    new: bool
    weights: tuple[float, ...]
    runners_up: tuple[RunnerUp, ...]
    parts: dict[str, float]
    copies: tuple[Copy, ...] = ()


class Copy(NamedTuple):
    """Where else an article appeared."""

    id: str
    title: str
    url: str | None
    source: str | None


class FeedRow(NamedTuple):
    """A feed that is followed and how it fares."""

    url: str
    title: str
    fetched: datetime | None
    found: datetime | None
    errors: int
    error: str | None


class EventRow(NamedTuple):
    """Something that happened to a story, with what is known of the story now."""

    number: int
    kind: str
    story: int
    articles: tuple[str, ...]
    time: datetime
    becomes: int | None
    title: str | None
    size: int | None


_STEPS = [
    timedelta(hours=hours)
    for hours in (1, 3, 6, 12, 24, 48, 7 * 24, 14 * 24, 28 * 24, 91 * 24, 364 * 24)
]
_WINDOW = timedelta(days=14)


def window_timeline(times: Iterable[datetime], now: datetime) -> Timeline:
    """Return the last two weeks in half days: the same axis for every story."""
    step = timedelta(hours=12)
    start = floor_to(now, step) + step - _WINDOW
    return count_by(times, start=start, step=step, steps=_WINDOW // step)


def count_by(
    times: Iterable[datetime], *, start: datetime, step: timedelta, steps: int | None = None
) -> Timeline:
    """Count times by steps from a start; what lies outside is left out."""
    where = [(time - start) // step for time in times]
    if steps is None:
        steps = max(where, default=-1) + 1
    counts = Counter(index for index in where if 0 <= index < steps)
    return Timeline(start, step, tuple(counts[index] for index in range(steps)))


def momentum(times: Sequence[datetime], now: datetime) -> float:
    """Return how many articles there are, each counting half after a half-life."""
    since = now - RECENT
    return sum(2 ** (-max(now - time, timedelta(0)) / HALF_LIFE) for time in times if time >= since)


def floor_to(time: datetime, step: timedelta) -> datetime:
    """Return the start of the step a time falls into; steps begin at midnight."""
    midnight = time.replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight + (time - midnight) // step * step


def life_timeline(times: Sequence[datetime], *, at_most: int = 72) -> Timeline:
    """Return a whole life in at most so many steps, as fine as that allows."""
    span = max(times) - min(times)
    step = next((s for s in _STEPS if span / s <= at_most - 1), _STEPS[-1])
    return count_by(times, start=floor_to(min(times), step), step=step)
