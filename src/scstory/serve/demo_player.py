"""The demonstration: the bundled sample played as if it happened now, only faster."""

import threading
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from scstory.errors import StoreError
from scstory.sample import load_sample
from scstory.store import Store
from scstory.types import Article

DEMO_HISTORY = timedelta(days=11)
"""The first part of the sample, which is played a day at a time."""
ARTICLE_PAUSE, DAY_PAUSE = 1.2, 0.15
"""Seconds between articles, and between days of the history."""


class Player:
    """Feeds the sample's articles to a store in order, dated so that the last is of today."""

    def __init__(self, store: Store, *, pause: float = ARTICLE_PAUSE) -> None:
        self._store, self._pause = store, pause
        self._articles = up_to_date([i.article for i in load_sample() if i.article])
        self._time = self._articles[0].published
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="demo")

    def now(self) -> datetime:
        """Return the time that the sample has reached, which is the writer's clock."""
        return self._time

    def start(self) -> None:
        """Start to play."""
        self._thread.start()

    def stop(self) -> None:
        """Stop playing."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        since = self._articles[0].published + DEMO_HISTORY
        history = [article for article in self._articles if article.published < since]
        days: dict[object, list[Article]] = {}
        for article in history:
            days.setdefault(article.published.date(), []).append(article)
        batches = [*days.values(), *([article] for article in self._articles[len(history) :])]
        for batch in batches:
            self._time = batch[-1].published
            with suppress(StoreError):  # the writer reports it
                self._store.accept(batch)
            pause = self._pause if batch[-1].published >= since else min(DAY_PAUSE, self._pause)
            if self._stop.wait(pause):
                return


def up_to_date(articles: list[Article]) -> list[Article]:
    """Return articles shifted by whole days so that the last is at most 24 hours old."""
    moved = (datetime.now(UTC) - articles[-1].published) // timedelta(days=1) * timedelta(days=1)
    return [replace(article, published=article.published + moved) for article in articles]
