"""The entries of a feed, or of another list of articles on the web, and articles made from them."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from scstory.errors import BadItem, FetchError
from scstory.feeds.article import MAX_CHARACTERS, parse_article
from scstory.feeds.canonical_url import canonical_url
from scstory.feeds.dates import MAX_FUTURE
from scstory.feeds.no_article import why_no_article
from scstory.feeds.page import Page
from scstory.feeds.plain_text import clean, one_line
from scstory.feeds.public_address import parse_url
from scstory.feeds.source import Item
from scstory.types import Article

MAX_ID_CHARACTERS = 500
MAX_TITLE_CHARACTERS = 2_000
EARLIEST = datetime(1990, 1, 1, tzinfo=UTC)
"""An earlier date is a default of some software: there were no feeds then."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An article as a feed announces it; its text may be a summary, or missing."""

    place: str
    id: str
    title: str = ""
    text: str = ""
    url: str | None = None
    published: datetime | None = None
    source: str | None = None
    language: str | None = None
    image: str | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """The present entries of a feed, usually the newest first, and its unusable ones."""

    title: str = ""
    entries: tuple[Entry, ...] = ()
    problems: tuple[Item, ...] = ()


def make_listing(
    name: str, records: list[Any], read: Any, *, title: str = "", max_items: int
) -> Listing:
    """Read the records of a feed one by one; bad ones and those above the limit are problems."""
    entries: dict[str, Entry] = {}
    problems = []
    for number, record in enumerate(records[:max_items], 1):
        place = f"{name} item {number}"
        try:
            entry: Entry = read(place, record)
            entries.setdefault(entry.id, entry)
        except BadItem as error:
            problems.append(Item(place, None, str(error)))
        except (ArithmeticError, LookupError, TypeError, ValueError, RecursionError) as error:
            problems.append(Item(place, None, f"unreadable ({type(error).__name__})"))
    if len(records) > max_items:
        problem = f"{len(records):,} items; the first {max_items:,} are read (feeds.max_items)"
        problems.append(Item(name, None, problem))
    return Listing(one_line(title)[:200], tuple(entries.values()), tuple(problems))


def entry_id(guid: str | None, url: str | None, feed: str, *content: str) -> str:
    """Return an id that stays the same as long as the feed distinguishes its items.

    A guid that is a URI is the id; any other guid is unique within its feed only.

    >>> entry_id("tag:wire.example,2026:7", None, "https://wire.example/feed")
    'tag:wire.example,2026:7'
    >>> entry_id("7", "https://wire.example/alder", "https://wire.example/feed")
    'wire.example/feed#7'
    >>> entry_id(None, "https://www.wire.example/alder?utm_source=rss", "https://wire.example/feed")
    'wire.example/alder'
    """
    scope = canonical_url(feed) or feed
    guid = one_line(guid or "")
    if guid.startswith(("http://", "https://", "tag:", "urn:")):
        found = guid
    elif guid:
        found = f"{scope}#{guid}"
    else:
        found = canonical_url(url or "") or f"{scope}#{_digest(*content)}"
    return found if len(found) <= MAX_ID_CHARACTERS else f"{scope[:200]}#{_digest(found)}"


def web_url(value: Any, base: str | None = None) -> str | None:
    """Return a link if it leads to the web: not a script, a file or a mail address."""
    if not isinstance(value, str) or not value.strip() or len(value) > 10_000:
        return None
    try:
        return str(parse_url(clean(value).strip(), base=parse_url(base) if base else None))
    except FetchError:
        return None


def plausible(date: datetime | None) -> datetime | None:
    """Return a date in UTC unless it is impossible: before there were feeds, or in the future."""
    if date is None:
        return None
    date = date.replace(tzinfo=UTC) if date.tzinfo is None else date.astimezone(UTC)
    return date if EARLIEST <= date <= datetime.now(UTC) + MAX_FUTURE else None


def make_article(
    entry: Entry,
    page: Page | None,
    now: datetime,
    *,
    why_no_page: str | None = None,
    max_characters: int = MAX_CHARACTERS,
) -> Article:
    """Return the article of an entry and, where it was fetched, its page; or raise BadItem.

    The longer of the two texts is the article's; an entry with a title only is a headline. A page
    without an article does not count. A publication date is never later than now.
    """
    if page and not is_about(page, entry.title):
        page, why_no_page = None, "the page is about something else"
    if page:
        # A page about the headline of an entry is about an article, however short it is.
        declared = page.declared or bool(entry.title)
        if why := why_no_article(page.title, page.text, declared=declared, linked=page.linked):
            if not (entry.title or entry.text):
                raise BadItem(why)
            page, why_no_page = None, why
    page = page or Page()
    text = max(entry.text, page.text, key=len)
    title = one_line(entry.title or page.title)
    if len(title) > MAX_TITLE_CHARACTERS:
        raise BadItem(f"title has {len(title):,} characters; the limit is {MAX_TITLE_CHARACTERS:,}")
    if not text.strip() and not title:
        raise BadItem(f"neither title nor text{f' ({why_no_page})' if why_no_page else ''}")
    published = entry.published or plausible(page.published) or now
    record: Mapping[str, Any] = {
        "id": entry.id,
        "date": min(published, now).isoformat(),
        "title": title,
        "text": clean(text),
        "url": page.url or entry.url,
        "source": entry.source or page.source,
        "language": entry.language or page.language,
        "image": entry.image,
    }
    return parse_article(record, max_characters=max_characters)


def is_about(page: Page, title: str) -> bool:
    """Return whether a page belongs to a headline: it may be a consent form, a login or an error.

    Such a page appears under the addresses of many articles, which would then all be the same.

    >>> is_about(Page("Before you continue", "We use cookies."), "Alder tops its banks")
    False
    """
    words = [word for word in re.findall(r"\w+", title.casefold()) if len(word) > 3]
    if any(word > "\u2e80" for word in words) or len(words) < 2:
        return True  # a script without spaces, or too few words to decide
    there = set(re.findall(r"\w+", f"{page.title} {page.text}".casefold()))
    return 3 * sum(word in there for word in words) >= len(words)


def _digest(*parts: str) -> str:
    joined = "\0".join(parts).encode("utf-8", "replace")
    return hashlib.sha256(joined).hexdigest()[:32]
