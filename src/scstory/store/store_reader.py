"""The read side of the store: one set of queries for the command line, the API and the pages."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scstory.discovery.settings import MethodSettings
from scstory.discovery.state import load_state
from scstory.discovery.state_parts import load_parts
from scstory.feeds.schedule import Subscription
from scstory.store.address import is_server
from scstory.store.archive_queries import ArchiveQueries
from scstory.store.article_list import ArticleLists
from scstory.store.article_queries import ArticleQueries
from scstory.store.columns import time_text
from scstory.store.correction_queries import CorrectionQueries
from scstory.store.database import Database, Readable, read_transaction
from scstory.store.event_queries import EventQueries
from scstory.store.follows import FollowQueries
from scstory.store.overview_queries import OverviewQueries
from scstory.store.ranking import Present, read_horizon, read_present
from scstory.store.reader_pool import ReaderPool
from scstory.store.records import Counts, Version
from scstory.store.story_queries import StoryQueries
from scstory.store.subscriptions import read_subscriptions

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """Return the time."""
    return datetime.now(UTC)


class StoreReader(
    StoryQueries,
    ArticleQueries,
    ArchiveQueries,
    EventQueries,
    FollowQueries,
    CorrectionQueries,
    ArticleLists,
    OverviewQueries,
):
    """Reads a store.

    The clock decides which stories are active: those with an article in the window that the
    engine would have if an article came now.
    """

    def __init__(self, db: Readable, *, clock: Clock = utc_now) -> None:
        self.db, self._clock = db, clock
        self._settings: MethodSettings | None = None
        self._cached: tuple[Version, Present] | None = None

    @property
    def name(self) -> str:
        """The name of the database in messages."""
        return self.db.name

    @read_transaction
    def version(self) -> Version:
        """Return what changes whenever a reader could see something new. The query is cheap."""
        commits, event, copy, rewritten = self.db.rows(
            "SELECT (SELECT commits FROM head), "
            "(SELECT coalesce(max(number), 0) FROM events), "
            "(SELECT coalesce(max(number), 0) FROM sources), "
            "(SELECT coalesce(max(number), 0) FROM rewritten)"
        )[0]
        return Version(commits, event, copy, self.horizon(), rewritten)

    @read_transaction
    def counts(self) -> Counts:
        """Return how much there is of everything."""
        return Counts(
            articles=self.db.value("SELECT count(*) FROM articles"),
            stories=self.db.value("SELECT count(*) FROM stories"),
            active=self.db.value(
                "SELECT count(*) FROM stories WHERE active = 1 AND last_seen >= ?",
                (self.horizon(),),
            ),
            outlets=self.db.value("SELECT count(DISTINCT source) FROM articles"),
            waiting=self.waiting(),
            parked=self.db.value("SELECT count(*) FROM parked"),
        )

    @read_transaction
    def waiting(self) -> int:
        """Return how many articles are accepted and not decided yet."""
        return int(self.db.value("SELECT count(*) FROM inbox"))

    @read_transaction
    def subscriptions(self, *, due: datetime | None = None) -> list[Subscription]:
        """Return the feeds that are followed, or those of them that are due at some time."""
        return read_subscriptions(self.db, due)

    def feeds(self) -> list[Subscription]:
        """Return the feeds that are followed, failing ones first."""
        return sorted(
            self.subscriptions(), key=lambda feed: (not feed.errors, feed.title.lower(), feed.url)
        )

    # -- the present --------------------------------------------------------------------------

    @read_transaction
    def now(self) -> datetime | None:
        """Return the time that the stream has reached: that of its newest article."""
        newest = self.newest_time()
        return None if newest is None else min(newest, utc_now())

    @read_transaction
    def is_past(self) -> bool:
        """Return whether the stream is one of the past: its newest article has left the window."""
        newest, horizon = self.newest_time(), self.horizon()
        return newest is not None and (not horizon or time_text(newest) < horizon)

    @read_transaction
    def present(self) -> Present:
        """Return the active stories by momentum, and how many articles and outlets they have."""
        version = self.version()
        if self._cached is None or self._cached[0] != version:
            self._cached = (version, read_present(self.db, version.horizon))
        return self._cached[1]

    @read_transaction
    def horizon(self) -> str:
        """Return since when an article counts as of the present."""
        if self._settings is None:  # a database keeps the settings it was created with
            stored = self.engine()
            if not stored:
                return ""
            stored = stored["parameters"]
            self._settings = MethodSettings(window=stored["window"], slide=stored["slide"])
        return read_horizon(self.db, self._settings, self._clock())

    # -- the engine ---------------------------------------------------------------------------

    @read_transaction
    def engine(self) -> Mapping[str, Any]:
        """Return the parameters and the like that the engine was last committed with."""
        found = self.db.rows("SELECT state FROM engine_parts WHERE name = 'meta'")
        return load_state(found[0][0], what=self.name).meta if found else {}

    @read_transaction
    def window(self) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the story and the vector of each article of the window, as last committed."""
        found = self.db.rows(
            "SELECT name, state FROM engine_parts WHERE name LIKE 'window-rows-%' "
            "OR name LIKE 'window-vectors-%'"
        )
        if not found:
            return np.empty(0, dtype=np.int64), np.empty((0, 0), dtype=np.float32)
        arrays = load_parts({row[0]: row[1] for row in found}, what=self.name).arrays
        return arrays["window.story"], arrays["window.vectors"].astype(np.float32)


class SharedReader(StoreReader):
    """Reads a store for many threads, over a few connections of its own."""

    db: ReaderPool

    def __init__(self, address: str, *, clock: Clock = utc_now) -> None:
        super().__init__(ReaderPool(address), clock=clock)
        self._listener: Database | None = None

    @property
    def notifies(self) -> bool:
        """Whether the database notifies its readers of commits: only then can one `listen`."""
        return is_server(self.db.address)

    def listen(self, seconds: float) -> bool:
        """Wait until a transaction has been committed; False if none was for so long."""
        if self._listener is None:
            self._listener = self.db.open()
        return self._listener.listen(seconds)

    def close(self) -> None:
        """Close the connections."""
        self.db.close()
        if self._listener:
            self._listener.close()
