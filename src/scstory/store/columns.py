"""The columns of the tables: rows into objects, and values into what a row can hold."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from operator import methodcaller
from typing import Any

from scstory.store.records import ArticleRow, Copy, Event, Parked
from scstory.types import Article, Assignment, RunnerUp

Row = Sequence[Any]
UNREADABLE = (ValueError, TypeError, LookupError, AttributeError, OverflowError)
"""What damaged rows raise when they are made into objects."""

ARTICLE = "id, published, title, text, url, source, language, image"
ARTICLE_ROWS = (
    "SELECT a.id, a.published, a.title, a.text, a.url, a.source, a.language, a.image, "
    "a.sequence, a.late, d.story, d.confidence, d.new, d.weights, d.runners_up, d.parts, "
    "d.correction "
    "FROM articles a LEFT JOIN assignments d ON d.article = a.id"
)
STORY = (
    "id, title, keywords, key_sentences, first_seen, last_seen, size, confidence, active, "
    "summary, milestones, headlines, title_article, language, editions"
)
SHOWN = "title_by, pinned, hidden"
"""The columns of stories that people decide."""
DESCRIPTION = ("keywords", "key_sentences", "summary", "milestones", "headlines", "editions")
"""The columns of `STORY` that hold JSON."""
EVENTS = (
    "SELECT e.number, e.kind, e.story, e.articles, e.time, e.becomes, s.title, s.size "
    "FROM events e LEFT JOIN stories s ON s.id = e.story"
)


def row_values(item: object, columns: str) -> tuple[Any, ...]:
    """Return the attributes that columns are named after, as a row can hold them."""
    return tuple(_stored(getattr(item, column)) for column in columns.split(", "))


def _stored(value: Any) -> Any:
    if isinstance(value, datetime):
        return time_text(value)
    if isinstance(value, tuple):
        return to_json(value)
    return int(value) if isinstance(value, bool) else value


def to_article(row: Row) -> Article:
    """Return the article in a row of the columns `ARTICLE`."""
    return Article(row[0], to_time(row[1]), *row[2:8])


def to_article_row(row: Row, copies: Sequence[Copy]) -> ArticleRow:
    """Return what a row of `ARTICLE_ROWS` holds."""
    return ArticleRow(
        row[0],
        to_time(row[1]),
        *row[2:8],
        sequence=row[8],
        late=bool(row[9]),
        story=row[10],
        confidence=row[11],
        new=bool(row[12]),
        weights=tuple(json.loads(row[13] or "[]")),
        runners_up=tuple(RunnerUp(*pair) for pair in json.loads(row[14] or "[]")),
        evidence=json.loads(row[15] or "{}"),
        copies=tuple(copies),
        correction=row[16],
    )


def assignment_values(decision: Assignment) -> tuple[Any, ...]:
    """Return a decision as a row."""
    return (
        *row_values(decision, "article, story, confidence, new, runners_up"),
        to_json(dict(decision.evidence)),
        to_json([round(weight, 6) for weight in decision.weights]),
    )


def to_event(row: Row) -> Event:
    """Return the event in a row of `EVENTS`."""
    number, kind, story, articles, time, becomes, title, size = row
    return Event(
        number, kind, story, tuple(json.loads(articles)), to_time(time), becomes, title, size
    )


def to_parked(row: Row) -> Parked:
    """Return the parked article in a row of the columns `ARTICLE`, then reason and time."""
    return Parked(to_article(row), row[8], to_time(row[9]))


def time_text(value: datetime) -> str:
    """Return a time as text that sorts as the time does."""
    return value.astimezone(UTC).isoformat(timespec="microseconds")


def to_time(value: str) -> datetime:
    """Return the time that `time_text` wrote."""
    return datetime.fromisoformat(value)


def to_json(value: Any) -> str:
    """Return a value as JSON, with characters as people read them and ISO dates."""
    return json.dumps(value, ensure_ascii=False, default=methodcaller("isoformat"))
