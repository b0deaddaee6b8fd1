"""From a web address to articles: feeds are parsed, short entries get the text of their page."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial

from scstory.config import FeedSettings
from scstory.errors import BadItem, FetchError
from scstory.feeds import newsapi
from scstory.feeds.article import MAX_CHARACTERS
from scstory.feeds.entries import Entry, Listing, entry_id, make_article
from scstory.feeds.feed_parser import is_list_of_feeds, read_feed
from scstory.feeds.fetch import Fetched, Fetcher
from scstory.feeds.no_article import RepeatedTexts, why_no_article
from scstory.feeds.page import Page, read_page
from scstory.feeds.plain_text import decode
from scstory.feeds.public_address import Resolve, resolve
from scstory.feeds.registry import check_web, is_web, with_scheme
from scstory.feeds.source import Item, SourceOptions
from scstory.types import Article


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of reading a feed once: a listing, or None if the feed has not changed.

    If the address is that of a page, the listing is the page's one article, and `feeds` are the
    feeds that the page links to.
    """

    listing: Listing | None
    etag: str | None = None
    modified: str | None = None
    fresh_for: float = 0
    is_page: bool = False
    feeds: tuple[str, ...] = ()
    moved: str | None = None
    """The feed's new address, if it has moved permanently."""


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
        self._repeated = RepeatedTexts()

    async def read(
        self, name: str, *, etag: str | None = None, modified: str | None = None
    ) -> Reading:
        """Return the present content of a feed; raise FetchError or BadItem if there is none."""
        if name.startswith(newsapi.NEWSAPI_PREFIX):
            return Reading(await self._search(name))
        fetched = await self._fetcher.get(
            name, limit=self._settings.max_bytes, etag=etag, modified=modified
        )
        if fetched.status == 304:
            validators = (fetched.etag or etag, fetched.modified or modified)
            return Reading(None, *validators, fetched.fresh_for, moved=fetched.moved)
        parsed = await asyncio.to_thread(self._parse, fetched, name)
        return replace(
            parsed,
            etag=fetched.etag,
            modified=fetched.modified,
            fresh_for=fetched.fresh_for,
            moved=fetched.moved,
        )

    async def article(self, entry: Entry, *, retry_later: bool = False) -> Article:
        """Return the article of an entry, from its page where the feed has only a summary.

        If the page cannot be fetched, the summary has to do; but if the failure is temporary and
        the caller can `retry_later`, its FetchError is raised. BadItem tells why there is none.
        """
        page, why = None, None
        settings = self._settings
        if settings.full_text and entry.url and len(entry.text) < settings.full_text_from:
            try:
                page = await self._page(entry.url)
            except FetchError as error:
                if retry_later and error.temporary:
                    raise
                why = str(error)
        now = datetime.now(UTC)
        made = make_article(entry, page, now, why_no_page=why, max_characters=self._max_characters)
        self._repeated.add([made])
        if made.title and self._repeated.problem(made):
            return replace(made, text="")  # the headline is the feed's own
        return made

    def _parse(self, fetched: Fetched, name: str) -> Reading:
        try:
            limit = self._settings.max_items
            listing = read_feed(fetched.body, fetched.url, charset=fetched.charset, max_items=limit)
        except BadItem:
            if is_list_of_feeds(decode(fetched.body[:10_000], fetched.charset)):
                raise
            page = read_page(fetched.body, fetched.url, charset=fetched.charset)
            if why := why_no_article(
                page.title, page.text, declared=page.declared, linked=page.linked
            ):
                if not page.feeds and not page.text:
                    raise
                if not page.feeds:
                    raise BadItem(f"is neither a feed nor an article ({why})") from None
                page = replace(page, text="")
            return Reading(_listing_of(page, name), is_page=True, feeds=page.feeds)
        return Reading(listing)

    async def _page(self, url: str) -> Page:
        fetched = await self._fetcher.get(url, limit=self._settings.max_page_bytes)
        if fetched.content_type not in ("", "text/html", "application/xhtml+xml", "text/plain"):
            raise FetchError(f"is {fetched.content_type[:60]}, not a page")
        return await asyncio.to_thread(
            read_page, fetched.body, fetched.url, charset=fetched.charset
        )

    async def _search(self, name: str) -> Listing:
        """Return the results of a NewsAPI query, page after page."""
        key = newsapi.newsapi_key()
        base, wanted = self._settings.newsapi_url, self._settings.max_items
        query = name.removeprefix(newsapi.NEWSAPI_PREFIX).strip()
        entries: list[Entry] = []
        problems: list[Item] = []
        total = 0
        for page in range(1, (wanted - 1) // newsapi.ANSWER_SIZE + 2):
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
                # Not every account may read beyond the first hundred results.
                problem = f"{total:,} results, of which {len(entries):,} could be read ({error})"
                problems.append(Item(name, None, problem))
                break
            entries += listing.entries
            problems += listing.problems
            if page * newsapi.ANSWER_SIZE >= total:
                break
        return Listing(name, tuple(entries[:wanted]), tuple(problems))


async def find_feed(reader: Reader, address: str) -> tuple[str, Reading]:
    """Return the feed at an address, or the one that the page there links to, and its content.

    Of an address without a scheme, `https://` is tried and then `http://`.

    Raises FetchError or BadItem if there is none.
    """
    address, reading = await _read_with_scheme(reader, address)
    if reading.is_page:
        if not reading.feeds:
            raise BadItem(page_instead(reading))
        address = reading.feeds[0]
        reading = await reader.read(address)
    if reading.is_page or reading.listing is None:
        raise BadItem("links to a feed that is itself a page")
    return reading.moved or address, reading


async def _read_with_scheme(reader: Reader, address: str) -> tuple[str, Reading]:
    """Return an address with its scheme, and what is there."""
    named = check_web(with_scheme(address))
    try:
        return named, await reader.read(named)
    except FetchError:
        if is_web(address.strip()):
            raise
        plain = check_web(f"http://{address.strip()}")
        with suppress(FetchError, BadItem):
            return plain, await reader.read(plain)
        raise


def page_instead(reading: Reading) -> str:
    """Return the problem where there is a page instead of a feed."""
    if reading.feeds:
        return f"is a page, not a feed; it links to the feed {reading.feeds[0]}"
    return "is a page, not a feed, and links to none"


class WebSource:
    """Feeds and pages as a source, which reads them once and concurrently.

    Problems come first, as they arise, then all articles in the order of their publication: feeds
    list the newest first.
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
            # Tasks proceed whenever the runner runs, and are cancelled when it closes.
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


def open_web(name: str, options: SourceOptions) -> WebSource:
    """Return the source of a web address or a query."""
    return WebSource(
        name, [check_web(name)], options.settings, max_characters=options.max_characters
    )


async def _read_all(reader: Reader, name: str, found: asyncio.Queue[Item | None]) -> bool:
    """Read a feed to its end; return whether that was possible."""
    try:
        reading = await reader.read(name)
        listing = reading.listing or Listing()
        if reading.is_page and not listing.entries:
            found.put_nowait(Item(name, None, f"no article on the page; {page_instead(reading)}"))
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
    id_ = entry_id(None, page.url, name)
    entry = Entry(
        name, id_, page.title, page.text, page.url, page.published, page.source, page.language
    )
    return Listing(page.source or page.title, (entry,))
