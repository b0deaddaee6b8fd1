"""The article on a news page: its main text and its metadata."""

import json
import logging
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from html import unescape
from itertools import islice
from typing import Any

import httpx2
import trafilatura

from scstory.errors import FetchError
from scstory.feeds.article import date_or_none
from scstory.feeds.plain_text import clean, decode, one_line
from scstory.feeds.public_address import parse_url

FEED_TYPE = re.compile(r"\s*application/(?:rss\+xml|atom\+xml|rdf\+xml|feed\+json)\s*", re.I)
MAX_PAGE_TAGS = 100_000
"""The most tags a page may have: ten times those of long pages, which take some seconds."""
MAX_SCHEMA_NODES = 10_000
"""The most objects of a page's schema.org data that are searched."""
MAX_LINKS = 1_000
LONG_LINK = 15
"""Links and characters by which a list of links is told from an article."""
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
_SITE_PREFIX = re.compile(r"^(?:www\d?|m|mobile|amp)\.")

logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
logging.getLogger("htmldate").setLevel(logging.CRITICAL)


@dataclass(frozen=True, slots=True)
class Page:
    """The useful parts of a page; each may be missing."""

    title: str = ""
    text: str = ""
    published: datetime | None = None
    url: str | None = None
    source: str | None = None
    language: str | None = None
    feeds: tuple[str, ...] = ()
    """The addresses of the feeds that it links to."""
    declared: bool = False
    """Whether its metadata say that it is an article."""
    linked: float = 0.0
    """The share of the text that is links, as on a front page."""


def read_page(body: bytes, url: str, *, charset: str | None = None) -> Page:
    """Return the useful parts of a page. Nothing is raised, whatever the bytes are."""
    try:
        html = clean(decode(body, charset))
        tree = trafilatura.load_html(html) if html.count("<") <= MAX_PAGE_TAGS else None
        return Page(url=url) if tree is None else _read(tree, url)
    except Exception:
        # Two large libraries parse hostile input; a page on which they fail holds no article.
        return Page(url=url)


def _read(tree: Any, url: str) -> Page:
    metas = _metas(tree)
    schema = _schema(tree)
    known = trafilatura.extract_metadata(tree, url, extensive=False)
    publisher = schema.get("publisher")
    source = publisher.get("name") if isinstance(publisher, Mapping) else None
    dates = (schema.get("datePublished"), *(metas.get(name) for name in _DATES), known.date)
    titles = (schema.get("headline"), metas.get("og:title"), known.title)
    sources = (metas.get("og:site_name"), source)
    languages = (tree.get("lang"), schema.get("inLanguage"), metas.get("og:locale"))
    links = tree.xpath("//link[@rel and @href]")
    anchors = {one_line(link.text_content()) for link in islice(tree.iter("a"), MAX_LINKS)}
    title = _first(titles)[:1_000]
    text = _text(tree, url, title)
    return Page(
        title=title,
        text=text,
        published=next((date for date in map(date_or_none, dates) if date), None),
        url=_canonical(links, url),
        source=_first(sources)[:200] or None,
        language=re.split(r"[-_]", _first(languages).lower())[0][:10] or None,
        feeds=tuple(_feeds(links, url)),
        declared=bool(schema) or metas.get("og:type", "").lower().startswith("article"),
        linked=_share(anchors, text),
    )


def _text(tree: Any, url: str, title: str) -> str:
    """Return the main text without the headline, which is a field of its own."""
    found = trafilatura.bare_extraction(tree, url=url, include_comments=False, include_tables=False)
    text = getattr(found, "text", None) or ""
    lines = [line for line in map(one_line, text.splitlines()) if line]
    return "\n".join(lines[1:] if lines and lines[0] == title else lines)


def _share(anchors: set[str], text: str) -> float:
    """Return the share of a text that is the text of links, without links of a word or two."""
    long = (anchor for anchor in anchors if len(anchor) >= LONG_LINK)
    return sum(len(anchor) for anchor in long if anchor in text) / (len(text) or 1)


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
    for _ in range(MAX_SCHEMA_NODES):
        if not waiting:
            return
        value = waiting.pop(0)
        if isinstance(value, dict):
            yield value
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value[:MAX_SCHEMA_NODES]


def _canonical(links: list[Any], url: str) -> str:
    """Return the page's canonical address, if that is on the same site."""
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
    """Return whether two hosts belong to one site: a page may not name another site's address."""
    one, other = _SITE_PREFIX.sub("", one), _SITE_PREFIX.sub("", other)
    return one == other or one.endswith(f".{other}") or other.endswith(f".{one}")


def _feeds(links: list[Any], url: str) -> Iterator[str]:
    base = httpx2.URL(url)
    for link in links[:1_000]:
        rels = link.get("rel").lower().split()
        if "alternate" in rels and FEED_TYPE.fullmatch(link.get("type") or ""):
            try:
                yield str(parse_url(link.get("href"), base=base))
            except FetchError:
                continue


def _first(values: tuple[Any, ...]) -> str:
    """Return the first value that is a text and not empty."""
    texts = (one_line(unescape(value)) for value in values if isinstance(value, str))
    return next((text for text in texts if text), "")
