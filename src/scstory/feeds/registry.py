"""The sources by the form of their name. A new one is a file with a factory, and a line here.

A factory takes the name and the options of sources.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from pkgutil import resolve_name

from scstory.errors import FetchError, SourceError
from scstory.feeds.folders import SeveralFiles, files_named
from scstory.feeds.source import Source, SourceOptions

WEB, OPML = r"(https?://|newsapi:).*", r".*\.opml"
_HOST_FIRST = r"(localhost|\[[0-9A-Fa-f:.]+\]|[^\W_][^\s/:@.]*(\.[^\s/:@.]+)+)(:\d+)?([/?#]\S*)?"
"""A host with a dot in its name, and perhaps a port and a path."""
_FILE = r"[^/?#]*\.(xml|rss|atom|json|html?|opml|txt|csv)"
"""A name that is that of a file rather than of a host."""
SOURCE_FORMS: Mapping[str, str] = {
    WEB: "scstory.feeds.reader:open_web",
    r".*\.warc(\.gz)?": "scstory.feeds.warc:WarcSource",
    OPML: "scstory.feeds.opml:open_opml",
    r".*": "scstory.feeds.files:open_file",
}
"""The form of a name and the import path of its factory, whose libraries are imported on first use.
The first form that fits counts."""


def open_source(name: str, options: SourceOptions | None = None) -> Source:
    """Return the source of a name; raise SourceError at once if it cannot be one.

    `https://…` is a feed or a page, `newsapi:QUERY` a search, `x.warc.gz` an archive of pages,
    `x.opml` a list of feeds, `-` standard input, and any other name a file of articles, a folder
    of them, or a pattern (`news/*.csv`).
    """
    options = options or SourceOptions()
    if "://" in name and not is_web(name) and not Path(name).exists():
        raise SourceError(f"{name}: only http and https are fetched; give a file or a web address")
    if not is_web(name) and (files := files_named(name)) is not None:
        return SeveralFiles(name, files, lambda file: open_source(file, options))
    path = next(path for form, path in SOURCE_FORMS.items() if _fits(form, name))
    factory: Callable[[str, SourceOptions], Source] = resolve_name(path)
    return factory(name, options)


def is_web(name: str) -> bool:
    """Return whether a name has to be fetched: a web address or a query."""
    return _fits(WEB, name)


def is_opml(name: str) -> bool:
    """Return whether a name is that of a list of feeds."""
    return _fits(OPML, name)


def with_scheme(name: str) -> str:
    """Return the web address that someone meant who left out the scheme.

    >>> with_scheme("example.com/feed"), with_scheme("http://example.com/"), with_scheme("/etc/x")
    ('https://example.com/feed', 'http://example.com/', '/etc/x')
    """
    name = name.strip()
    meant = _fits(_HOST_FIRST, name) and not is_web(name) and not _fits(_FILE, name)
    return f"https://{name}" if meant else name


def feed_addresses(names: list[str]) -> list[str]:
    """Return the feeds that web addresses, queries and lists (`x.opml`) name, each once."""
    from scstory.feeds.opml import load_opml

    found: dict[str, None] = {}
    for name in names:
        outlines = load_opml(name)[0] if is_opml(name) else ()
        for address in [name] if is_web(name) else [outline.url for outline in outlines]:
            found[check_web(address)] = None
    return list(found)


def check_web(name: str) -> str:
    """Return a web address or query in its normal form; raise SourceError if it has none."""
    from scstory.feeds.newsapi import NEWSAPI_PREFIX, newsapi_key
    from scstory.feeds.plain_text import one_line
    from scstory.feeds.public_address import parse_url

    try:
        if not name.lower().startswith(NEWSAPI_PREFIX):
            return str(parse_url(name))
        query = one_line(name[len(NEWSAPI_PREFIX) :])
        if not query:
            raise FetchError("no query; write it like 'newsapi:river AND flood'")
        newsapi_key()
        return f"{NEWSAPI_PREFIX}{query}"
    except FetchError as error:
        raise SourceError(f"{one_line(name)[:200]}: {error}") from None


def _fits(form: str, name: str) -> bool:
    return re.fullmatch(form, name, re.IGNORECASE | re.DOTALL) is not None
