"""Templates, and the small things they need: safe links, shades, monograms, times in words."""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import quote, urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined

from scstory import __version__
from scstory.serve.words import weighted
from scstory.text.phrases import counted, span

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
SHADES = 7
PART_NAMES = {"learned": "likeness of meaning", "lexical": "shared terms"}
HUES = 8


def render(template: str, **values: Any) -> str:
    """Return a page."""
    return _environment().get_template(template).render(**values)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("scstory.serve"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        counted=counted,
        day=day,
        clock=clock,
        moment=moment,
        safe_url=safe_url,
        site=site,
        monogram=monogram,
        hue=hue,
        bars=bars,
        shades=shades,
        sentences=weighted,
        xml_text=xml_text,
        in_path=lambda value: quote(value, safe=""),
    )
    environment.globals.update(
        span=span, asset=asset, product_version=__version__, part_names=PART_NAMES
    )
    return environment


@cache
def asset(name: str) -> str:
    """Return a static file's address; it changes with the content, so it may be kept forever."""
    content = (files("scstory.serve") / "static" / name).read_bytes()
    return f"/static/{name}?v={hashlib.sha256(content).hexdigest()[:10]}"


@cache
def fingerprint() -> str:
    """Return what tells pages made by this program from those of another version."""
    digest = hashlib.sha256(__version__.encode())
    for folder in ("templates", "static"):
        for entry in sorted((files("scstory.serve") / folder).iterdir(), key=lambda e: e.name):
            digest.update(entry.read_bytes())
    return digest.hexdigest()[:8]


def safe_url(url: str | None) -> str | None:
    """Return a link from a stranger if it leads to a web page, else None.

    >>> safe_url("javascript:alert(1)"), safe_url("https://example.org/a")
    (None, 'https://example.org/a')
    """
    if not url or any(ord(c) <= 32 or ord(c) == 127 for c in url):
        return None
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        return None
    return url if parts.scheme in ("http", "https") and host else None


def site(url: str | None) -> str:
    """Return the host a link leads to, as a reader knows it."""
    checked = safe_url(url)
    host = urlsplit(checked).hostname if checked else None
    return (host or "").removeprefix("www.")


def monogram(name: str) -> str:
    """Return one or two letters for an outlet.

    >>> monogram("The Kelby Herald"), monogram("Reuters")
    ('KH', 'R')
    """
    words = [word for word in name.split() if word[0].isalnum() and word.lower() != "the"]
    return "".join(word[0] for word in words[:2]).upper() or "·"


def hue(name: str) -> int:
    """Return the number of an outlet's colour, always the same."""
    return zlib.crc32(name.encode("utf-8", "replace")) % HUES


def shades(weights: Sequence[float]) -> list[int]:
    """Return a shade for each weight, from the article's least to its most telling sentence.

    >>> shades([0.1, 0.2, 0.3])
    [0, 4, 7]
    """
    low, high = min(weights, default=0.0), max(weights, default=0.0)
    if high - low < 1e-9:
        return [0 for _ in weights]
    return [round((weight - low) / (high - low) * SHADES) for weight in weights]


def xml_text(text: str) -> str:
    """Return text without the characters that XML cannot hold."""
    return _NOT_XML.sub(" ", str(text))


def bars(counts: Sequence[int], height: int) -> dict[str, str]:
    """Return a bar for each count as SVG paths: those of counts, and those of none.

    >>> bars([0, 3], 20)["on"]
    'M10 2h8V20h-8z'
    """
    most = max(3, *counts, 0)
    drawn: dict[str, list[str]] = {"on": [], "off": []}
    for index, count in enumerate(counts):
        tall = (0.3 + 0.7 * count / most) * (height - 2) if count else 2
        top = f"{height - tall:.1f}".removesuffix(".0")
        drawn["on" if count else "off"].append(f"M{index * 10} {top}h8V{height}h-8z")
    return {name: "".join(paths) for name, paths in drawn.items()}


def day(time: datetime) -> str:
    """Return a day in words.

    >>> day(datetime(2026, 3, 3))
    'Tuesday 3 March 2026'
    """
    return f"{time:%A} {time.day} {time:%B %Y}"


def clock(time: datetime) -> str:
    """Return the time of day."""
    return f"{time:%H:%M}"


def moment(time: datetime) -> str:
    """Return a time in few words.

    >>> moment(datetime(2026, 3, 3, 6, 35))
    '3 Mar, 06:35 UTC'
    """
    return f"{time.day} {time:%b}, {time:%H:%M} UTC"
