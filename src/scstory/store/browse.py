"""What readers ask of a store: lists, pages, search, momentum, timelines. It never writes."""

from __future__ import annotations

import json
import math
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scstory.discovery.state import load_state
from scstory.errors import StoreError
from scstory.store.views import (
    HALF_LIFE,
    RECENT,
    ArticleRow,
    Copy,
    Cursor,
    EventRow,
    StoryQuery,
    StoryRow,
    Timeline,
    Version,
    life_timeline,
    momentum,
    window_timeline,
)
from scstory.types import KeySentence, RunnerUp

MAX_ID = 2**63 - 1


class Browser:
    """Reads a SQLite store; each thread has its own connection, so any thread may ask."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._local = threading.local()
        self._connections: list[sqlite3.Connection] = []
        self._lock = threading.Lock()
        self._ranked: tuple[Version, list[tuple[float, int]]] | None = None

    def close(self) -> None:
        """Let go of the file, in every thread."""
        with self._lock:
            for connection in self._connections:
                connection.close()
            self._connections.clear()

    # -- the whole ----------------------------------------------------------------------------

    def version(self) -> Version:
        """Return what changes whenever a reader could see something new. Cheap."""
        with self._read() as db:
            return Version(
                *db.execute(
                    "SELECT (SELECT commits FROM head), "
                    "(SELECT coalesce(max(number), 0) FROM events), "
                    "(SELECT coalesce(max(number), 0) FROM sources)"
                ).fetchone()
            )

    def counts(self) -> dict[str, int]:
        """Return how much there is of everything."""
        queries = {
            "articles": "SELECT count(*) FROM articles",
            "stories": "SELECT count(*) FROM stories",
            "active": "SELECT count(*) FROM stories WHERE active = 1",
            "told": "SELECT count(*) FROM stories WHERE active = 1 AND size > 1",
            "outlets": "SELECT count(DISTINCT source) FROM articles",
            "waiting": "SELECT count(*) FROM inbox",
            "parked": "SELECT count(*) FROM parked",
        }
        with self._read() as db:
            return {name: db.execute(query).fetchone()[0] for name, query in queries.items()}

    def now(self) -> datetime | None:
        """Return the time the stream has reached: that of its latest article."""
        with self._read() as db:
            latest = db.execute("SELECT max(published) FROM articles").fetchone()[0]
        return None if latest is None else min(_time(latest), datetime.now(UTC))

    # -- stories ------------------------------------------------------------------------------

    def stories(
        self, query: StoryQuery, *, after: Cursor | None = None, limit: int = 50
    ) -> tuple[list[StoryRow], Cursor | None]:
        """Return a page of stories, and where the next one starts if there is one."""
        with self._read() as db:
            if query.text or query.sort == "momentum":
                ranked = self._found(db, query) if query.text else self._by_momentum(db)
                wanted = self._filtered(db, query, [story for _, story in ranked])
                if query.text and query.sort == "momentum":
                    keys = {story: key for key, story in self._by_momentum(db)}
                    ranked = [(keys.get(story, -math.inf), story) for _, story in ranked]
                elif query.sort in ("latest", "size"):
                    column = {"latest": "last_seen", "size": "size"}[query.sort]
                    ranked = [(wanted[s][column], s) for _, s in ranked if s in wanted]
                ranked.sort(reverse=True)
                keyed = [(key, story) for key, story in ranked if story in wanted]
                if after is not None:
                    keyed = [pair for pair in keyed if _comes_after(pair, after)]
                page, more = keyed[:limit], len(keyed) > limit
            else:
                column = "size" if query.sort == "size" else "last_seen"
                page = self._keyset(db, query, column, after, limit + 1)
                page, more = page[:limit], len(page) > limit
            rows = self._rows(db, [story for _, story in page])
        return rows, Cursor(*page[-1]) if more else None

    def story(self, story: int) -> StoryRow | None:
        """Return a story by id."""
        if not 0 < story <= MAX_ID:
            return None
        with self._read() as db:
            rows = self._rows(db, [story])
        return rows[0] if rows else None

    def redirect(self, story: int) -> int | None:
        """Return the story that this one has become part of, if it has."""
        if not 0 < story <= MAX_ID:
            return None
        with self._read() as db:
            row = db.execute("SELECT new FROM redirects WHERE old = ?", (story,)).fetchone()
        return None if row is None else int(row[0])

    def related(self, story: int, *, limit: int = 5) -> list[StoryRow]:
        """Return the stories that this one's articles would have joined instead, nearest first."""
        near: dict[int, float] = {}
        with self._read() as db:
            for (runners_up,) in db.execute(
                "SELECT d.runners_up FROM assignments d JOIN articles a ON a.id = d.article "
                "WHERE d.story = ? ORDER BY a.sequence DESC LIMIT 100",
                (story,),
            ):
                for other, confidence in json.loads(runners_up):
                    near[other] = near.get(other, 0.0) + confidence
            for old, new in db.execute(
                f"SELECT old, new FROM redirects WHERE old IN ({_marks(near)})", list(near)
            ).fetchall():
                near[new] = near.get(new, 0.0) + near.pop(old)
            near.pop(story, None)
            best = sorted(near, key=lambda other: (-near[other], other))[:limit]
            return self._rows(db, best)

    # -- articles -----------------------------------------------------------------------------

    def article(self, article: str) -> ArticleRow | None:
        """Return an article by id; by the id of a copy, the article it is a copy of."""
        key = article.encode("utf-8", "replace").decode("utf-8")
        with self._read() as db:
            row = db.execute(f"{_ARTICLES} WHERE a.id = ?", (key,)).fetchone()
            if row is None:
                row = db.execute(
                    f"{_ARTICLES} WHERE a.id = (SELECT article FROM sources WHERE id = ?)", (key,)
                ).fetchone()
            return None if row is None else self._articles(db, [row])[0]

    def articles_of(
        self, story: int, *, after: Cursor | None = None, limit: int = 50
    ) -> tuple[list[ArticleRow], Cursor | None]:
        """Return a page of a story's articles, the latest first."""
        time, sequence = after or ("9999", MAX_ID)
        with self._read() as db:
            rows = db.execute(
                f"{_ARTICLES} WHERE d.story = ? AND (a.published < ? OR "
                "(a.published = ? AND a.sequence < ?)) "
                "ORDER BY a.published DESC, a.sequence DESC LIMIT ?",
                (story, time, time, sequence, limit + 1),
            ).fetchall()
            page = rows[:limit]
            more = Cursor(page[-1][2], page[-1][1]) if len(rows) > limit else None
            return self._articles(db, page), more

    def latest(self, *, limit: int = 12) -> list[tuple[ArticleRow, str]]:
        """Return the articles that came last, each with the title of its story."""
        with self._read() as db:
            rows = db.execute(
                f"{_ARTICLES} WHERE d.story IS NOT NULL ORDER BY a.sequence DESC LIMIT ?", (limit,)
            ).fetchall()
            articles = self._articles(db, rows)
            stories = [article.story for article in articles if article.story]
            titles = dict(
                db.execute(
                    f"SELECT id, title FROM stories WHERE id IN ({_marks(stories)})", stories
                ).fetchall()
            )
        return [(article, titles.get(article.story, "")) for article in articles]

    # -- what happened ------------------------------------------------------------------------

    def events(self, after: int, *, limit: int = 500) -> list[EventRow]:
        """Return events with a number above `after`, in order."""
        with self._read() as db:
            return [
                EventRow(n, kind, story, tuple(json.loads(ids)), _time(time), becomes, title, size)
                for n, kind, story, ids, time, becomes, title, size in db.execute(
                    "SELECT e.number, e.kind, e.story, e.articles, e.time, e.becomes, "
                    "s.title, s.size FROM events e LEFT JOIN stories s ON s.id = e.story "
                    "WHERE e.number > ? ORDER BY e.number LIMIT ?",
                    (max(-1, min(after, MAX_ID)), limit),
                )
            ]

    def waiting(self) -> int:
        """Return how many articles are accepted and not decided on yet."""
        with self._read() as db:
            return int(db.execute("SELECT count(*) FROM inbox").fetchone()[0])

    def last_event_time(self) -> datetime | None:
        """Return when something last happened to a story."""
        with self._read() as db:
            row = db.execute("SELECT time FROM events ORDER BY number DESC LIMIT 1").fetchone()
        return None if row is None else _time(row[0])

    def first_event(self) -> int:
        """Return the number of the oldest event still kept; 0 if there is none."""
        with self._read() as db:
            number = db.execute("SELECT coalesce(min(number), 0) FROM events").fetchone()[0]
            return int(number)

    def grown_between(self, event: int, last: int) -> dict[int, int]:
        """Return the stories that gained articles after an event and up to another, how many."""
        found: Counter[int] = Counter()
        with self._read() as db:
            for story, articles in db.execute(
                "SELECT story, articles FROM events WHERE number > ? AND number <= ? "
                "AND kind IN ('new', 'grew') ORDER BY number DESC LIMIT 10000",
                (max(-1, min(event, MAX_ID)), last),
            ):
                found[story] += len(json.loads(articles))
        return dict(found)

    def timeline(self, story: int) -> Timeline:
        """Return a story's whole life, as fine as can be shown."""
        with self._read() as db:
            times = [
                _time(row[0])
                for row in db.execute(
                    "SELECT a.published FROM assignments d JOIN articles a ON a.id = d.article "
                    "WHERE d.story = ?",
                    (story,),
                )
            ]
        if not times:
            return Timeline(datetime.now(UTC), timedelta(days=1), ())
        return life_timeline(times)

    # -- the engine ---------------------------------------------------------------------------

    def window(self) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the story and the vector of each of the window's articles, as last committed."""
        with self._read() as db:
            row = db.execute("SELECT state FROM engine_parts WHERE name = 'window'").fetchone()
        if row is None:
            return np.empty(0, dtype=np.int64), np.empty((0, 0), dtype=np.float32)
        arrays = load_state(row[0], what=self.path).arrays
        return arrays["window.story"], arrays["window.vectors"]

    def engine(self) -> Mapping[str, Any]:
        """Return the parameters and such that the engine was last committed with."""
        with self._read() as db:
            row = db.execute("SELECT state FROM engine_parts WHERE name = 'meta'").fetchone()
        return {} if row is None else load_state(row[0], what=self.path).meta

    # -- how ----------------------------------------------------------------------------------

    def _by_momentum(self, db: sqlite3.Connection) -> list[tuple[float, int]]:
        """Return the active stories with their rank, the highest first.

        An article counts half a half-life later, so that the order does not depend on when one
        asks: the rank is the logarithm of the sum, in half-lives since the epoch.
        """
        version = self.version()
        if self._ranked and self._ranked[0] == version:
            return list(self._ranked[1])
        now = datetime.now(UTC)
        newest = db.execute("SELECT max(published) FROM articles").fetchone()[0]
        since = _text(_time(newest) - RECENT) if newest else ""
        times: dict[int, list[float]] = {}
        for story, published in db.execute(
            "SELECT d.story, a.published FROM articles a JOIN assignments d ON d.article = a.id "
            "JOIN stories s ON s.id = d.story WHERE s.active = 1 AND a.published >= ?",
            (since,),
        ):
            half_lives = min(_time(published), now).timestamp() / HALF_LIFE.total_seconds()
            times.setdefault(story, []).append(half_lives)
        ranked = []
        for story, last in db.execute("SELECT id, last_seen FROM stories WHERE active = 1"):
            own = times.get(story) or [_time(last).timestamp() / HALF_LIFE.total_seconds()]
            top = max(own)
            ranked.append((top + math.log2(sum(2 ** (t - top) for t in own)), int(story)))
        ranked.sort(reverse=True)
        self._ranked = (version, ranked)
        return list(ranked)

    def _found(self, db: sqlite3.Connection, query: StoryQuery) -> list[tuple[Any, int]]:
        """Return the stories with articles that hold the words, with their relevance."""
        match = _match(query.text)
        if not match:
            return []
        return [
            (round(-best * (1 + math.log(count)), 9), story)
            for story, best, count in db.execute(
                "SELECT d.story, min(f.score), count(*) FROM ("
                "SELECT rowid, bm25(article_search, 3.0, 1.0) AS score FROM article_search "
                "WHERE article_search MATCH ? ORDER BY score LIMIT 5000) f "
                "JOIN articles a ON a.sequence = f.rowid JOIN assignments d ON d.article = a.id "
                "GROUP BY d.story",
                (match,),
            )
        ]

    def _filtered(
        self, db: sqlite3.Connection, query: StoryQuery, stories: Sequence[int]
    ) -> dict[int, dict[str, Any]]:
        where, values = _where(query)
        found = {}
        for chunk in _chunks(stories):
            for story, last_seen, size in db.execute(
                f"SELECT id, last_seen, size FROM stories WHERE id IN ({_marks(chunk)}) "
                f"AND {where}",
                [*chunk, *values],
            ):
                found[story] = {"last_seen": last_seen, "size": size}
        return found

    def _keyset(
        self,
        db: sqlite3.Connection,
        query: StoryQuery,
        column: str,
        after: Cursor | None,
        limit: int,
    ) -> list[tuple[Any, int]]:
        where, values = _where(query)
        if after is not None:
            where += f" AND ({column} < ? OR ({column} = ? AND id < ?))"
            values += [after.key, after.key, after.id]
        return db.execute(
            f"SELECT {column}, id FROM stories WHERE {where} "
            f"ORDER BY {column} DESC, id DESC LIMIT ?",
            [*values, limit],
        ).fetchall()

    def _rows(self, db: sqlite3.Connection, stories: Sequence[int]) -> list[StoryRow]:
        """Return stories in the order asked for, with sources, timelines and momentum."""
        if not stories:
            return []
        marks = _marks(stories)
        times: dict[int, list[datetime]] = {}
        sources: dict[int, Counter[str]] = {}
        for story, published, source in db.execute(
            "SELECT d.story, a.published, a.source FROM assignments d "
            f"JOIN articles a ON a.id = d.article WHERE d.story IN ({marks}) ORDER BY a.sequence",
            stories,
        ):
            times.setdefault(story, []).append(_time(published))
            if source:
                sources.setdefault(story, Counter())[source] += 1
        for story, source in db.execute(
            "SELECT d.story, c.source FROM sources c JOIN assignments d ON d.article = c.article "
            f"WHERE d.story IN ({marks}) AND c.source IS NOT NULL",
            stories,
        ):
            sources.setdefault(story, Counter())[source] += 1
        last_events = dict(
            db.execute(
                f"SELECT story, max(number) FROM events WHERE story IN ({marks}) GROUP BY story",
                stories,
            ).fetchall()
        )
        newest = db.execute("SELECT max(published) FROM articles").fetchone()[0]
        now = min(_time(newest), datetime.now(UTC)) if newest else datetime.now(UTC)
        found = {
            row[0]: StoryRow(
                id=row[0],
                title=row[1],
                keywords=tuple(json.loads(row[2])),
                key_sentences=tuple(KeySentence(*item) for item in json.loads(row[3])),
                first_seen=_time(row[4]),
                last_seen=_time(row[5]),
                size=row[6],
                confidence=row[7],
                active=bool(row[8]),
                momentum=momentum(times.get(row[0], ()), now),
                sources=tuple(sources.get(row[0], Counter()).most_common()),
                timeline=window_timeline(times.get(row[0], ()), now),
                last_event=last_events.get(row[0], 0),
            )
            for row in db.execute(
                "SELECT id, title, keywords, key_sentences, first_seen, last_seen, size, "
                f"confidence, active FROM stories WHERE id IN ({marks})",
                stories,
            )
        }
        return [found[story] for story in stories if story in found]

    def _articles(self, db: sqlite3.Connection, rows: Sequence[Any]) -> list[ArticleRow]:
        ids = [row[0] for row in rows]
        copies: dict[str, list[Copy]] = {}
        for chunk in _chunks(ids):
            for article, *copy in db.execute(
                "SELECT article, id, title, url, source FROM sources "
                f"WHERE article IN ({_marks(chunk)}) ORDER BY number",
                chunk,
            ):
                copies.setdefault(article, []).append(Copy(*copy))
        return [
            ArticleRow(
                id=row[0],
                sequence=row[1],
                published=_time(row[2]),
                title=row[3],
                text=row[4],
                url=row[5],
                source=row[6],
                language=row[7],
                story=row[8],
                confidence=row[9],
                new=bool(row[10]),
                weights=tuple(json.loads(row[11] or "[]")),
                runners_up=tuple(RunnerUp(*pair) for pair in json.loads(row[12] or "[]")),
                parts=json.loads(row[13] or "{}"),
                copies=tuple(copies.get(row[0], ())),
            )
            for row in rows
        ]

    @contextmanager
    def _read(self) -> Iterator[sqlite3.Connection]:
        """Give this thread's connection; all that is read together is of one moment."""
        try:
            db: sqlite3.Connection | None = getattr(self._local, "db", None)
            if db is None:
                # Closed from another thread, at the end; used only in this one.
                db = sqlite3.connect(
                    self.path, timeout=30, isolation_level=None, check_same_thread=False
                )
                db.execute("PRAGMA query_only = ON")
                self._local.db = db
                with self._lock:
                    self._connections.append(db)
            outermost = not db.in_transaction
            if outermost:
                db.execute("BEGIN")
            try:
                yield db
            finally:
                if outermost:
                    db.execute("COMMIT")
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: cannot be read ({error})") from error


_ARTICLES = (
    "SELECT a.id, a.sequence, a.published, a.title, a.text, a.url, a.source, a.language, "
    "d.story, d.confidence, d.new, d.weights, d.runners_up, d.parts "
    "FROM articles a LEFT JOIN assignments d ON d.article = a.id"
)


def _where(query: StoryQuery) -> tuple[str, list[Any]]:
    parts = ["size >= ?"]
    values: list[Any] = [min(query.min_size, MAX_ID)]
    active = True if query.sort == "momentum" else query.active
    if active is not None:
        parts.append("active = ?")
        values.append(int(active))
    if query.since is not None:
        parts.append("last_seen >= ?")
        values.append(_text(query.since))
    if query.until is not None:
        parts.append("first_seen < ?")
        values.append(_text(query.until))
    return " AND ".join(parts), values


def _match(text: str) -> str:
    """Return what a reader typed as an FTS5 query: all words, the last one perhaps unfinished.

    >>> _match('ferry "strike')
    '"ferry" "strike"*'
    """
    cleaned = "".join(c if c.isalnum() else " " for c in text)
    words = [f'"{word}"' for word in cleaned.split()[:20]]
    return " ".join(words) + "*" if words else ""


def _comes_after(pair: tuple[Any, int], after: Cursor) -> bool:
    try:
        return bool(pair < tuple(after))
    except TypeError:
        return False


def _marks(values: Iterable[Any]) -> str:
    return ", ".join("?" for _ in values)


def _chunks(values: Sequence[Any], size: int = 500) -> Iterator[Sequence[Any]]:
    for start in range(0, len(values), size):
        yield values[start : start + size]


def _time(value: str) -> datetime:
    return datetime.fromisoformat(value)


def _text(value: datetime) -> str:
    return value.astimezone(UTC).isoformat(timespec="microseconds")
