"""When a feed is polled next: soon if it often has news, later if it has none or fails."""

import random
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

FIRST_INTERVAL = 900.0
"""Seconds between the first two polls of a feed."""
FASTER, SLOWER = 1.5, 1.25
"""The divisor of the interval after a poll with news, and its factor after one without."""


@dataclass(frozen=True, slots=True)
class Subscription:
    """A feed that is followed, and the state of its polling."""

    url: str
    title: str = ""
    etag: str | None = None
    modified: str | None = None
    fetched: datetime | None = None
    """When it last responded."""
    found: datetime | None = None
    """When it last had something new."""
    interval: float = FIRST_INTERVAL
    """Seconds between two polls while none fails."""
    errors: int = 0
    """Failures since it last responded."""
    error: str | None = None
    due: datetime | None = None
    """When to poll it next; None is now."""
    section: str = ""
    """The folders that it is listed in, joined by `SECTION_MARK`."""

    def is_due(self, now: datetime) -> bool:
        """Return whether it is time to poll."""
        return self.due is None or self.due <= now


@dataclass(frozen=True, slots=True)
class Pace:
    """The rule for a feed's next poll: between two intervals, in seconds, with random jitter."""

    shortest: float
    longest: float
    jitter: random.Random

    def after_success(
        self,
        feed: Subscription,
        now: datetime,
        *,
        new: int,
        fresh_for: float = 0,
        waiting: bool = False,
    ) -> Subscription:
        """Return a feed after a poll that succeeded, with its number of new items.

        While the pages of some items are still `waiting`, the feed is polled again soon.
        """
        interval = feed.interval / FASTER if new or waiting else feed.interval * SLOWER
        interval = self._within(interval)
        wait = self.shortest if waiting else self._within(max(interval, fresh_for))
        wait *= self.jitter.uniform(0.9, 1.1)
        return replace(
            feed,
            fetched=now,
            found=now if new else feed.found,
            interval=interval,
            errors=0,
            error=None,
            due=now + timedelta(seconds=wait),
        )

    def after_failure(
        self, feed: Subscription, now: datetime, reason: str, *, retry_after: float | None = None
    ) -> Subscription:
        """Return a feed after a poll that failed: the wait doubles with each failure in a row."""
        errors = feed.errors + 1
        wait = self._within(self.shortest * 2.0 ** min(errors - 1, 30))
        wait *= self.jitter.uniform(0.75, 1.25)
        return replace(
            feed,
            errors=errors,
            error=reason,
            due=now + timedelta(seconds=max(wait, retry_after or 0)),
        )

    def _within(self, seconds: float) -> float:
        return min(max(seconds, self.shortest), self.longest)
