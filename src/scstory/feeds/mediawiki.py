"""Dumps of MediaWiki in XML, such as Wikinews: `enwikinews-latest-pages-articles.xml.bz2`."""

from collections.abc import Iterator
from typing import IO, Any
from urllib.parse import quote
from xml.etree import ElementTree

from scstory.feeds.source import Raw
from scstory.feeds.wikitext import wiki_date, wiki_text

MAX_PAGE_CHARACTERS = 2_000_000


def read_dump(stream: IO[bytes]) -> Iterator[Raw]:
    """Yield the articles of a dump: pages of the main namespace that are no redirects."""
    base, site, language, number = "", None, None, 0
    try:
        root = None
        for event, element in ElementTree.iterparse(stream, events=("start", "end")):
            tag = _name(element)
            if event == "start":
                if root is None:
                    root = element
                    language = element.get("{http://www.w3.org/XML/1998/namespace}lang")
                continue
            if tag == "base":
                base = (element.text or "").rpartition("/")[0]
            elif tag == "sitename":
                site = element.text
            elif tag == "page":
                number += 1
                record = _page(element, base)
                if record is not None:
                    record |= {"source": site, "language": language}
                    yield f" page {number}", record, None
                assert root is not None
                root.clear()
    except ElementTree.ParseError as error:
        yield f" page {number + 1}", None, f"broken XML, the rest is unreadable ({error})"


def _page(page: Any, base: str) -> dict[str, Any] | None:
    """Return the record of a page, None if it is not an article."""
    parts = {_name(child): child for child in page}
    if "redirect" in parts or _text(parts.get("ns")).strip() not in ("", "0"):
        return None
    revision = {_name(child): child for child in parts.get("revision", ())}
    source = _text(revision.get("text"))[:MAX_PAGE_CHARACTERS]
    title = _text(parts.get("title")).strip()
    path = quote(title.replace(" ", "_"), safe="/:@!$&'()*+,;=~")
    return {
        "id": f"{base}/{path}" if base else _text(parts.get("id")),
        "date": wiki_date(source) or _text(revision.get("timestamp")),
        "title": title,
        "text": wiki_text(source),
        "url": f"{base}/{path}" if base else None,
    }


def _name(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]


def _text(element: Any) -> str:
    return (element.text or "") if element is not None else ""
