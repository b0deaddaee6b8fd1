"""Rows into objects, and values into what a row can hold."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from scstory.store.base import ArticleRecord, ArticleSource, Event, Parked
from scstory.types import Article, Assignment, KeySentence, RunnerUp, Story

Row = Sequence[Any]
UNREADABLE = (ValueError, TypeError, LookupError, AttributeError, OverflowError)
"""What rows that something got at raise when they are made into objects."""

ARTICLE = "id, published, title, text, url, source, language"
ARTICLES = (
    "SELECT a.id, a.published, a.title, a.text, a.url, a.source, a.language, a.sequence, a.late, "
    "d.story, d.confidence, d.new, d.runners_up, d.parts, d.weights "
    "FROM articles a LEFT JOIN assignments d ON d.article = a.id"
)
STORIES = (
    "SELECT id, title, keywords, key_sentences, first_seen, last_seen, size, confidence, active "
    "FROM stories"
)


def article_values(article: Article) -> tuple[Any, ...]:
    """Return an article as a row of the columns `ARTICLE`."""
    return (
        article.id,
        time_text(article.published),
        article.title,
        article.text,
        article.url,
        article.source,
        article.language,
    )


def to_article(row: Row) -> Article:
    """Return the article in a row of the columns `ARTICLE`."""
    return Article(row[0], to_time(row[1]), *row[2:7])


def to_record(row: Row) -> ArticleRecord:
    """Return what a row of `ARTICLES` holds."""
    article = to_article(row)
    if row[9] is None:
        return ArticleRecord(article, None, row[7], bool(row[8]))
    assignment = Assignment(
        article.id,
        row[9],
        row[10],
        bool(row[11]),
        runners_up=tuple(RunnerUp(*pair) for pair in json.loads(row[12])),
        parts=json.loads(row[13]),
        weights=tuple(json.loads(row[14])),
    )
    return ArticleRecord(article, assignment, row[7], bool(row[8]))


def assignment_values(decision: Assignment) -> tuple[Any, ...]:
    """Return a decision as a row."""
    return (
        decision.article,
        decision.story,
        decision.confidence,
        int(decision.new),
        to_json(decision.runners_up),
        to_json(dict(decision.parts)),
        to_json([round(weight, 6) for weight in decision.weights]),
    )


def to_story(row: Row, articles: Sequence[str]) -> Story:
    """Return the story in a row of `STORIES`."""
    return Story(
        id=row[0],
        title=row[1],
        keywords=tuple(json.loads(row[2])),
        key_sentences=tuple(KeySentence(*item) for item in json.loads(row[3])),
        first_seen=to_time(row[4]),
        last_seen=to_time(row[5]),
        articles=tuple(articles),
        size=row[6],
        confidence=row[7],
        active=bool(row[8]),
    )


def story_values(story: Story) -> tuple[Any, ...]:
    """Return a story as a row."""
    return (
        story.id,
        story.title,
        to_json(story.keywords),
        to_json(story.key_sentences),
        time_text(story.first_seen),
        time_text(story.last_seen),
        story.size,
        story.confidence,
        int(story.active),
    )


def to_source(row: Row) -> ArticleSource:
    """Return where a row says that an article appeared."""
    return ArticleSource(row[0], to_time(row[1]), row[2], row[3], row[4])


def to_event(row: Row) -> Event:
    """Return the event in a row."""
    return Event(row[0], row[1], row[2], tuple(json.loads(row[3])), to_time(row[4]), row[5])


def to_parked(row: Row) -> Parked:
    """Return the parked article in a row."""
    return Parked(to_article(row), row[7], to_time(row[8]))


def time_text(value: datetime) -> str:
    """Return a time as text that sorts as the time does."""
    return value.astimezone(UTC).isoformat(timespec="microseconds")


def to_time(value: str) -> datetime:
    """Return the time that `time_text` wrote."""
    return datetime.fromisoformat(value)


def to_json(value: Any) -> str:
    """Return a value as JSON, as people would read it."""
    return json.dumps(value, ensure_ascii=False)
