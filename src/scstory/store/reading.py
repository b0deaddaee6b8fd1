"""The way out: what readers ask for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime

import numpy as np

from scstory.discovery.state import load_parts
from scstory.errors import StoreError
from scstory.store.base import ArticleRecord, ArticleSource, Event
from scstory.store.database import Part, clean, known, reading
from scstory.store.rows import (
    ARTICLE,
    ARTICLES,
    STORIES,
    time_text,
    to_article,
    to_event,
    to_record,
    to_source,
    to_story,
)
from scstory.types import EncodedArticle, State, Story


class Reading(Part):
    """Articles, stories, events and the engine's state, as last committed."""

    @reading
    def state(self) -> State | None:
        """Return the engine's state after the last commit, or None in a new store."""
        rows = self.db.rows("SELECT name, state FROM engine_parts ORDER BY name")
        parts: dict[str, bytes] = {row[0]: row[1] for row in rows}
        self._seen()
        if not parts:
            return None
        state = load_parts(parts, what=self.db.name)
        members = []
        for *article, sentences, vectors in self.db.rows(
            f"SELECT {ARTICLE}, v.sentences, v.vectors FROM vectors v "
            "LEFT JOIN articles a ON a.id = v.article ORDER BY v.position"
        ):
            if article[0] is None:
                raise StoreError(
                    f"{self.db.name}: cannot be read, it is damaged (an article of the window is "
                    "not there)"
                )
            split = tuple(json.loads(sentences))
            matrix = np.frombuffer(vectors, dtype=np.float32).reshape(len(split), -1)
            members.append(EncodedArticle(to_article(article), split, matrix.copy()))
        return State(state.meta, state.arrays, tuple(members))

    def _seen(self) -> None:
        """Take note that the state is being handed out."""

    @reading
    def last_sequence(self) -> int:
        """Return the number of the latest article."""
        return int(self.db.value("SELECT coalesce(max(sequence), 0) FROM articles"))

    @reading
    def article(self, article: str) -> ArticleRecord | None:
        """Return an article by id; one that is a copy of another, by that one's."""
        key = clean(article)
        for (original,) in self.db.rows("SELECT article FROM sources WHERE id = ?", (key,)):
            key = original
        found = self.db.rows(f"{ARTICLES} WHERE a.id = ?", (key,))
        return to_record(found[0]) if found else None

    @reading
    def sources_of(self, article: str) -> list[ArticleSource]:
        """Return where an article appeared: its own place first, then its copies'."""
        key, columns = clean(article), "id, published, title, url, source"
        own = self.db.rows(f"SELECT {columns} FROM articles WHERE id = ?", (key,))
        copies = self.db.rows(
            f"SELECT {columns} FROM sources WHERE article = ? ORDER BY number", (key,)
        )
        return [to_source(row) for row in [*own, *copies]]

    def articles_of(self, story: int) -> Iterator[ArticleRecord]:
        """Yield the articles of a story in publication order."""
        yield from self._records_of(story)

    @reading
    def _records_of(self, story: int) -> list[ArticleRecord]:
        found = self.db.rows(
            f"{ARTICLES} WHERE d.story = ? ORDER BY a.published, a.sequence",
            (self.redirect(story) if known(story) else 0,),
        )
        return [to_record(row) for row in found]

    @reading
    def decided_between(self, start: datetime, end: datetime) -> list[tuple[str, int]]:
        """Return the articles published in a span of time, by id, and each one's story."""
        found = self.db.rows(
            "SELECT a.id, d.story FROM articles a JOIN assignments d ON d.article = a.id "
            "WHERE a.published BETWEEN ? AND ? ORDER BY a.published, a.sequence",
            (time_text(start), time_text(end)),
        )
        return [(article, story) for article, story in found]

    @reading
    def stories(self, *, active: bool | None = None) -> list[Story]:
        """Return stories, the latest news first; only active or only past ones if asked."""
        chosen = "" if active is None else f" WHERE active = {int(active)}"
        rows = self.db.rows(f"{STORIES}{chosen} ORDER BY last_seen DESC, id DESC")
        members: dict[int, list[str]] = {}
        for story, article in self.db.rows(
            "SELECT d.story, d.article FROM assignments d JOIN articles a ON a.id = d.article "
            "ORDER BY a.published, a.sequence"
        ):
            members.setdefault(story, []).append(article)
        return [to_story(row, members.get(row[0], [])) for row in rows]

    @reading
    def story(self, story: int) -> Story | None:
        """Return a story by id; for one that was merged, the one it is now part of."""
        if not known(story):
            return None
        found = self.db.rows(f"{STORIES} WHERE id = ?", (self.redirect(story),))
        if not found:
            return None
        articles = [record.article.id for record in self._records_of(found[0][0])]
        return to_story(found[0], articles)

    @reading
    def redirect(self, story: int) -> int:
        """Return the number a story has now: its own unless it was merged."""
        found = self.db.rows("SELECT new FROM redirects WHERE old = ?", (story,))
        return int(found[0][0]) if found else story

    @reading
    def events(self, after: int, limit: int = 1000) -> list[Event]:
        """Return what happened after the event of that number, in order."""
        query = (
            "SELECT number, kind, story, articles, time, becomes FROM events "
            "WHERE number > ? ORDER BY number LIMIT ?"
        )
        return [to_event(row) for row in self.db.rows(query, (after, limit))]

    @reading
    def last_event(self) -> int:
        """Return the number of the latest event, 0 if there was none."""
        return int(self.db.value("SELECT coalesce(max(number), 0) FROM events"))

    @reading
    def counts(self) -> tuple[int, int]:
        """Return how many articles and how many stories there are."""
        articles = self.db.value("SELECT count(*) FROM articles")
        stories = self.db.value("SELECT count(*) FROM stories")
        return articles, stories
