"""Templates, and the filters they use: safe links, shades, monograms, times in words."""

import hashlib
import re
import shlex
import zlib
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import cache
from importlib.resources import files
from itertools import accumulate
from typing import Any
from urllib.parse import quote, urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from scstory import __version__
from scstory.serve.charts import LAST_LABEL, chart
from scstory.serve.sentence_weights import paragraphs, shades
from scstory.text.language import ENGLISH, detected, primary, script_of
from scstory.text.languages import RIGHT_TO_LEFT
from scstory.text.phrases import counted, plain, span

_DIRECTION_MARKS = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
EVIDENCE_NAMES = {
    "learned": "meaning, by sentence weights",
    "headline": "meaning of the headlines",
    "opening": "meaning of the openings",
    "terms": "words in common",
    "lexical": "words in common",
    "title": "words of the headlines",
    "lede": "words of the openings",
    "names": "names in common",
    "bigrams": "phrases in common",
    "sounds": "names in common, across languages",
    "time": "time between them",
    "prior": "prior probability of a match",
}
_WIDE_MARKS = frozenset("。！？；」』）")
"""Marks behind which no space stands, in Chinese and Japanese."""
HUES = 8
LINE = 46
"""The characters of a line of a narrow column."""


def render(template: str, **values: Any) -> str:
    """Return a page."""
    return _environment().get_template(template).render(**values)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("scstory.serve"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=without_direction_marks,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    links, times = (safe_url, site, home, in_path), (day, short_day, clock, moment)
    others = (
        counted,
        monogram,
        one_line,
        hue,
        shades,
        chart,
        evidence,
        paragraphs,
        plain,
        space_after,
        xml_text,
    )
    for function in (*links, *times, *others):
        environment.filters[function.__name__] = function
    environment.filters["quoted"] = shlex.quote
    environment.globals["in_language"] = in_language
    environment.globals.update(
        span=span,
        asset=asset,
        product_version=__version__,
        day_length=timedelta(days=1),
        last_label=LAST_LABEL,
    )
    return environment


def without_direction_marks(value: Any) -> Any:
    """Return text without the marks that change the direction of text."""
    return value.translate(_DIRECTION_MARKS) if type(value) is str else value


@cache
def asset(name: str) -> str:
    """Return a static file's address; it changes with the content, so it may be cached forever."""
    content = (files("scstory.serve") / "static" / name).read_bytes()
    return f"/static/{name}?v={hashlib.sha256(content).hexdigest()[:10]}"


@cache
def fingerprint() -> str:
    """Return a hash that differs between versions of this program, its templates and scripts."""
    digest = hashlib.sha256(__version__.encode())
    for folder in ("templates", "static"):
        for entry in sorted((files("scstory.serve") / folder).iterdir(), key=lambda e: e.name):
            digest.update(entry.read_bytes())
    return digest.hexdigest()[:8]


def safe_url(url: str | None) -> str | None:
    """Return an untrusted link if it leads to a web page, else None.

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
    """Return the host of a link, without `www.`."""
    checked = safe_url(url)
    host = urlsplit(checked).hostname if checked else None
    return (host or "").removeprefix("www.")


def home(url: str | None) -> str | None:
    """Return the front page of a link's site: the address of a feed may contain a secret.

    >>> home("https://news.example/feed?key=secret")
    'https://news.example/'
    """
    checked = safe_url(url)
    return f"{urlsplit(checked).scheme}://{urlsplit(checked).netloc}/" if checked else None


def in_path(value: str) -> str:
    """Return a value as one part of a path."""
    return quote(value, safe="")


def one_line(words: Sequence[str]) -> list[str]:
    """Return the first words, as many as fit on a line of a narrow column.

    >>> one_line(["Northmoor Teachers' Federation", "Abel Quist", "Sylvia Thorne"])
    ["Northmoor Teachers' Federation", 'Abel Quist']
    """
    ends = accumulate(len(word) + 3 for word in words)
    return [w for n, (w, end) in enumerate(zip(words, ends, strict=True)) if not n or end <= LINE]


def monogram(name: str) -> str:
    """Return one or two letters for an outlet.

    >>> monogram("The Kelby Herald"), monogram("Reuters")
    ('KH', 'R')
    """
    words = [word for word in name.split() if word[0].isalnum() and word.lower() != "the"]
    return "".join(word[0] for word in words[:2]).upper() or "·"


def hue(name: str) -> int:
    """Return the number of an outlet's colour, which depends on the name alone."""
    return zlib.crc32(name.encode("utf-8", "replace")) % HUES


def xml_text(text: str) -> str:
    """Return text without the characters that XML does not allow."""
    return _NOT_XML.sub(" ", str(text))


def space_after(text: str) -> str:
    """Return the space between a sentence and the next one: none where no spaces divide words.

    >>> space_after("The river rose."), space_after("河水上涨。")
    (' ', '')
    """
    return "" if text[-1:] in _WIDE_MARKS else " "


def evidence(values: Mapping[str, float]) -> list[tuple[str, float, int]]:
    """Return the evidence for and against a decision, the strongest first, with bars up to 50 long.

    >>> evidence({"names": 2.0, "time": -1.0})
    [('names in common', 2.0, 50), ('time between them', -1.0, 25)]
    """
    most = max(map(abs, values.values()), default=0.0) or 1.0
    ordered = sorted(values.items(), key=lambda pair: -abs(pair[1]))
    return [(EVIDENCE_NAMES.get(name, name), v, round(50 * abs(v) / most)) for name, v in ordered]


def day(time: datetime | date) -> str:
    """Return a day in words.

    >>> day(datetime(2026, 3, 3))
    'Tuesday 3 March 2026'
    """
    return f"{time:%A} {time.day} {time:%B %Y}"


def in_language(text: str, language: str | None = None) -> Markup:
    """Return the attributes of an element with a text that is not in English, the pages' language.

    Where the language is not given, the writing system tells whether it is looked for.

    >>> in_language("Alder floods Kelby"), in_language("洪水来袭数千人撤离")
    (Markup(''), Markup(' lang="zh"'))
    >>> in_language("آلاف يفرون من الفيضانات")
    Markup(' lang="ar" dir="rtl"')
    """
    code = language or (detected(text) if script_of(text) not in ("Latin", "") else ENGLISH)
    if primary(code) == ENGLISH:
        return Markup("")
    direction = ' dir="rtl"' if primary(code) in RIGHT_TO_LEFT else ""
    return Markup(' lang="{}"').format(code) + Markup(direction)


def short_day(time: datetime | date) -> str:
    """Return a day in few words.

    >>> short_day(datetime(2026, 3, 3))
    '3 Mar'
    """
    return f"{time.day} {time:%b}"


def clock(time: datetime) -> str:
    """Return the time of day."""
    return f"{time:%H:%M}"


def moment(time: datetime, now: datetime | None = None) -> str:
    """Return a time in a few words, with the year if it is not the current one.

    >>> moment(datetime(2026, 3, 3, 6, 35), datetime(2026, 8, 1))
    '3 Mar, 06:35 UTC'
    >>> moment(datetime(2024, 3, 3, 6, 35), datetime(2026, 8, 1))
    '3 Mar 2024, 06:35 UTC'
    """
    year = "" if time.year == (now or datetime.now(UTC)).year else f" {time.year}"
    return f"{time.day} {time:%b}{year}, {time:%H:%M} UTC"
