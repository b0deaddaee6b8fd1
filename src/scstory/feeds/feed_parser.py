"""RSS, Atom and JSON Feed: from any bytes to entries."""

import io
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

import feedparser

from scstory.errors import BadItem
from scstory.feeds.article import date_or_none
from scstory.feeds.entries import Entry, Listing, entry_id, make_listing, plausible, web_url
from scstory.feeds.plain_text import decode, one_line, strip_markup
from scstory.feeds.source import Item

MAX_ENTITIES = 500
"""The most entities a feed may declare: HTML has 253, and parsing takes quadratic time."""
MAX_FEED_TAGS = 500_000
"""The most tags a feed may have: a thousand per item, which take some seconds."""
_TAG = re.compile(r"<[a-z/!?]", re.IGNORECASE)
_LIST = re.compile(r"\s*(?:<\?[^>]{0,200}>\s*|<!--.{0,2000}?-->\s*){0,5}<opml\b", re.I | re.S)
_END = re.compile(r"</(?:\w+:)?(?:rss|feed|rdf|channel)\s*>", re.IGNORECASE)
_ITEM_END = re.compile(r"</(?:\w+:)?(?:item|entry)\s*>", re.IGNORECASE)
_PAGE = re.compile(r"\s*(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.I | re.S)


def read_feed(
    body: bytes, url: str, *, charset: str | None = None, max_items: int = 500
) -> Listing:
    """Return the entries of a feed; raise BadItem with the reason if it is none."""
    text = decode(body, charset).lstrip("\ufeff \t\r\n\0")
    if text.startswith("{"):
        return _read_json(text, url, max_items)
    if not text:
        raise BadItem("is empty, not a feed")
    if is_list_of_feeds(text):
        raise BadItem("is a list of feeds (OPML), not a feed; save it as FILE.opml and name that")
    if _PAGE.match(text[:5_000]):
        raise BadItem("is a page, not a feed")
    if (declared := text.count("<!ENTITY")) > MAX_ENTITIES:
        raise BadItem(f"declares {declared:,} entities; the limit is {MAX_ENTITIES}")
    if (tags := text.count("<")) > MAX_FEED_TAGS:
        raise BadItem(f"has {tags:,} tags; the limit is {MAX_FEED_TAGS:,}")
    headers = {"content-type": "application/xml; charset=utf-8", "content-location": url}
    try:
        # A stream, because feedparser would fetch a text that looks like an address. Markup
        # becomes plain text, so feedparser need not clean it.
        parsed = feedparser.parse(
            io.BytesIO(text.encode("utf-8")),
            response_headers=headers,
            sanitize_html=False,
            resolve_relative_uris=False,
        )
    except Exception as error:
        # feedparser promises not to raise, but hostile input makes it raise in many ways.
        raise BadItem(f"unreadable as a feed ({type(error).__name__})") from None
    if not parsed.get("version") and not parsed["entries"]:
        raise BadItem("is neither RSS nor Atom nor JSON Feed")
    channel = parsed["feed"]
    title = _plain(channel, "title")
    read = partial(_entry, feed=url, title=title, language=channel.get("language"))
    entries = parsed["entries"]
    if _END.search(text[-2_000:]):
        return make_listing(url, entries, read, title=title, max_items=max_items)
    # The text of the last item may be cut, too.
    entries = entries[: len(_ITEM_END.findall(text))]
    listing = make_listing(url, entries, read, title=title, max_items=max_items)
    plural = "s" * (len(entries) != 1)
    problem = Item(url, None, f"breaks off before its end, after {len(entries):,} item{plural}")
    return replace(listing, problems=(*listing.problems, problem))


def is_list_of_feeds(text: str) -> bool:
    """Return whether a text is OPML."""
    return _LIST.match(text[:10_000]) is not None


def _entry(
    place: str, record: dict[str, Any], feed: str, title: str, language: str | None
) -> Entry:
    contents = [*record.get("content", ()), record.get("summary_detail") or {}]
    texts = [_text(part.get("value"), part.get("type")) for part in contents]
    headline = one_line(_plain(record, "title"))
    link = web_url(record.get("link"), feed)
    text = max(texts, key=len, default="")
    source = record.get("source") or {}
    return Entry(
        place,
        entry_id(record.get("id"), link, feed, headline, text),
        headline,
        text,
        link,
        # Not feedparser's own `get`, which substitutes one name for the other with a warning.
        _time(dict.get(record, "published_parsed")) or _time(dict.get(record, "updated_parsed")),
        one_line(_plain(source, "title") or title)[:200] or None,
        _language(record.get("language") or language),
        _image(record, feed),
    )


def _image(record: Mapping[str, Any], feed: str) -> str | None:
    """Return the address of the image that an entry names, if it does."""
    media = record.get("media_content") or ()
    found = [
        *(part.get("url") for part in media if _is_image(part)),
        *(part.get("url") for part in record.get("media_thumbnail") or ()),
        *(part.get("href") for part in record.get("enclosures") or () if _is_image(part)),
    ]
    return next(filter(None, (web_url(address, feed) for address in found)), None)


def _is_image(part: Mapping[str, Any]) -> bool:
    return part.get("medium") == "image" or str(part.get("type")).startswith("image/")


def _plain(record: Mapping[str, Any], name: str) -> str:
    """Return a field as text; it may be HTML, even where the format forbids that."""
    detail = record.get(f"{name}_detail") or {}
    return _text(record.get(name), detail.get("type"))


def _text(value: Any, kind: Any) -> str:
    if not isinstance(value, str):
        return ""
    if kind == "text/plain" and not _TAG.search(value):
        return "\n".join(filter(None, map(one_line, value.splitlines())))
    return strip_markup(value)


def _time(parsed: Any) -> datetime | None:
    """Return the time that feedparser found, which is in UTC."""
    try:
        return plausible(datetime(*parsed[:6])) if parsed else None
    except (ValueError, TypeError, OverflowError):
        return None


def _language(value: Any) -> str | None:
    return re.split(r"[-_]", one_line(value).lower())[0][:10] if isinstance(value, str) else None


def _read_json(text: str, url: str, max_items: int) -> Listing:
    try:
        feed = json.loads(text)
    except (ValueError, RecursionError):
        raise BadItem("is broken JSON, not a feed") from None
    items = feed.get("items")
    if "jsonfeed.org" not in str(feed.get("version"))[:100] or not isinstance(items, list):
        raise BadItem("is JSON, but not a JSON Feed")
    title = one_line(_text(feed.get("title"), "text/plain"))
    read = partial(_json_entry, feed=url, title=title, language=feed.get("language"))
    return make_listing(url, items, read, title=title, max_items=max_items)


def _json_entry(place: str, record: Any, feed: str, title: str, language: Any) -> Entry:
    if not isinstance(record, dict):
        raise BadItem("not a JSON object")
    texts = (
        _text(record.get("content_text"), "text/plain"),
        _text(record.get("content_html"), "text/html"),
        _text(record.get("summary"), "text/plain"),
    )
    text = next(filter(None, texts), "")
    headline = one_line(_text(record.get("title"), "text/plain"))
    link = web_url(record.get("url"), feed) or web_url(record.get("external_url"), feed)
    guid = record.get("id")
    dates = (record.get("date_published"), record.get("date_modified"))
    return Entry(
        place,
        entry_id(None if guid is None else str(guid), link, feed, headline, text),
        headline,
        text,
        link,
        next(filter(None, map(plausible, map(date_or_none, dates))), None),
        title[:200] or None,
        _language(record.get("language") or language),
        web_url(record.get("image"), feed) or web_url(record.get("banner_image"), feed),
    )
