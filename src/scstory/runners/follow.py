"""Following feeds: each feed is fetched when it is due, and its new articles are accepted at once.

The follower fetches and accepts; the writer decides. All items of a feed are handled before its
ETag is stored, so a follower that is stopped halfway finds the rest the next time.
"""

import asyncio
import random
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from scstory.config import Settings
from scstory.errors import BadItem, FetchError, StoreError
from scstory.feeds.entries import Entry
from scstory.feeds.public_address import Resolve, resolve
from scstory.feeds.reader import Reader, page_instead
from scstory.feeds.schedule import Pace, Subscription
from scstory.feeds.source import Item
from scstory.store import Receipt, Store
from scstory.store.store_reader import utc_now
from scstory.types import Article

DUE_CHECK_PAUSE = 0.2
"""Seconds between two checks which feeds are due."""
GIVE_UP = 3
"""How often a page is tried that may come later, before its item is used as it is."""
MAX_POLLS = 64
"""Feeds that are handled at the same time; `feeds.requests` limits the requests."""
MAX_REPORTED = 10_000
"""Problems that are remembered so that they are not reported again."""


class Notebook:
    """A list of feeds and their state for one run, in memory, with the methods of a store."""

    def __init__(self, urls: Sequence[str]) -> None:
        self._feeds = {url: Subscription(url) for url in urls}
        self._tries: dict[str, dict[str, int]] = {url: {} for url in urls}

    def subscriptions(self, *, due: datetime | None = None) -> list[Subscription]:
        """Return the feeds, or those that are due."""
        return [feed for feed in self._feeds.values() if due is None or feed.is_due(due)]

    def update_subscription(self, feed: Subscription) -> None:
        """Store the state of a feed."""
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


Book = Store | Notebook
"""A list of followed feeds and their state."""


@dataclass(frozen=True, slots=True)
class Poll:
    """One fetch of a feed: how many of its items were accepted, or why it failed."""

    feed: Subscription
    new: int = 0
    was: str | None = None
    """The address it had until now, if it has moved permanently."""


class Follower:
    """Fetches feeds as they become due and hands their new articles to `accept`.

    Parameters
    ----------
    books
        The lists of feeds; they may change while the feeds are followed.
    accept
        Stores articles durably and returns what became of each: a store's `accept`.
    active
        Whether to fetch feeds at the moment.
    on_poll, on_problem
        Called after every fetch, and with every item that could not be used.
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
        clock: Callable[[], datetime] = utc_now,
        look_up: Resolve = resolve,
    ) -> None:
        self._books, self._accept, self._settings = books, accept, settings
        self._active, self._on_poll, self._on_problem = active, on_poll, on_problem
        self._clock, self._look_up = clock, look_up
        self._pace = Pace(*settings.feeds.intervals, random.Random())
        self._reported: set[tuple[str, str | None]] = set()

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
            await asyncio.sleep(DUE_CHECK_PAUSE)
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
        """Fetch one feed; whatever happens, set when to fetch it next."""
        before = feed.url
        try:
            new, feed = await self._look(book, feed, reader)
        except (FetchError, BadItem, StoreError) as error:
            retry = error.retry_after if isinstance(error, FetchError) else None
            new = 0
            feed = self._pace.after_failure(feed, self._clock(), str(error), retry_after=retry)
        except Exception as error:
            # A fault of scstory in one feed must not end the following of the others.
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
        reading = await reader.read(feed.url, etag=feed.etag, modified=feed.modified)
        if reading.is_page:
            raise BadItem(page_instead(reading))
        listing, new, waiting = reading.listing, 0, False
        if listing is not None:
            tries = await asyncio.to_thread(book.tries, feed.url)
            for problem in listing.problems:
                self._report_once(problem)
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

    def _report_once(self, problem: Item) -> None:
        """Report what is wrong with a feed, but not every time it is fetched."""
        if (known := (problem.place, problem.problem)) not in self._reported:
            self._on_problem(problem)
            if len(self._reported) >= MAX_REPORTED:
                self._reported.clear()
            self._reported.add(known)

    async def _take(
        self, book: Book, feed: Subscription, entry: Entry, tried: int, reader: Reader
    ) -> str:
        """Accept the article of an entry: "new", "old", "bad", or "later" if its page may come."""
        article = None
        try:
            article = await reader.article(entry, retry_later=tried + 1 < GIVE_UP)
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
