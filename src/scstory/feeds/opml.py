"""OPML, the format in which feed readers exchange lists of feeds."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import listparser

from scstory.errors import SourceError
from scstory.feeds.entries import web_url
from scstory.feeds.plain_text import decode, one_line
from scstory.feeds.registry import check_web
from scstory.feeds.source import Item, Source, SourceOptions

MAX_OPML_BYTES = 20_000_000
MAX_OPML_FEEDS = 10_000
SECTION_MARK = " / "
"""What stands between the folders of a section."""


@dataclass(frozen=True, slots=True)
class Outline:
    """A feed of a list."""

    url: str
    title: str = ""
    section: str = ""
    """The folders that it is in, from the outermost, joined by `SECTION_MARK`."""


def read_opml(body: bytes, name: str) -> tuple[list[Outline], list[Item]]:
    """Return the feeds of a list, each once, and its unusable entries. Nothing is raised."""
    try:
        # Bytes, because listparser would fetch a text that looks like an address.
        parsed = listparser.parse(decode(body).encode("utf-8", "replace"))
        feeds = list(parsed["feeds"])
    except Exception as error:
        # listparser promises not to raise, but hostile input makes it raise in many ways.
        return [], [Item(name, None, f"unreadable as OPML ({type(error).__name__})")]
    outlines: dict[str, Outline] = {}
    problems = []
    for number, feed in enumerate(feeds[:MAX_OPML_FEEDS], 1):
        url = web_url(feed.get("url"))
        if url is None:
            shown = one_line(str(feed.get("url")))[:60]
            problems.append(Item(f"{name} feed {number}", None, f"not a web address ({shown})"))
        else:
            title = feed.get("title")
            outline = Outline(url, one_line(title or "")[:200], _section(feed))
            outlines.setdefault(url, outline)
    if len(feeds) > MAX_OPML_FEEDS:
        problems.append(
            Item(name, None, f"{len(feeds):,} feeds; the first {MAX_OPML_FEEDS:,} are read")
        )
    if not feeds:
        problems.append(Item(name, None, "no feeds in it; OPML has <outline xmlUrl=…> elements"))
    return list(outlines.values()), problems


def _section(feed: Mapping[str, Any]) -> str:
    """Return the folders that a feed is in, of the first place in which it stands."""
    for folders in feed.get("categories") or ():
        names = [one_line(str(name)).replace("/", "∕")[:100] for name in folders]
        if section := SECTION_MARK.join(filter(None, names)):
            return section[:300]
    return ""


def load_opml(path: str) -> tuple[list[Outline], list[Item]]:
    """Read a list from a file; raise SourceError if that cannot be read."""
    try:
        with Path(path).open("rb") as file:
            body = file.read(MAX_OPML_BYTES + 1)
    except OSError as error:
        raise SourceError(f"{path}: cannot be read ({error.strerror})") from None
    if len(body) > MAX_OPML_BYTES:
        raise SourceError(
            f"{path}: more than {MAX_OPML_BYTES:,} bytes; no list of feeds is that long"
        )
    return read_opml(body, path)


def open_opml(name: str, options: SourceOptions) -> Source:
    """Return the feeds of a list as one source."""
    from scstory.feeds.reader import WebSource

    outlines, problems = load_opml(name)
    if not outlines:
        raise SourceError(f"{name}: {problems[0].problem}")
    addresses = [check_web(outline.url) for outline in outlines]
    return WebSource(name, addresses, options.settings, max_characters=options.max_characters)


def write_opml(outlines: Iterable[Outline]) -> str:
    """Return a list of feeds as OPML."""
    root = ElementTree.Element("opml", version="2.0")
    ElementTree.SubElement(ElementTree.SubElement(root, "head"), "title").text = "scstory"
    body = ElementTree.SubElement(root, "body")
    folders: dict[tuple[str, ...], ElementTree.Element] = {(): body}
    for outline in sorted(outlines, key=lambda outline: outline.section):
        path = tuple(filter(None, outline.section.split(SECTION_MARK)))
        for depth, name in enumerate(path):
            if path[: depth + 1] not in folders:
                title, above = one_line(name), folders[path[:depth]]
                made = ElementTree.SubElement(above, "outline", text=title, title=title)
                folders[path[: depth + 1]] = made
        title = one_line(outline.title) or outline.url
        ElementTree.SubElement(
            folders[path], "outline", type="rss", text=title, title=title, xmlUrl=outline.url
        )
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(root, "unicode")}\n'
