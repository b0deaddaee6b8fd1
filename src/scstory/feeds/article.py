"""From a raw record (a JSON object, a CSV row) to an Article, or to a reason why there is none."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from scstory.errors import BadItem
from scstory.feeds.dates import MAX_DATE_CHARACTERS, parse_date
from scstory.types import Article

MAX_CHARACTERS = 1_000_000
"""The longest article that is read. The longest news features have a tenth of this."""

LIMITS = {"id": 500, "url": 10_000, "source": 1_000, "language": 50, "image": 10_000}
"""The most characters of a field."""
REQUIRED = ("id", "date", "title", "text")
OPTIONAL = ("url", "source", "language", "image")


def parse_article(record: Mapping[str, Any], *, max_characters: int = MAX_CHARACTERS) -> Article:
    """Return the article of a record; raise BadItem with the reason if there is none.

    >>> parse_article({"id": 7, "date": "2026-03-03T07:35:00+01:00", "title": "Alder rises",
    ...                "text": "The river rose."}).published.isoformat()
    '2026-03-03T06:35:00+00:00'
    """
    missing = [name for name in REQUIRED if record.get(name) is None]
    if missing:
        raise BadItem(f"missing {', '.join(missing)}; an article needs {', '.join(REQUIRED)}")
    values = {name: _text(record, name) for name in (*REQUIRED, *OPTIONAL)}
    size = len(values["text"]) + len(values["title"])
    if size > max_characters:
        raise BadItem(f"{size:,} characters; the limit is {max_characters:,} (max_characters)")
    for name, limit in LIMITS.items():
        if len(values[name]) > limit:
            raise BadItem(f"{name} has {len(values[name]):,} characters; the limit is {limit:,}")
    if not values["id"].strip():
        raise BadItem("empty id")
    if not values["text"].strip() and not values["title"].strip():
        raise BadItem("neither title nor text: both are empty")
    return Article(
        id=values["id"].strip(),
        published=parse_date(values["date"]),
        title=" ".join(values["title"].split()),
        text=values["text"],
        url=values["url"].strip() or None,
        source=values["source"].strip() or None,
        language=values["language"].strip() or None,
        image=values["image"].strip() or None,
    )


def date_or_none(value: Any) -> datetime | None:
    """Return a date in UTC; None for a value that cannot be read as one."""
    if not isinstance(value, str) or not 0 < len(value) <= MAX_DATE_CHARACTERS:
        return None
    try:
        return parse_date(value)
    except BadItem:
        return None


def _text(record: Mapping[str, Any], name: str) -> str:
    """Return a field as text. Only an id may be a number: 2026 is no date."""
    value = record.get(name)
    if value is None:
        return ""
    if name == "id" and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise BadItem(f"{name} is {_kind(value)}, not text")
    if "\0" in value:
        raise BadItem(f"NUL byte in {name}")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise BadItem(f"{name} is not valid UTF-8") from None
    return value


def _kind(value: Any) -> str:
    kinds = {bool: "true or false", list: "a list", dict: "an object", int: "a number"}
    return kinds.get(type(value), "a number")
