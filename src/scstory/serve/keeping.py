"""Who works while the service runs: a keeper and a follower of feeds, or a mere reader."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Protocol

from scstory.config import Settings
from scstory.discovery import StoryDiscovery
from scstory.errors import Kept, ScstoryError
from scstory.feeds import Item
from scstory.runners import open_engine
from scstory.runners.follow import Follower, Poll
from scstory.runners.keeper import Keeper
from scstory.store import Store, open_store
from scstory.types import Article, Assignment
from scstory.vectors import EncodeAhead

FEW, MANY = 8, 64
"""Articles decided on at a time. While more wait than that, the number doubles: a small step is
seen sooner and keeps questions (and the end of the service) waiting less, a large one costs less
an article."""
POLL = 0.2
STAND_BY = 1.0
"""Seconds between two attempts to become the one who decides."""
LONGEST_WAIT = 60.0
FRESH = 10.0
"""Seconds that a copy of the engine is asked before the store is asked for a newer one."""


class Matcher(Protocol):
    """Someone who can be asked which story a text would join."""

    def match(self, article: Article) -> Assignment:
        """Say which story an article would join, without taking it in."""


class Deciding:
    """The keeper in its thread, and the engine it shares with those who ask.

    While somebody else keeps the store it stands by, and `meanwhile` is asked.
    """

    def __init__(
        self,
        engine: StoryDiscovery,
        store: Store,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        encoding: EncodeAhead | None = None,
        meanwhile: Matcher | None = None,
        on_problem: Callable[[str], None] = lambda problem: None,
    ) -> None:
        self._engine, self._on_problem = engine, on_problem
        self._store, self._meanwhile = store, meanwhile
        self._keeper = Keeper(
            engine,
            store,
            clock=clock,
            encoding=encoding,
            stand_by=True,
            on_problem=self._problem,
        )
        self._turn = threading.Lock()
        self._stop = threading.Event()
        self._woken = threading.Event()
        self._thread = threading.Thread(target=self._run, name="keeper")
        self.problem: str | None = None
        self._at_a_time = FEW

    def start(self) -> None:
        """Begin to decide on what waits."""
        self._thread.start()

    def stop(self) -> None:
        """Finish the step at hand, then stop."""
        self._stop.set()
        self._woken.set()
        if self._thread.is_alive():
            self._thread.join()

    def wake(self) -> None:
        """Look at once for what has come."""
        self._woken.set()

    @property
    def alive(self) -> bool:
        """Whether the thread runs."""
        return self._thread.is_alive()

    @property
    def standing_by(self) -> str | None:
        """Who keeps the store instead, if somebody does."""
        return self._keeper.standing_by

    def keeping(self) -> bool:
        """Say whether it is this keeper that decides."""
        return self._store.keeping()

    def match(self, article: Article) -> Assignment:
        """Say which story an article would join, between two steps of the keeper."""
        if self.standing_by and self._meanwhile:
            return self._meanwhile.match(article)
        with self._turn:
            return self._engine.predict_one(article)

    def _run(self) -> None:
        wait, stood_by = POLL, self.standing_by
        while not self._stop.is_set():
            self._woken.clear()
            try:
                while not self._stop.is_set() and self._step():
                    time.sleep(0.002)  # so that a question gets its turn
                wait, self.problem = POLL, None
                if stood_by and not self.standing_by:
                    self._on_problem("taken over: it is decided here from now on")
                stood_by = self.standing_by
            except Kept as kept:
                if self._keeper.standing_by != str(kept):
                    self._on_problem(f"standing by: {kept}")
                self._keeper.standing_by = stood_by = str(kept)
                wait, self.problem = STAND_BY, None
            except Exception as error:  # whatever it is, the keeper goes back to what is stored
                self.problem, wait = str(error), min(2 * wait, LONGEST_WAIT)
                self._on_problem(str(error))
            self._woken.wait(wait)

    def _step(self) -> bool:
        with self._turn:
            done = self._keeper.step(self._at_a_time) or self._keeper.close_if_due()
        if done is None:
            self._at_a_time = FEW
            return False
        if len(done.articles) >= self._at_a_time:
            self._at_a_time = min(2 * self._at_a_time, MANY)
        return True

    def _problem(self, article: Article | None, problem: str) -> None:
        self._on_problem(f"{article.id}: {problem}" if article else problem)


class Following:
    """The feeds that the store names, followed in a thread of its own."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        *,
        active: Callable[[], bool] = lambda: True,
        on_problem: Callable[[str], None] = lambda problem: None,
    ) -> None:
        def problem(item: Item) -> None:
            on_problem(f"{item.place}: {item.problem}")

        def looked(poll: Poll) -> None:
            if poll.was:
                on_problem(f"{poll.was}: has moved for good; followed at {poll.feed.url}")

        self._follower = Follower(
            [store], store.accept, settings, active=active, on_poll=looked, on_problem=problem
        )
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="feeds")

    def start(self) -> None:
        """Begin to look at feeds as they become due."""
        self._thread.start()

    def stop(self) -> None:
        """Stop; what is being fetched is fetched again the next time."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        self._follower.run(self._stop)


class Copied:
    """A copy of the engine, for a service beside a keeper elsewhere."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._engine: StoryDiscovery | None = None
        self._event, self._since = -1, 0.0
        self._turn = threading.Lock()

    def match(self, article: Article) -> Assignment:
        """Say which story an article would join, as of a few seconds ago."""
        with self._turn:
            return self._fresh().predict_one(article)

    def _fresh(self) -> StoryDiscovery:
        if self._engine is not None and time.monotonic() - self._since < FRESH:
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
