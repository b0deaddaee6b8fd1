"""When a feed is looked at next: often if it often has news, seldom if not, later if it fails."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

FIRST = 900.0
"""Seconds between the first two looks at a feed."""
FASTER, SLOWER = 1.5, 1.25
"""By what the interval is divided after a look that found news, and multiplied after another."""


@dataclass(frozen=True, slots=True)
class Subscription:
    """A feed that is followed, and how that has gone so far."""

    url: str
    title: str = ""
    etag: str | None = None
    modified: str | None = None
    fetched: datetime | None = None
    """When it last answered."""
    found: datetime | None = None
    """When it last had something new."""
    interval: float = FIRST
    """Seconds between two looks, as long as all goes well."""
    errors: int = 0
    """Failures since it last answered."""
    error: str | None = None
    due: datetime | None = None
    """When to look next; None is at once."""

    def is_due(self, now: datetime) -> bool:
        """Tell whether it is time to look."""
        return self.due is None or self.due <= now


@dataclass(frozen=True, slots=True)
class Pace:
    """How a feed's next look is set: between two intervals, in seconds, and never in step."""

    shortest: float
    longest: float
    chance: random.Random

    def after_success(
        self,
        feed: Subscription,
        now: datetime,
        *,
        new: int,
        fresh_for: float = 0,
        waiting: bool = False,
    ) -> Subscription:
        """Return a feed after a look that went well and found so many new items.

        While the pages of some items are `waiting` to be had, it is looked at again soon.
        """
        interval = feed.interval / FASTER if new or waiting else feed.interval * SLOWER
        interval = self._within(interval)
        wait = self.shortest if waiting else self._within(max(interval, fresh_for))
        wait *= self.chance.uniform(0.9, 1.1)
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
        """Return a feed after a look that failed: each time in a row the wait doubles."""
        errors = feed.errors + 1
        wait = self._within(self.shortest * 2.0 ** min(errors - 1, 30))
        wait *= self.chance.uniform(0.75, 1.25)
        return replace(
            feed,
            errors=errors,
            error=reason,
            due=now + timedelta(seconds=max(wait, retry_after or 0)),
        )

    def _within(self, seconds: float) -> float:
        return min(max(seconds, self.shortest), self.longest)
