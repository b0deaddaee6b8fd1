"""From a web address to articles: the feed is fetched and read, short entries are filled up."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from scstory.config import FeedSettings
from scstory.errors import BadItem, FetchError
from scstory.feeds import newsapi
from scstory.feeds.addresses import Resolve, resolve
from scstory.feeds.article import MAX_CHARACTERS
from scstory.feeds.entries import Entry, Listing, entry_id, make_article
from scstory.feeds.fetch import Fetched, Fetcher
from scstory.feeds.page import Page, read_page
from scstory.feeds.source import Item
from scstory.feeds.web import read_feed
from scstory.types import Article


@dataclass(frozen=True, slots=True)
class Reading:
    """What one look at a feed gave: a listing, or None if it has not changed.

    Where there was a page instead of a feed, the listing is the one article on it, and `feeds`
    are the feeds that the page names.
    """

    listing: Listing | None
    etag: str | None = None
    modified: str | None = None
    fresh_for: float = 0
    is_page: bool = False
    feeds: tuple[str, ...] = ()
    moved: str | None = None
    """The feed's new address, if it has moved for good."""


class Reader:
    """Reads feeds, pages and `newsapi:QUERY`. For one event loop."""

    def __init__(
        self,
        settings: FeedSettings,
        *,
        max_characters: int = MAX_CHARACTERS,
        look_up: Resolve = resolve,
    ) -> None:
        self._settings = settings
        self._max_characters = max_characters
        self._fetcher = Fetcher(settings, look_up=look_up)

    async def look(
        self, name: str, *, etag: str | None = None, modified: str | None = None
    ) -> Reading:
        """Return what a feed holds now; raise FetchError or BadItem if it cannot be had."""
        if name.startswith(newsapi.PREFIX):
            return Reading(await self._ask(name))
        fetched = await self._fetcher.get(
            name, limit=self._settings.max_bytes, etag=etag, modified=modified
        )
        if fetched.status == 304:
            kept = (fetched.etag or etag, fetched.modified or modified)
            return Reading(None, *kept, fetched.fresh_for, moved=fetched.moved)
        read = await asyncio.to_thread(self._read, fetched, name)
        return Reading(
            read.listing,
            fetched.etag,
            fetched.modified,
            fetched.fresh_for,
            read.is_page,
            read.feeds,
            fetched.moved,
        )

    async def article(self, entry: Entry, *, patient: bool = False) -> Article:
        """Return the article of an entry, from its page where the feed has only a summary.

        A page that cannot be had is done without; if it may be had later and the caller is
        `patient`, its FetchError is raised. BadItem says why there is no article.
        """
        page, why = None, None
        settings = self._settings
        if settings.full_text and entry.url and len(entry.text) < settings.full_text_from:
            try:
                page = await self._page(entry.url)
            except FetchError as error:
                if patient and error.temporary:
                    raise
                why = str(error)
        now = datetime.now(UTC)
        return make_article(entry, page, now, why_no_page=why, max_characters=self._max_characters)

    def _read(self, fetched: Fetched, name: str) -> Reading:
        try:
            limit = self._settings.max_items
            listing = read_feed(fetched.body, fetched.url, charset=fetched.charset, max_items=limit)
        except BadItem:
            page = read_page(fetched.body, fetched.url, charset=fetched.charset)
            if not page.text and not page.feeds:
                raise
            return Reading(_listing_of(page, name), is_page=True, feeds=page.feeds)
        return Reading(listing)

    async def _page(self, url: str) -> Page:
        fetched = await self._fetcher.get(url, limit=self._settings.max_page_bytes)
        if fetched.content_type not in ("", "text/html", "application/xhtml+xml", "text/plain"):
            raise FetchError(f"is {fetched.content_type[:60]}, not a page")
        return await asyncio.to_thread(
            read_page, fetched.body, fetched.url, charset=fetched.charset
        )

    async def _ask(self, name: str) -> Listing:
        """Return the answer to a NewsAPI query, page after page."""
        key = newsapi_key()
        base, wanted = self._settings.newsapi_url, self._settings.max_items
        query = name.removeprefix(newsapi.PREFIX).strip()
        entries: list[Entry] = []
        problems: list[Item] = []
        total = 0
        for page in range(1, (wanted - 1) // newsapi.PAGE_SIZE + 2):
            try:
                fetched = await self._fetcher.get(
                    newsapi.query_url(base, query, page=page),
                    limit=self._settings.max_bytes,
                    headers={"X-Api-Key": key},
                )
                listing, total = newsapi.read_answer(fetched.body, name)
            except (FetchError, BadItem) as error:
                if page == 1:
                    raise
                # Not every account may ask for what comes after the first hundred.
                told = f"{total:,} results, of which {len(entries):,} could be had ({error})"
                problems.append(Item(name, None, told))
                break
            entries += listing.entries
            problems += listing.problems
            if page * newsapi.PAGE_SIZE >= total:
                break
        return Listing(name, tuple(entries[:wanted]), tuple(problems))


async def find_feed(reader: Reader, address: str) -> tuple[str, Reading]:
    """Return the feed at an address, or the one that the page there names, and what it holds.

    Raises FetchError or BadItem if there is none.
    """
    reading = await reader.look(address)
    if reading.is_page:
        if not reading.feeds:
            raise BadItem(page_instead(reading))
        address = reading.feeds[0]
        reading = await reader.look(address)
    if reading.is_page or reading.listing is None:
        raise BadItem("names a feed that is a page itself")
    return reading.moved or address, reading


def page_instead(reading: Reading) -> str:
    """Return what is wrong where a page was found instead of a feed."""
    if reading.feeds:
        return f"is a page, not a feed; the feed it names is {reading.feeds[0]}"
    return "is a page, not a feed, and names none"


def newsapi_key() -> str:
    """Return the key for NewsAPI; raise FetchError where there is none."""
    key = os.environ.get(newsapi.KEY, "").strip()
    if not key or not key.isascii() or not key.isprintable():
        raise FetchError(f"newsapi: needs a key from newsapi.org in the variable {newsapi.KEY}")
    return key


class WebSource:
    """Feeds and pages as a source, read once and side by side.

    Problems are told as they come, then all articles in the order of their publication: feeds
    tell the newest first.
    """

    size: int | None = None
    position = 0

    def __init__(
        self,
        name: str,
        addresses: Sequence[str],
        settings: FeedSettings,
        *,
        max_characters: int = MAX_CHARACTERS,
        look_up: Resolve = resolve,
    ) -> None:
        self.name = name
        self.addresses = tuple(addresses)
        self.complete = True
        self._make = partial(Reader, settings, max_characters=max_characters, look_up=look_up)

    def __iter__(self) -> Iterator[Item]:
        articles: list[tuple[datetime, Item]] = []
        found: asyncio.Queue[Item | None] = asyncio.Queue()
        self.complete = False
        with asyncio.Runner() as runner:
            # They go on whenever the runner runs, and are cancelled when it is left.
            tasks = runner.run(self._start(found))
            reading = len(tasks)
            while reading:
                item = runner.run(found.get())
                if item is None:
                    reading -= 1
                elif item.article is None:
                    yield item
                else:
                    articles.append((item.article.published, item))
            self.complete = all(task.result() for task in tasks)
        for _, item in sorted(articles, key=lambda pair: pair[0]):
            yield item

    async def _start(self, found: asyncio.Queue[Item | None]) -> list[asyncio.Task[bool]]:
        reader = self._make()
        return [asyncio.create_task(_read_all(reader, name, found)) for name in self.addresses]


async def _read_all(reader: Reader, name: str, found: asyncio.Queue[Item | None]) -> bool:
    """Read a feed to its end; say whether that was possible."""
    try:
        listing = (await reader.look(name)).listing or Listing()
        for problem in listing.problems:
            found.put_nowait(problem)
        for entry in listing.entries:
            try:
                found.put_nowait(Item(entry.place, await reader.article(entry)))
            except BadItem as error:
                found.put_nowait(Item(entry.place, None, str(error)))
    except (FetchError, BadItem) as error:
        found.put_nowait(Item(name, None, str(error)))
        return False
    finally:
        found.put_nowait(None)
    return True


def _listing_of(page: Page, name: str) -> Listing:
    """Return the one article of a page as a listing."""
    if not page.text:
        return Listing(page.title)
    entry = Entry(
        name,
        entry_id(None, page.url, name),
        page.title,
        page.text,
        page.url,
        page.published,
        page.source,
        page.language,
    )
    return Listing(page.source or page.title, (entry,))
