"""Timelines as pictures: bars, dates below them, and counts beside them.

Horizontal places are percentages of the width, so a picture fits any screen and its text is not
stretched. Dates are those of UTC; a script moves them to the reader's time zone.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count, takewhile

from scstory.store.timeline import Timeline, floor_to
from scstory.text.phrases import counted

MIN_STEPS = 12
"""A picture of fewer steps gets empty ones, so that no bar is as wide as the page."""
MAX_TICKS, MAX_CLOCK_TICKS, MAX_LEVELS = 5, 4, 3
"""The most spaces between dates, between times of day, and the most counts beside the bars."""
LAST_LABEL = 88.0
"""A date further to the right, in percent, has no room and is not written."""

_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)
_TICK_HOURS, _TICK_DAYS, _TICK_MONTHS = (1, 2, 3, 6, 12), (1, 2, 4, 7, 14), (1, 2, 3, 6)


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar: its place from the left and its width in percent, and its share of the height."""

    x: float
    width: float
    share: float
    start: datetime
    end: datetime
    count: int


@dataclass(frozen=True, slots=True)
class Tick:
    """A date on the axis."""

    x: float
    label: str
    time: datetime


@dataclass(frozen=True, slots=True)
class Chart:
    """A timeline to be drawn. `levels` are counts with their shares of the height."""

    start: datetime
    length: timedelta
    bars: tuple[Bar, ...]
    ticks: tuple[Tick, ...]
    levels: tuple[tuple[int, float], ...]
    step: str


def chart(timeline: Timeline) -> Chart:
    """Return the picture of a timeline."""
    start, step = timeline.start, timeline.step
    steps = max(len(timeline.counts), MIN_STEPS)
    length, wide = steps * step, 100 / steps
    levels = _levels(max(timeline.counts, default=0))
    top = levels[-1]
    bars = tuple(
        Bar(
            round((index + 0.14) * wide, 3),
            round(0.72 * wide, 3),
            number / top,
            start + index * step,
            start + (index + 1) * step,
            number,
        )
        for index, number in enumerate(timeline.counts)
        if number
    )
    ticks = tuple(
        Tick(round(100 * ((time - start) / length), 3), label, time)
        for time, label in _ticks(start, length)
    )
    return Chart(
        start, length, bars, ticks, tuple((level, level / top) for level in levels), in_words(step)
    )


def _levels(most: int) -> list[int]:
    """Return round counts from the smallest to one that no bar exceeds.

    >>> _levels(1), _levels(3), _levels(14)
    ([1, 2], [1, 2, 3], [5, 10, 15])
    """
    steps = (digit * 10**power for power in count() for digit in (1, 2, 5))
    step = next(step for step in steps if MAX_LEVELS * step >= most)
    return [step * number for number in range(1, max(2, -(-most // step)) + 1)]


def _ticks(start: datetime, length: timedelta) -> list[tuple[datetime, str]]:
    """Return the dates to write below a picture, as many as there is room for."""
    end, shown = start + length, length / MAX_TICKS
    for hours in _TICK_HOURS:
        if hours * _HOUR >= length / MAX_CLOCK_TICKS:
            times = list(_between(_by_hours(start, hours), start, end))
            return [(time, _hour(time, time == times[0])) for time in times]
    for days in _TICK_DAYS:
        if days * _DAY >= shown:
            return [(t, f"{t.day} {t:%b}") for t in _between(_by_days(start, days), start, end)]
    for months in _TICK_MONTHS:
        if months * 30.5 * _DAY >= shown:
            firsts = _between(_by_months(start, months), start, end)
            return [(t, f"{t:%b %Y}" if t.month == 1 else f"{t:%b}") for t in firsts]
    years = next(years for years in count(1) if years * 365 * _DAY >= shown)
    return [(t, f"{t.year}") for t in _between(_by_months(start, 12 * years), start, end)]


def _between(times: Iterator[datetime], start: datetime, end: datetime) -> Iterator[datetime]:
    return (time for time in takewhile(lambda time: time < end, times) if time >= start)


def _by_hours(start: datetime, hours: int) -> Iterator[datetime]:
    first = floor_to(start, hours * _HOUR)
    return (first + number * hours * _HOUR for number in count())


def _by_days(start: datetime, days: int) -> Iterator[datetime]:
    """Yield midnights, so many days apart; weeks begin on Monday."""
    first = floor_to(start, _DAY)
    first -= (first.toordinal() - 1) % days * _DAY
    return (first + number * days * _DAY for number in count())


def _by_months(start: datetime, months: int) -> Iterator[datetime]:
    first = 12 * start.year + start.month - 1
    first -= first % months
    places = (divmod(first + number * months, 12) for number in count())
    return (datetime(year, month + 1, 1, tzinfo=UTC) for year, month in places if year < 10_000)


def _hour(time: datetime, first: bool) -> str:
    date = f"{time.day} {time:%b}"
    if time.hour == 0:
        return date
    return f"{date}, {time:%H:%M}" if first else f"{time:%H:%M}"


def in_words(step: timedelta) -> str:
    """Return a duration in words.

    >>> in_words(timedelta(hours=12)), in_words(timedelta(days=1)), in_words(timedelta(days=7))
    ('12 hours', 'day', 'week')
    """
    for unit, noun in ((7 * _DAY, "week"), (_DAY, "day"), (_HOUR, "hour")):
        if step >= unit and step % unit == timedelta(0):
            return noun if step == unit else counted(step // unit, noun)
    return f"{step / _HOUR:g} hours"
