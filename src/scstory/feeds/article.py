"""From a raw record (a JSON object, a CSV row) to an Article, or to a reason why there is none."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

from scstory.errors import BadItem
from scstory.types import Article

MAX_CHARACTERS = 1_000_000
"""The longest article that is read. The longest news features have a tenth of this."""

MIN_YEAR = 1000
"""Earlier dates leave no room for the window before them."""
MAX_FUTURE = timedelta(days=2)
"""How far a date may lie in the future: time zones and clocks differ, but not by more."""

REQUIRED = ("id", "date", "title", "text")
OPTIONAL = ("url", "source", "language")


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
    for name, limit in (("id", 500), ("url", 10_000), ("source", 1_000), ("language", 50)):
        if len(values[name]) > limit:
            raise BadItem(f"{name} has {len(values[name]):,} characters; the limit is {limit:,}")
    for name in ("id", "text"):
        if not values[name].strip():
            raise BadItem(f"empty {name}")
    return Article(
        id=values["id"].strip(),
        published=parse_date(values["date"]),
        title=" ".join(values["title"].split()),
        text=values["text"],
        url=values["url"].strip() or None,
        source=values["source"].strip() or None,
        language=values["language"].strip() or None,
    )


def parse_date(value: str) -> datetime:
    """Return a date in UTC. Without a zone it is UTC, without a time it is midnight.

    ISO 8601 and the form of e-mail and RSS (RFC 2822) are understood.

    >>> parse_date("2026-03-03").isoformat()
    '2026-03-03T00:00:00+00:00'
    >>> parse_date("Tue, 03 Mar 2026 07:35:00 +0100").isoformat()
    '2026-03-03T06:35:00+00:00'
    """
    value = value.strip()
    try:
        date = _parse(value)
        date = date.replace(tzinfo=UTC) if date.tzinfo is None else date.astimezone(UTC)
    except (ValueError, TypeError, OverflowError, IndexError):
        raise BadItem(
            f"unreadable date {_shown(value)}; write it like 2026-03-03T06:35:00Z or 2026-03-03"
        ) from None
    if date.year < MIN_YEAR:
        raise BadItem(f"date {_shown(value)} is before the year {MIN_YEAR}")
    if date > datetime.now(UTC) + MAX_FUTURE:
        raise BadItem(f"date {_shown(value)} lies in the future")
    return date


def date_or_none(value: Any) -> datetime | None:
    """Return a date in UTC; None for a value that cannot be read as one."""
    if not isinstance(value, str) or not 0 < len(value) <= 100:
        return None
    try:
        return parse_date(value)
    except BadItem:
        return None


def _parse(value: str) -> datetime:
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        return parsedate_to_datetime(value)


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


def _shown(value: str) -> str:
    return repr(value if len(value) <= 40 else value[:40] + "…")
