"""Articles counted over time: timelines and momentum."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

MOMENTUM_HALF_LIFE = timedelta(days=1)
"""An article counts half in a story's momentum after this time."""

MOMENTUM_AGE = 10 * MOMENTUM_HALF_LIFE
"""Articles that are older do not count in momentum at all."""

_STEPS = [
    timedelta(hours=hours)
    for hours in (1, 3, 6, 12, 24, 48, 7 * 24, 14 * 24, 28 * 24, 91 * 24, 364 * 24)
]
_WINDOW = timedelta(days=14)


@dataclass(frozen=True, slots=True)
class Timeline:
    """How many articles fell into each of equally long stretches of time."""

    start: datetime
    step: timedelta
    counts: tuple[int, ...]


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
    since = now - MOMENTUM_AGE
    return sum(
        2 ** (-max(now - time, timedelta(0)) / MOMENTUM_HALF_LIFE)
        for time in times
        if time >= since
    )


def floor_to(time: datetime, step: timedelta) -> datetime:
    """Return the start of the step a time falls into; steps begin at midnight."""
    midnight = time.replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight + (time - midnight) // step * step


def life_timeline(times: Sequence[datetime], *, at_most: int = 72) -> Timeline:
    """Return a whole life in at most so many steps, as fine as that allows."""
    span = max(times) - min(times)
    step = next((s for s in _STEPS if span / s <= at_most - 1), _STEPS[-1])
    return count_by(times, start=floor_to(min(times), step), step=step)
