"""Following feeds: each is looked at when it is due, and what is new is accepted at once.

The follower fetches and accepts; deciding is the keeper's. What a feed offered is settled before
its ETag is kept, so a follower that is stopped halfway finds the rest the next time.
"""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Protocol

from scstory.config import Settings
from scstory.errors import BadItem, FetchError, StoreError
from scstory.feeds.addresses import Resolve, resolve
from scstory.feeds.entries import Entry
from scstory.feeds.reader import Reader, page_instead
from scstory.feeds.schedule import Pace, Subscription
from scstory.feeds.source import Item
from scstory.store import Receipt
from scstory.types import Article

TICK = 0.2
"""Seconds between two looks at the clock."""
GIVE_UP = 3
"""How often a page that may come later is tried before its item is taken as it is."""
MAX_POLLS = 64
"""Feeds that are worked on at the same time; how many requests run is `feeds.requests`."""

MAX_TOLD = 10_000
"""Problems that are remembered so as not to be told again."""


class Book(Protocol):
    """Where the feeds are written down that are followed. A store is one."""

    def subscriptions(self, *, due: datetime | None = None) -> list[Subscription]:
        """Return the feeds, or those that are due."""

    def update_subscription(self, feed: Subscription) -> None:
        """Keep the state of a feed, if it is still followed."""

    def move_subscription(self, url: str, to: str) -> None:
        """Follow a feed at its new address; one that is followed there already stays as it is."""

    def tries(self, url: str) -> dict[str, int]:
        """Return how often items of a feed have been tried, by their ids."""

    def note_tries(self, url: str, tries: Mapping[str, int], now: datetime) -> None:
        """Remember how often items have been tried."""

    def forget_items(self, url: str, still_there: Sequence[str], now: datetime) -> None:
        """Forget the items that have left a feed some time ago."""


class Notebook:
    """A book of feeds for one run, in memory."""

    def __init__(self, urls: Sequence[str]) -> None:
        self._feeds = {url: Subscription(url) for url in urls}
        self._tries: dict[str, dict[str, int]] = {url: {} for url in urls}

    def subscriptions(self, *, due: datetime | None = None) -> list[Subscription]:
        """Return the feeds, or those that are due."""
        return [feed for feed in self._feeds.values() if due is None or feed.is_due(due)]

    def update_subscription(self, feed: Subscription) -> None:
        """Keep the state of a feed."""
        self._feeds[feed.url] = feed

    def move_subscription(self, url: str, to: str) -> None:
        """Follow a feed at its new address; one that is followed there already stays as it is."""
        self._feeds.setdefault(to, replace(self._feeds.pop(url), url=to))
        self._tries.setdefault(to, {}).update(self._tries.pop(url))

    def tries(self, url: str) -> dict[str, int]:
        """Return how often items of a feed have been tried, by their ids."""
        return dict(self._tries[url])

    def note_tries(self, url: str, tries: Mapping[str, int], now: datetime) -> None:
        """Remember how often items have been tried."""
        self._tries[url].update(tries)

    def forget_items(self, url: str, still_there: Sequence[str], now: datetime) -> None:
        """Forget the items that have left a feed."""
        known = self._tries[url]
        self._tries[url] = {item: known[item] for item in still_there if item in known}


@dataclass(frozen=True, slots=True)
class Poll:
    """One look at a feed: how many of its items were accepted, or why it failed."""

    feed: Subscription
    new: int = 0
    was: str | None = None
    """The address it was followed at until now, if it has moved for good."""


class Follower:
    """Looks at feeds as they become due and hands what is new to `accept`.

    Parameters
    ----------
    books
        Where the feeds are written down; they may change while they are followed.
    accept
        Keeps articles durably and says what became of each: a store's `accept`.
    active
        Whether to look at feeds at the moment.
    on_poll, on_problem
        Called after every look, and with every item that could not be used.
    """

    def __init__(
        self,
        books: Sequence[Book],
        accept: Callable[[Sequence[Article]], Sequence[Receipt]],
        settings: Settings,
        *,
        active: Callable[[], bool] = lambda: True,
        on_poll: Callable[[Poll], None] = lambda poll: None,
        on_problem: Callable[[Item], None] = lambda item: None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        chance: random.Random | None = None,
        look_up: Resolve = resolve,
    ) -> None:
        self._books, self._accept, self._settings = books, accept, settings
        self._active, self._on_poll, self._on_problem = active, on_poll, on_problem
        self._clock, self._look_up = clock, look_up
        self._pace = Pace(*settings.feeds.intervals, chance or random.Random())
        self._told: set[tuple[str, str | None]] = set()

    def run(self, stop: threading.Event) -> None:
        """Follow until told to stop; what is being fetched then is dropped, to be fetched again."""
        asyncio.run(self._run(stop))

    async def _run(self, stop: threading.Event) -> None:
        # Looking up names and parsing feeds must not wait for each other.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(16))
        reader = Reader(
            self._settings.feeds,
            max_characters=self._settings.max_characters,
            look_up=self._look_up,
        )
        polls: dict[str, asyncio.Task[None]] = {}
        while not stop.is_set():
            polls = {url: poll for url, poll in polls.items() if not poll.done()}
            for book in self._books if self._active() else ():
                for feed in await self._due(book):
                    if feed.url not in polls and len(polls) < MAX_POLLS:
                        polls[feed.url] = asyncio.create_task(self._poll(book, feed, reader))
            await asyncio.sleep(TICK)
        for poll in polls.values():
            poll.cancel()
        await asyncio.gather(*polls.values(), return_exceptions=True)

    async def _due(self, book: Book) -> list[Subscription]:
        try:
            return await asyncio.to_thread(book.subscriptions, due=self._clock())
        except StoreError as error:
            self._on_problem(Item("feeds", None, str(error)))
            await asyncio.sleep(1)
            return []

    async def _poll(self, book: Book, feed: Subscription, reader: Reader) -> None:
        """Look at one feed; whatever happens, say when to look next."""
        before = feed.url
        try:
            new, feed = await self._look(book, feed, reader)
        except (FetchError, BadItem, StoreError) as error:
            retry = error.retry_after if isinstance(error, FetchError) else None
            new = 0
            feed = self._pace.after_failure(feed, self._clock(), str(error), retry_after=retry)
        except Exception as error:
            # A fault of ours in one feed must not end the others' following.
            reason = f"{type(error).__name__}: {error}"
            new, feed = 0, self._pace.after_failure(feed, self._clock(), reason)
        try:
            # Under its old address first: one that is followed at the new one keeps its own state.
            await asyncio.to_thread(book.update_subscription, replace(feed, url=before))
            if feed.url != before:
                await asyncio.to_thread(book.move_subscription, before, feed.url)
        except StoreError as error:
            self._on_problem(Item(feed.url, None, str(error)))
        self._on_poll(Poll(feed, new, before if feed.url != before else None))

    async def _look(
        self, book: Book, feed: Subscription, reader: Reader
    ) -> tuple[int, Subscription]:
        reading = await reader.look(feed.url, etag=feed.etag, modified=feed.modified)
        if reading.is_page:
            raise BadItem(page_instead(reading))
        listing, new, waiting = reading.listing, 0, False
        if listing is not None:
            tries = await asyncio.to_thread(book.tries, feed.url)
            for problem in listing.problems:
                self._tell_once(problem)
            for entry in sorted(listing.entries, key=_when):
                tried = tries.get(entry.id, 0)
                if tried < GIVE_UP:
                    outcome = await self._take(book, feed, entry, tried, reader)
                    new += outcome == "new"
                    waiting |= outcome == "later"
            ids = [entry.id for entry in listing.entries]
            await asyncio.to_thread(book.forget_items, feed.url, ids, self._clock())
            feed = replace(feed, title=feed.title or listing.title)
        # An unchanged answer would hide the items that are to be tried again.
        etag, modified = (None, None) if waiting else (reading.etag, reading.modified)
        feed = replace(feed, url=reading.moved or feed.url, etag=etag, modified=modified)
        done = self._pace.after_success(
            feed, self._clock(), new=new, fresh_for=reading.fresh_for, waiting=waiting
        )
        return new, done

    def _tell_once(self, problem: Item) -> None:
        """Report what is wrong with a feed, but not at every look again."""
        if (told := (problem.place, problem.problem)) not in self._told:
            self._on_problem(problem)
            if len(self._told) >= MAX_TOLD:
                self._told.clear()
            self._told.add(told)

    async def _take(
        self, book: Book, feed: Subscription, entry: Entry, tried: int, reader: Reader
    ) -> str:
        """Accept the article of an entry: "new", "old", "bad", or "later" if its page may come."""
        article = None
        try:
            article = await reader.article(entry, patient=tried + 1 < GIVE_UP)
        except FetchError:
            await asyncio.to_thread(book.note_tries, feed.url, {entry.id: tried + 1}, self._clock())
            return "later"
        except BadItem as error:
            self._on_problem(Item(entry.place, None, str(error)))
        return await asyncio.to_thread(self._keep, book, feed.url, entry.id, article)

    def _keep(self, book: Book, url: str, item: str, article: Article | None) -> str:
        status = "bad"
        if article is not None:
            (receipt,) = self._accept([article])
            status = "new" if receipt.status == "accepted" else "old"
        book.note_tries(url, {item: GIVE_UP}, self._clock())
        return status


def _when(entry: Entry) -> datetime:
    return entry.published or datetime.max.replace(tzinfo=UTC)
