"""The store in one SQLite file."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from scstory.discovery.state import dump_state, load_state
from scstory.errors import StoreError
from scstory.store.base import ArticleRecord
from scstory.types import (
    Article,
    Assignment,
    EncodedArticle,
    KeySentence,
    RunnerUp,
    State,
    Story,
)

APPLICATION_ID = 0x53635374  # "ScSt": tells our files from other SQLite databases


class SqliteStore:
    """One file, one writer, any number of readers."""

    def __init__(self, path: str, *, create: bool = True) -> None:
        self.path = path
        if not create and not Path(path).exists():
            raise StoreError(
                f"{path}: no such database; make one with: scstory run ARTICLES --db {path}"
            )
        with self._errors("cannot be opened"):
            self._db = sqlite3.connect(path, timeout=30, isolation_level=None)
            self._db.execute("PRAGMA foreign_keys = ON")
            self._migrate()
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = FULL")
        self._expected = self.last_sequence()

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    # -- writing ------------------------------------------------------------------------------

    def commit(
        self,
        articles: Sequence[EncodedArticle],
        decided: Sequence[Assignment],
        stories: Sequence[Story],
        state: State,
    ) -> None:
        """Keep a slide with all its effects, in one transaction."""
        with self._errors("cannot be written"), self._transaction():
            if self.last_sequence() != self._expected:
                # The engine whose state this is has not seen what somebody else committed.
                raise StoreError(
                    f"{self.path}: another run is writing to it; let it end, then run again, "
                    "or name another database with --db"
                )
            self._insert_articles([member.article for member in articles])
            self._write_stories(stories)
            self._write_assignments(decided)
            self._write_window(state)
            self._db.execute(
                "INSERT OR REPLACE INTO engine (only, state) VALUES (1, ?)",
                (dump_state(state, members=False),),
            )
        self._expected = self.last_sequence()

    def _insert_articles(self, articles: Sequence[Article]) -> None:
        self._db.executemany(
            "INSERT INTO articles (id, published, title, text, url, source, language) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                (a.id, _time(a.published), a.title, a.text, a.url, a.source, a.language)
                for a in articles
            ],
        )

    def _write_stories(self, stories: Sequence[Story]) -> None:
        self._db.execute("UPDATE stories SET active = 0 WHERE active = 1")
        self._db.executemany(
            "INSERT INTO stories (id, title, keywords, key_sentences, first_seen, last_seen, size, "
            "confidence, active) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET "
            "title = excluded.title, keywords = excluded.keywords, "
            "key_sentences = excluded.key_sentences, first_seen = excluded.first_seen, "
            "last_seen = excluded.last_seen, size = excluded.size, "
            "confidence = excluded.confidence, active = excluded.active",
            [
                (
                    s.id,
                    s.title,
                    _json(s.keywords),
                    _json(s.key_sentences),
                    _time(s.first_seen),
                    _time(s.last_seen),
                    s.size,
                    s.confidence,
                    s.active,
                )
                for s in stories
            ],
        )

    def _write_assignments(self, decided: Sequence[Assignment]) -> None:
        self._db.executemany(
            "INSERT OR REPLACE INTO assignments (article, story, confidence, new, runners_up, "
            "parts, weights) VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    d.article,
                    d.story,
                    d.confidence,
                    d.new,
                    _json(d.runners_up),
                    _json(dict(d.parts)),
                    _json([round(weight, 6) for weight in d.weights]),
                )
                for d in decided
            ],
        )

    def _write_window(self, state: State) -> None:
        """Bring the stored window in line with the engine's: some articles went, some came."""
        stored = {row[0] for row in self._db.execute("SELECT article FROM vectors")}
        wanted = {member.article.id for member in state.members}
        self._db.executemany(
            "DELETE FROM vectors WHERE article = ?", [(gone,) for gone in stored - wanted]
        )
        start = self._db.execute("SELECT coalesce(max(position), 0) FROM vectors").fetchone()[0]
        self._db.executemany(
            "INSERT INTO vectors (article, position, sentences, vectors) VALUES (?, ?, ?, ?)",
            [
                (m.article.id, position, _json(m.sentences), m.vectors.tobytes())
                for position, m in enumerate(state.members, start + 1)
                if m.article.id not in stored
            ],
        )

    # -- reading ------------------------------------------------------------------------------

    def state(self) -> State | None:
        """Return the engine's state after the last slide, or None in a new store."""
        with self._errors("cannot be read"):
            self._expected = self.last_sequence()
            row = self._db.execute("SELECT state FROM engine").fetchone()
            if row is None:
                return None
            state = load_state(row[0], what=self.path)
            members = []
            for article, sentences, vectors in self._db.execute(
                "SELECT article, sentences, vectors FROM vectors ORDER BY position"
            ):
                record = self.article(article)
                assert record is not None
                split = tuple(json.loads(sentences))
                matrix = np.frombuffer(vectors, dtype=np.float32).reshape(len(split), -1)
                members.append(EncodedArticle(record.article, split, matrix.copy()))
            return State(state.meta, state.arrays, tuple(members))

    def last_sequence(self) -> int:
        """Return the number of the latest article."""
        with self._errors("cannot be read"):
            number: int = self._db.execute(
                "SELECT coalesce(max(sequence), 0) FROM articles"
            ).fetchone()[0]
            return number

    def article(self, article: str) -> ArticleRecord | None:
        """Return an article by id."""
        with self._errors("cannot be read"):
            key = article.encode("utf-8", "replace").decode("utf-8")
            row = self._db.execute(f"{_ARTICLES} WHERE a.id = ?", (key,)).fetchone()
            return None if row is None else _article_record(row)

    def articles_of(self, story: int) -> Iterator[ArticleRecord]:
        """Yield the articles of a story in publication order."""
        if abs(story) >= 2**63:
            return
        with self._errors("cannot be read"):
            for row in self._db.execute(
                f"{_ARTICLES} WHERE d.story = ? ORDER BY a.published, a.sequence", (story,)
            ):
                yield _article_record(row)

    def stories(self, *, active: bool | None = None) -> list[Story]:
        """Return stories, the latest news first; only active or only past ones if asked."""
        with self._errors("cannot be read"):
            rows = self._db.execute(
                f"{_STORIES} WHERE ?1 IS NULL OR active = ?1 ORDER BY last_seen DESC, id DESC",
                (active,),
            ).fetchall()
            members: dict[int, list[str]] = {}
            for story, article in self._db.execute(
                "SELECT d.story, d.article FROM assignments d JOIN articles a ON a.id = d.article "
                "ORDER BY a.published, a.sequence"
            ):
                members.setdefault(story, []).append(article)
            return [_story(row, members.get(row[0], [])) for row in rows]

    def story(self, story: int) -> Story | None:
        """Return a story by id."""
        with self._errors("cannot be read"):
            if abs(story) >= 2**63:
                return None
            row = self._db.execute(f"{_STORIES} WHERE id = ?", (story,)).fetchone()
            if row is None:
                return None
            return _story(row, [record.article.id for record in self.articles_of(story)])

    def counts(self) -> tuple[int, int]:
        """Return how many articles and how many stories there are."""
        with self._errors("cannot be read"):
            articles = self._db.execute("SELECT count(*) FROM articles").fetchone()[0]
            stories = self._db.execute("SELECT count(*) FROM stories").fetchone()[0]
            return articles, stories

    # -- the file -----------------------------------------------------------------------------

    def _migrate(self) -> None:
        """Bring the schema up to date, one numbered step after the other."""
        found = self._db.execute("PRAGMA application_id").fetchone()[0]
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        tables = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if found != APPLICATION_ID and (tables or version):
            raise StoreError(f"{self.path}: not a scstory database; name another with --db")
        steps = sorted(
            (
                entry
                for entry in files("scstory.store.migrations").iterdir()
                if entry.name.endswith(".sql")
            ),
            key=lambda entry: entry.name,
        )
        if version > len(steps):
            raise StoreError(
                f"{self.path}: made by a newer scstory (schema {version}, this one knows "
                f"{len(steps)}); update scstory or name another database with --db"
            )
        for number, step in enumerate(steps[version:], version + 1):
            with self._transaction():
                # Another process may have been faster while this one waited for the lock.
                if self._db.execute("PRAGMA user_version").fetchone()[0] >= number:
                    continue
                for statement in step.read_text("utf-8").split(";\n"):
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                self._db.execute(f"PRAGMA user_version = {number}")

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    @contextmanager
    def _errors(self, what: str) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: {what} ({error})") from error


_ARTICLES = (
    "SELECT a.id, a.published, a.title, a.text, a.url, a.source, a.language, a.sequence, "
    "d.story, d.confidence, d.new, d.runners_up, d.parts, d.weights "
    "FROM articles a LEFT JOIN assignments d ON d.article = a.id"
)
_STORIES = (
    "SELECT id, title, keywords, key_sentences, first_seen, last_seen, size, confidence, active "
    "FROM stories"
)


def _article_record(row: Sequence[Any]) -> ArticleRecord:
    article = Article(row[0], _parse_time(row[1]), *row[2:7])
    if row[8] is None:
        return ArticleRecord(article, None, row[7])
    assignment = Assignment(
        article.id,
        row[8],
        row[9],
        bool(row[10]),
        runners_up=tuple(RunnerUp(*pair) for pair in json.loads(row[11])),
        parts=json.loads(row[12]),
        weights=tuple(json.loads(row[13])),
    )
    return ArticleRecord(article, assignment, row[7])


def _story(row: Sequence[Any], articles: Sequence[str]) -> Story:
    return Story(
        id=row[0],
        title=row[1],
        keywords=tuple(json.loads(row[2])),
        key_sentences=tuple(KeySentence(*item) for item in json.loads(row[3])),
        first_seen=_parse_time(row[4]),
        last_seen=_parse_time(row[5]),
        articles=tuple(articles),
        size=row[6],
        confidence=row[7],
        active=bool(row[8]),
    )


def _time(value: datetime) -> str:
    """Return a time as text that sorts as the time does."""
    return value.astimezone(UTC).isoformat(timespec="microseconds")


def _parse_time(value: str) -> datetime:
    return datetime.fromisoformat(value)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
