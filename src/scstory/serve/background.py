"""What runs in the background of a service: the writer, the follower of feeds, a replica."""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Protocol

from scstory.config import Settings
from scstory.discovery import Engine
from scstory.errors import AlreadyClaimed, ScstoryError
from scstory.feeds import Item
from scstory.runners import open_engine
from scstory.runners.follow import Follower, Poll
from scstory.runners.run_feeds import CLAIM_PAUSE
from scstory.runners.writer import LONGEST_PAUSE, Writer
from scstory.store import Store, open_store
from scstory.types import Article, Assignment
from scstory.vectors import Prefetcher

SMALLEST_STEP, LARGEST_STEP = 8, 64
"""Articles decided in one step. While more articles wait, the number doubles: the effects of a
small step are visible sooner and delay requests (and the end of the service) less, a large step
costs less for each article."""
POLL_PAUSE = 0.2
REPLICA_AGE = 10.0
"""Seconds after which a replica of the engine is brought up to date before it is asked again."""


class StoppableThread(threading.Thread):
    """A thread that works until it is told to stop."""

    def __init__(self, name: str) -> None:
        super().__init__(name=name)
        self.stopping = threading.Event()

    def stop(self) -> None:
        """Finish the current step, then stop."""
        self.stopping.set()
        if self.is_alive():
            self.join()


class Matcher(Protocol):
    """What can be asked which story a text would join."""

    def match(self, article: Article) -> Assignment:
        """Return which story an article would join, without storing it."""


class WriterThread(StoppableThread):
    """The writer in its thread, and the engine that it shares with requests.

    While another process is the writer it stands by, and requests go to the `replica`.
    """

    def __init__(
        self,
        engine: Engine,
        store: Store,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        encoding: Prefetcher | None = None,
        replica: Matcher | None = None,
        on_problem: Callable[[str], None] = lambda problem: None,
    ) -> None:
        super().__init__("writer")
        self._engine, self._on_problem = engine, on_problem
        self._store, self._replica = store, replica
        self._writer = Writer(
            engine, store, clock=clock, encoding=encoding, stand_by=True, on_problem=self._problem
        )
        self._turn = threading.Lock()
        self.problem: str | None = None
        self._step_size = SMALLEST_STEP

    @property
    def standing_by(self) -> str | None:
        """Why this process only stands by, if it does: which process is the writer."""
        return self._writer.standing_by

    def is_writer(self) -> bool:
        """Say whether this process is the writer."""
        return self._store.is_writer()

    def match(self, article: Article) -> Assignment:
        """Return which story an article would join, between two steps of the writer."""
        if self.standing_by and self._replica:
            return self._replica.match(article)
        with self._turn:
            return self._engine.predict(article)

    def run(self) -> None:
        """Decide what waits, and close slides as they become due."""
        pause = POLL_PAUSE
        while not self.stopping.is_set():
            try:
                while not self.stopping.is_set() and self._step():
                    time.sleep(0.002)  # so that a request gets its turn
                pause, self.problem = POLL_PAUSE, None
            except AlreadyClaimed as claimed:
                if self._writer.standing_by != str(claimed):
                    self._on_problem(f"standing by: {claimed}")
                self._writer.standing_by = str(claimed)
                pause, self.problem = CLAIM_PAUSE, None
            except Exception as error:  # whatever it is, the writer goes back to the stored state
                self.problem, pause = str(error), min(2 * pause, LONGEST_PAUSE)
                self._on_problem(str(error))
            self.stopping.wait(pause)

    def _step(self) -> bool:
        with self._turn:
            done = self._writer.step(self._step_size) or self._writer.close_if_due()
        if done is None:
            self._step_size = SMALLEST_STEP
            return False
        if len(done.articles) >= self._step_size:
            self._step_size = min(2 * self._step_size, LARGEST_STEP)
        return True

    def _problem(self, article: Article | None, problem: str) -> None:
        self._on_problem(f"{article.id}: {problem}" if article else problem)


class FeedThread(StoppableThread):
    """Follows the feeds that the store names, in a thread of its own."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        *,
        active: Callable[[], bool] = lambda: True,
        on_problem: Callable[[str], None] = lambda problem: None,
    ) -> None:
        super().__init__("feeds")

        def problem(item: Item) -> None:
            on_problem(f"{item.place}: {item.problem}")

        def looked(poll: Poll) -> None:
            if poll.was:
                on_problem(f"{poll.was}: has moved permanently; followed at {poll.feed.url}")

        self._follower = Follower(
            [store], store.accept, settings, active=active, on_poll=looked, on_problem=problem
        )

    def run(self) -> None:
        """Fetch feeds as they become due; what a stop interrupts is fetched again."""
        self._follower.run(self.stopping)


class EngineReplica:
    """A replica of the engine, for a service that is not the writer."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._engine: Engine | None = None
        self._event, self._since = -1, 0.0
        self._turn = threading.Lock()

    def match(self, article: Article) -> Assignment:
        """Return which story an article would join, as of a few seconds ago."""
        with self._turn:
            return self._up_to_date().predict(article)

    def _up_to_date(self) -> Engine:
        if self._engine is not None and time.monotonic() - self._since < REPLICA_AGE:
            return self._engine
        store = open_store(self._settings.db, create=False)
        try:
            event = store.last_event()
            if self._engine is None:
                self._engine = open_engine(store, self._settings)
            elif event != self._event and (state := store.state()):
                self._engine.restore(state)
            self._event, self._since = event, time.monotonic()
        finally:
            with suppress(ScstoryError):
                store.close()
        return self._engine
