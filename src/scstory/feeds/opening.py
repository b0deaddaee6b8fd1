"""From what a user writes to a source: a file, a web address, a query, an archive, a list."""

from __future__ import annotations

from pathlib import Path

from scstory.config import FeedSettings
from scstory.errors import FetchError, SourceError
from scstory.feeds.article import MAX_CHARACTERS
from scstory.feeds.files import FileSource
from scstory.feeds.source import Source


def open_source(
    name: str,
    *,
    max_characters: int = MAX_CHARACTERS,
    settings: FeedSettings | None = None,
) -> Source:
    """Return the source of a name; fails at once if it cannot be one.

    `https://…` is a feed or a page, `newsapi:QUERY` a search, `x.warc.gz` an archive of pages,
    `x.opml` a list of feeds, `-` standard input, and all else a file of articles.
    """
    lower = name.lower()
    if is_web(name):
        return _open_web(name, [name], settings, max_characters)
    if "://" in name and not Path(name).exists():
        raise SourceError(f"{name}: only http and https are fetched; give a file or a web address")
    if lower.endswith((".warc", ".warc.gz")):
        from scstory.feeds.warc import WarcSource

        limit = (settings or FeedSettings()).max_page_bytes
        return WarcSource(name, max_bytes=limit, max_characters=max_characters)
    if lower.endswith(".opml"):
        from scstory.feeds.opml import load_opml

        outlines, problems = load_opml(name)
        if not outlines:
            raise SourceError(f"{name}: {problems[0].problem}")
        return _open_web(name, [outline.url for outline in outlines], settings, max_characters)
    return FileSource(name, max_characters=max_characters)


def is_web(name: str) -> bool:
    """Tell whether a name is to be fetched: a web address or a query."""
    return name.lower().startswith(("http://", "https://", "newsapi:"))


def feed_addresses(names: list[str]) -> list[str]:
    """Return the feeds that web addresses, queries and lists (`x.opml`) name, each once."""
    from scstory.feeds.opml import load_opml

    found: dict[str, None] = {}
    for name in names:
        outlines = load_opml(name)[0] if name.lower().endswith(".opml") else ()
        for address in [name] if is_web(name) else [outline.url for outline in outlines]:
            found[check_web(address)] = None
    return list(found)


def check_web(name: str) -> str:
    """Return a name in its one form; raise SourceError if it is plain that it cannot be fetched."""
    from scstory.feeds.addresses import parse_url
    from scstory.feeds.newsapi import PREFIX
    from scstory.feeds.plain import one_line
    from scstory.feeds.reader import newsapi_key

    try:
        if not name.lower().startswith(PREFIX):
            return str(parse_url(name))
        query = one_line(name[len(PREFIX) :])
        if not query:
            raise FetchError("no query; write it like 'newsapi:river AND flood'")
        newsapi_key()
        return f"{PREFIX}{query}"
    except FetchError as error:
        raise SourceError(f"{one_line(name)[:200]}: {error}") from None


def _open_web(
    name: str, addresses: list[str], settings: FeedSettings | None, max_characters: int
) -> Source:
    from scstory.feeds.reader import WebSource

    checked = [check_web(address) for address in addresses]
    return WebSource(name, checked, settings or FeedSettings(), max_characters=max_characters)
