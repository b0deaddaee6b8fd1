"""What a news page says: its main text, and what it tells machines about itself."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from html import unescape
from typing import Any

import httpx2
import trafilatura

from scstory.errors import BadItem, FetchError
from scstory.feeds.addresses import parse_url
from scstory.feeds.article import parse_date
from scstory.feeds.plain import clean, decode, one_line

FEED_TYPES = (
    "application/rss+xml",
    "application/atom+xml",
    "application/feed+json",
    "application/rdf+xml",
)
MAX_TAGS = 100_000
"""Tags of a page that is read: ten times what long ones have, and some seconds of work."""
MAX_NODES = 10_000
"""Objects of a page's schema.org data that are looked at."""
_ARTICLES = re.compile(r"(?:^|[/:])(?:\w*Article|BlogPosting|LiveBlogPosting|Report)$")
_DATES = (
    "article:published_time",
    "og:article:published_time",
    "datepublished",
    "parsely-pub-date",
    "dc.date.issued",
    "dcterms.created",
    "pubdate",
    "date",
)
_SITE = re.compile(r"^(?:www\d?|m|mobile|amp)\.")

logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
logging.getLogger("htmldate").setLevel(logging.CRITICAL)


@dataclass(frozen=True, slots=True)
class Page:
    """A page as far as it is of use: every part may be missing."""

    title: str = ""
    text: str = ""
    published: datetime | None = None
    url: str | None = None
    source: str | None = None
    language: str | None = None
    feeds: tuple[str, ...] = ()
    """Addresses of the feeds that it names."""


def read_page(body: bytes, url: str, *, charset: str | None = None) -> Page:
    """Return what a page holds. Whatever the bytes are, nothing is raised."""
    try:
        html = clean(decode(body, charset))
        tree = trafilatura.load_html(html) if html.count("<") <= MAX_TAGS else None
        return Page(url=url) if tree is None else _read(tree, url)
    except Exception:
        # Two large libraries read what strangers wrote; a page they trip over holds no article.
        return Page(url=url)


def _read(tree: Any, url: str) -> Page:
    metas = _metas(tree)
    told = _schema(tree)
    known = trafilatura.extract_metadata(tree, url, extensive=False)
    publisher = told.get("publisher")
    source = publisher.get("name") if isinstance(publisher, Mapping) else None
    dates = (told.get("datePublished"), *(metas.get(name) for name in _DATES), known.date)
    titles = (told.get("headline"), metas.get("og:title"), known.title)
    sources = (metas.get("og:site_name"), source)
    languages = (tree.get("lang"), told.get("inLanguage"), metas.get("og:locale"))
    links = tree.xpath("//link[@rel and @href]")
    title = _first(titles)[:1_000]
    return Page(
        title=title,
        text=_text(tree, url, title),
        published=next((date for date in map(_date, dates) if date), None),
        url=_canonical(links, url),
        source=_first(sources)[:200] or None,
        language=re.split(r"[-_]", _first(languages).lower())[0][:10] or None,
        feeds=tuple(_feeds(links, url)),
    )


def _text(tree: Any, url: str, title: str) -> str:
    """Return the main text without the headline, which is kept apart."""
    found = trafilatura.bare_extraction(tree, url=url, include_comments=False, include_tables=False)
    text = getattr(found, "text", None) or ""
    lines = [line for line in map(one_line, text.splitlines()) if line]
    return "\n".join(lines[1:] if lines and lines[0] == title else lines)


def _metas(tree: Any) -> dict[str, str]:
    """Return the first content of every meta element, by name in lower case."""
    metas: dict[str, str] = {}
    for element in tree.iter("meta"):
        name = element.get("property") or element.get("name") or element.get("itemprop")
        if name and element.get("content"):
            metas.setdefault(name.strip().lower(), element.get("content"))
    return metas


def _schema(tree: Any) -> Mapping[str, Any]:
    """Return the first article that the page's schema.org data (JSON-LD) describes."""
    for script in tree.xpath('//script[@type="application/ld+json"]'):
        try:
            data = json.loads(script.text or "", strict=False)
        except (ValueError, RecursionError):
            continue
        for node in _nodes(data):
            kinds = node.get("@type")
            for kind in kinds if isinstance(kinds, list) else [kinds]:
                if isinstance(kind, str) and _ARTICLES.search(kind):
                    return node
    return {}


def _nodes(data: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of a JSON value, outer ones first."""
    waiting = [data]
    for _ in range(MAX_NODES):
        if not waiting:
            return
        value = waiting.pop(0)
        if isinstance(value, dict):
            yield value
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value[:MAX_NODES]


def _canonical(links: list[Any], url: str) -> str:
    """Return the page's own word for its address, if it is one of the same site."""
    for link in links:
        if link.get("rel").strip().lower() == "canonical":
            try:
                base = parse_url(url)
                found = parse_url(link.get("href"), base=base)
            except FetchError:
                continue
            if _same_site(found.host, base.host):
                return str(found)
    return url


def _same_site(one: str, other: str) -> bool:
    """Tell whether two hosts are one site's. A page may not speak for another's."""
    one, other = _SITE.sub("", one), _SITE.sub("", other)
    return one == other or one.endswith(f".{other}") or other.endswith(f".{one}")


def _feeds(links: list[Any], url: str) -> Iterator[str]:
    base = httpx2.URL(url)
    for link in links[:1_000]:
        rels = link.get("rel").lower().split()
        if "alternate" in rels and (link.get("type") or "").strip().lower() in FEED_TYPES:
            try:
                yield str(parse_url(link.get("href"), base=base))
            except FetchError:
                continue


def _date(value: Any) -> datetime | None:
    if not isinstance(value, str) or len(value) > 100:
        return None
    try:
        return parse_date(value)
    except BadItem:
        return None


def _first(values: tuple[Any, ...]) -> str:
    """Return the first of some values that is a text and not empty."""
    texts = (one_line(unescape(value)) for value in values if isinstance(value, str))
    return next((text for text in texts if text), "")
