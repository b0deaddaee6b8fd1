"""From the records of somebody's file to articles.

A record becomes one of our own, whose fields `parse_article` checks: its columns are found by
their names, an id is made where there is none, and dates are read in the order of the file.
"""

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from scstory.errors import BadItem, SourceError
from scstory.feeds.article import parse_article
from scstory.feeds.canonical_url import canonical_url
from scstory.feeds.columns import Columns, match_columns
from scstory.feeds.dates import DayOrder, day_order, parse_date
from scstory.feeds.known_formats import TIME_OF_READING, adapt, format_name, has_no_dates
from scstory.feeds.plain_text import one_line
from scstory.feeds.source import Item, SourceOptions
from scstory.feeds.values import (
    date_of,
    flatten,
    is_web_address,
    language_of,
    text_of,
    without_markup,
)

MAX_ID_CHARACTERS = 500
MAX_SHAPES = 1_000
"""Sets of fields whose columns are remembered."""
NOW = "now"
"""In place of a column of dates: the time of reading."""
NO_DATE = (
    "no date; name its column with --map date=COLUMN, or take the time of reading with "
    "--map date=now"
)


Found = Mapping[str, tuple[str, Any]]
"""The value of each of our fields, and the column that it is from."""


class RecordReader:
    """Turns the records of one file into items. Says once how it reads them."""

    def __init__(self, name: str, options: SourceOptions) -> None:
        self.name, self._options = name, options
        self._shapes: dict[tuple[str, ...], Columns] = {}
        self._said: set[str] = set()
        self._order = DayOrder(True if options.day_first else None)
        self._unmapped = set(options.columns.values()) - {NOW}
        self._now = datetime.now(UTC)
        self.records = 0

    def columns(self, names: tuple[str, ...]) -> Columns:
        """Return the columns of records with some names."""
        if (found := self._shapes.get(names)) is None:
            chosen = {k: v for k, v in self._options.columns.items() if v != NOW}
            found = match_columns(names, chosen)
            if len(self._shapes) < MAX_SHAPES:
                self._shapes[names] = found
        return found

    def check_table(self, names: tuple[str, ...]) -> Columns:
        """Return the columns of a table; raise SourceError if it cannot be one of articles."""
        found = self.columns(names)
        there = one_line(", ".join(name for name in names if name.strip()))[:300] or "none"
        if found.missing:
            raise SourceError(
                f"{self.name}: --map names the column {found.missing[0]!r}, which is not there; "
                f"there are {there}"
            )
        if "title" not in found and "text" not in found:
            raise SourceError(
                f"{self.name}: no column is known as title or text; there are {there}; name them "
                "with --map title=COLUMN --map text=COLUMN"
            )
        if "date" not in found and not (has_no_dates(names) or "date" in self._options.columns):
            raise SourceError(
                f"{self.name}: no column is known as date; there are {there}; name one with "
                "--map date=COLUMN, or take the time of reading with --map date=now"
            )
        return found

    def undecided(self, value: Any) -> bool:
        """Return whether it takes other dates to say which day a date is; learn from it if not."""
        if self._order.day_first is not None or not isinstance(value, str):
            return False
        two_ways, first = day_order(value.strip())
        if two_ways:
            self._order.day_first = first
        return two_ways and first is None

    def date_in(self, record: Mapping[str, Any]) -> Any:
        """Return the date of a record as it is written."""
        try:
            flat = adapt(flatten(record))
        except BadItem:
            return None
        return self.columns(tuple(flat)).values(flat).get("date", ("", None))[1]

    def item(self, place: str, record: Mapping[str, Any]) -> Item:
        """Return the article of a record, or the reason why there is none."""
        self.records += 1
        try:
            flat = adapt(flatten(record))
            columns = self.columns(tuple(flat))
            self._unmapped -= set(self._options.columns.values()) - set(columns.missing)
            found = columns.values(flat)
            values = self._values(columns, found, flat)
            article = parse_article(values, max_characters=self._options.max_characters)
        except BadItem as error:
            return Item(place, None, str(error))
        self._say_how(columns, record)
        return Item(place, article, label=_label(found.get("story", ("", None))[1]))

    def unmapped(self) -> str | None:
        """Return what to say of columns that the user named and no record had."""
        if self.records and self._unmapped:
            return f"--map names the field {min(self._unmapped)!r}, which no record has"
        return None

    def say(self, text: str) -> None:
        """Tell the user something about this file, once."""
        if text not in self._said and len(self._said) < MAX_SHAPES:
            self._said.add(text)
            self._options.on_notice(one_line(f"{self.name}: {text}"))

    def _values(self, columns: Columns, found: Found, record: Mapping[str, Any]) -> dict[str, str]:
        _refuse_error(columns, record)
        values = {"title": "", "text": ""}
        for ours, (name, value) in found.items():
            if ours in ("date", "story"):
                continue
            try:
                text = text_of(value, "\n" if ours == "text" else " ")
            except BadItem as error:
                raise BadItem(f"{ours} {error}") from None
            if text is None:
                continue
            foreign = name.strip().casefold() != ours
            if ours == "language":
                text = language_of(text)
            elif ours in ("title", "text", "source") and (foreign or not isinstance(value, str)):
                text = without_markup(text)
            values[ours] = text
        if "url" not in values and is_web_address(values.get("source", "")):
            values["url"] = values.pop("source")  # trafilatura calls it so
        if not (values["title"].strip() or values["text"].strip()):
            raise BadItem(_nothing(columns, record))
        values["date"] = self._date(columns, found.get("date", ("", None))[1], record)
        if not values.get("id", "").strip():
            values["id"] = made_id(values.get("url", ""), values["title"], values["text"])
        return values

    def _date(self, columns: Columns, given: Any, record: Mapping[str, Any]) -> str:
        """Return the date of a record in ISO 8601."""
        if self._options.columns.get("date") == NOW or given is TIME_OF_READING:
            self.say("no dates: every article counts as published at the time of reading")
            return self._now.isoformat()
        value = date_of(given)
        if not value:
            raise BadItem(_no_date(columns, given))
        if columns.clock and ":" not in value:
            clock = record.get(columns.clock)
            if isinstance(clock, str) and ":" in clock and len(clock) < 20:
                value = f"{value} {clock}"
        return parse_date(value, order=self._order_of(value)).isoformat()

    def _order_of(self, value: str) -> DayOrder:
        """Return how to read a date with day and month in numbers; say so where it is a guess."""
        two_ways, first = day_order(value.strip())
        if not two_ways:
            return self._order
        if first is None:
            if self._order.day_first is None:
                self._order.day_first = False
                self.say(
                    f"the date {self._order.shown(value.strip())}: the month is taken first, since "
                    "no date says otherwise; --day-first takes the day first"
                )
            return self._order
        if self._order.day_first is None:
            self._order.day_first = first
        elif self._order.day_first != first and not value.strip().count("."):
            self.say(
                f"the date {value.strip()[:40]!r} does not fit the order of day and month before "
                "it; check the dates, and see --day-first"
            )
        return DayOrder(first)

    def _say_how(self, columns: Columns, record: Mapping[str, Any]) -> None:
        if any(said.startswith("read") for said in self._said):
            return
        known = format_name(record)
        how = [columns.shown()] if columns.differ() else []
        if "id" not in columns:
            how.append("id made from the address or the text")
        if "text" not in columns and (unread := columns.unread(record)):
            how.append(f"no text; --map text=NAME takes it from {' or '.join(unread)}")
        if not (known or how):
            self._said.add("read as it is")
            return
        self.say(f"read{f' as {known}' if known else ''}: {'; '.join(how) or 'as it is'}")


def made_id(url: str, title: str, text: str) -> str:
    """Return an id for an article without one: its address, else a digest of what it says.

    >>> made_id("https://www.wire.example/alder?utm_source=x", "Alder rises", "")
    'wire.example/alder'
    >>> made_id("https://wire.example/", "Alder rises", "It rose.") == made_id(
    ...     "", "Alder  rises", "It rose.")
    True
    """
    page = canonical_url(url)
    if page and len(page) <= MAX_ID_CHARACTERS and not _is_front_page(page):
        return page
    content = "\0".join(" ".join(part.split()) for part in (title, text))
    return f"text:{hashlib.sha256(content.encode('utf-8', 'replace')).hexdigest()[:32]}"


def _is_front_page(page: str) -> bool:
    parts = urlsplit(f"//{page}")
    return parts.path in ("", "/") and not parts.query


def _refuse_error(columns: Columns, record: Mapping[str, Any]) -> None:
    """Raise BadItem for what an API says instead of articles."""
    message = record.get("message") or record.get("error")
    signs = record.keys() & {"status", "error", "code", "statusCode"}
    if "title" not in columns and signs and isinstance(message, str) and message.strip():
        raise BadItem(f"is an error message, not an article ({one_line(message)[:200]})")


def _nothing(columns: Columns, record: Mapping[str, Any]) -> str:
    """Return why a record with neither title nor text has none, and what might help."""
    if columns.missing:
        return f"no field {columns.missing[0]!r}, which --map names"
    if "title" in columns or "text" in columns:
        return "neither title nor text: both are empty"
    names = one_line(", ".join(str(name) for name in list(record)[:12]))[:200]
    return (
        f"neither title nor text; the fields are {names or 'none'}; name them with "
        "--map title=FIELD --map text=FIELD"
    )


def _no_date(columns: Columns, given: Any) -> str:
    """Return why a record has no date, and what might help."""
    if "date" not in columns:
        return NO_DATE
    name = one_line(columns.names["date"][0])[:100]
    if given is None:
        return f"no date: {name} is empty"
    return f"no date in {name}; name a field in it, as in --map date={name}.start"


def _label(value: Any) -> str | None:
    """Return a true story as text; None where there is none, or none that can be a name."""
    if not isinstance(value, str | int | float) or value != value:
        return None
    return str(value).strip() or None
