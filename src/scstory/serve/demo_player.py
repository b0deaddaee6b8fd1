"""The demonstration: the bundled sample played as if it happened now, only faster."""

from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import groupby

from scstory.errors import StoreError
from scstory.sample import load_sample
from scstory.serve.background import StoppableThread
from scstory.store import Store
from scstory.types import Article

DEMO_HISTORY = timedelta(days=11)
"""The first part of the sample, which is played a day at a time."""
ARTICLE_PAUSE, DAY_PAUSE = 1.2, 0.15
"""Seconds between articles, and between days of the history."""


class Player(StoppableThread):
    """Feeds the sample's articles to a store in order, dated so that the last is of today."""

    def __init__(self, store: Store, *, pause: float = ARTICLE_PAUSE) -> None:
        super().__init__("demo")
        self._store, self._pause = store, pause
        self._articles = up_to_date([i.article for i in load_sample() if i.article])
        self._time = self._articles[0].published
        self.over = False
        """Whether the last article is out."""

    def now(self) -> datetime:
        """Return the time that the sample has reached, which is the writer's clock."""
        return self._time

    def run(self) -> None:
        """Play the sample to its end."""
        since = self._articles[0].published + DEMO_HISTORY
        history = [article for article in self._articles if article.published < since]
        days = groupby(history, key=lambda article: article.published.date())
        single = ([article] for article in self._articles[len(history) :])
        for batch in (*(list(articles) for _, articles in days), *single):
            self._time = batch[-1].published
            self.over = batch[-1] is self._articles[-1]  # before readers see what follows from it
            with suppress(StoreError):  # the writer reports it
                self._store.accept(batch)
            pause = self._pause if batch[-1].published >= since else min(DAY_PAUSE, self._pause)
            if self.stopping.wait(pause):
                return


def up_to_date(articles: list[Article]) -> list[Article]:
    """Return articles shifted by whole days so that the last is at most 24 hours old."""
    moved = (datetime.now(UTC) - articles[-1].published) // timedelta(days=1) * timedelta(days=1)
    return [replace(article, published=article.published + moved) for article in articles]
