"""What readers ask of a store: lists, pages, search, momentum, timelines. It never writes."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scstory.discovery.presets import Parameters, from_dict
from scstory.discovery.state import load_state
from scstory.errors import StoreError
from scstory.store.ranking import (
    MAX_ID,
    Present,
    as_time,
    chunks,
    marks,
    match_of,
    page_of,
    read_horizon,
    read_present,
)
from scstory.store.views import (
    ArticleRow,
    Copy,
    Cursor,
    EventRow,
    FeedRow,
    StoryQuery,
    StoryRow,
    Timeline,
    Version,
    life_timeline,
    momentum,
    window_timeline,
)
from scstory.types import KeySentence, RunnerUp


class Browser:
    """Reads a SQLite store; each thread has its own connection, so any thread may ask.

    What time it is decides which stories are of the present: those with an article in the window
    that would be the engine's if one came now.
    """

    def __init__(
        self, path: str, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self.path, self._clock = path, clock
        self._parameters: Parameters | None = None
        self._local = threading.local()
        self._connections: list[sqlite3.Connection] = []
        self._lock = threading.Lock()
        self._cached: tuple[Version, Present] | None = None

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
            commits, event, copy = db.execute(
                "SELECT (SELECT commits FROM head), "
                "(SELECT coalesce(max(number), 0) FROM events), "
                "(SELECT coalesce(max(number), 0) FROM sources)"
            ).fetchone()
            return Version(commits, event, copy, self._horizon(db))

    def counts(self) -> dict[str, int]:
        """Return how much there is of everything."""
        queries = {
            "articles": "SELECT count(*) FROM articles",
            "stories": "SELECT count(*) FROM stories",
            "outlets": "SELECT count(DISTINCT source) FROM articles",
            "waiting": "SELECT count(*) FROM inbox",
            "parked": "SELECT count(*) FROM parked",
        }
        with self._read() as db:
            found = {name: db.execute(query).fetchone()[0] for name, query in queries.items()}
            return {**found, "active": len(self._present(db).ranked)}

    def present(self) -> Present:
        """Return the stories of the moment by momentum, and how much tells them."""
        with self._read() as db:
            return self._present(db)

    def now(self) -> datetime | None:
        """Return the time the stream has reached: that of its latest article."""
        with self._read() as db:
            latest = db.execute("SELECT max(published) FROM articles").fetchone()[0]
        return None if latest is None else min(as_time(latest), datetime.now(UTC))

    # -- stories ------------------------------------------------------------------------------

    def stories(
        self, query: StoryQuery, *, after: Cursor | None = None, limit: int = 50
    ) -> tuple[list[StoryRow], Cursor | None]:
        """Return a page of stories, and where the next one starts if there is one."""
        with self._read() as db:
            page = page_of(db, query, after, limit + 1, self._present(db))
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

    def snippets(self, text: str, stories: Sequence[int]) -> dict[int, list[tuple[str, bool]]]:
        """Return for each story where it holds the words: pieces of text, and which are hits."""
        match, found = match_of(text), dict[int, list[tuple[str, bool]]]()
        if not match or not stories:
            return found
        with self._read() as db:
            for story, snippet in db.execute(
                "SELECT d.story, f.snippet FROM (SELECT rowid, rank AS score, "
                "snippet(article_search, 1, char(1), char(2), '…', 28) AS snippet "
                "FROM article_search WHERE article_search MATCH ? ORDER BY rank LIMIT 1000) f "
                "JOIN articles a ON a.sequence = f.rowid JOIN assignments d ON d.article = a.id "
                f"WHERE d.story IN ({marks(stories)}) ORDER BY f.score",
                [match, *stories],
            ):
                if story not in found:
                    pieces = [part.partition("\2") for part in snippet.split("\1")]
                    first, *hits = pieces
                    found[story] = [(first[0], False)]
                    for hit, _, rest in hits:
                        found[story] += [(hit, True), (rest, False)]
        return found

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
                f"SELECT old, new FROM redirects WHERE old IN ({marks(near)})", list(near)
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
                    f"SELECT id, title FROM stories WHERE id IN ({marks(stories)})", stories
                ).fetchall()
            )
        return [(article, titles.get(article.story, "")) for article in articles]

    # -- what happened ------------------------------------------------------------------------

    def events(self, after: int, *, limit: int = 500) -> list[EventRow]:
        """Return events with a number above `after`, in order."""
        with self._read() as db:
            return [
                EventRow(
                    n, kind, story, tuple(json.loads(ids)), as_time(time), becomes, title, size
                )
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
        return None if row is None else as_time(row[0])

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
                as_time(row[0])
                for row in db.execute(
                    "SELECT a.published FROM assignments d JOIN articles a ON a.id = d.article "
                    "WHERE d.story = ?",
                    (story,),
                )
            ]
        if not times:
            return Timeline(datetime.now(UTC), timedelta(days=1), ())
        return life_timeline(times)

    def feeds(self) -> list[FeedRow]:
        """Return the feeds that are followed and how they fare, failing ones first."""
        with self._read() as db:
            return [
                FeedRow(
                    url,
                    title,
                    as_time(fetched) if fetched else None,
                    as_time(found) if found else None,
                    errors,
                    error,
                )
                for url, title, fetched, found, errors, error in db.execute(
                    "SELECT url, title, fetched, found, errors, error FROM feeds "
                    "ORDER BY errors > 0 DESC, lower(title), url"
                )
            ]

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

    def _present(self, db: sqlite3.Connection) -> Present:
        version = self.version()
        if self._cached is None or self._cached[0] != version:
            self._cached = (version, read_present(db, version.horizon))
        return self._cached[1]

    def _horizon(self, db: sqlite3.Connection) -> str:
        """Return since when an article counts as of the present."""
        if self._parameters is None:  # they are what a store is begun with, for good
            told = self.engine().get("parameters")
            if told is None:
                return ""
            self._parameters = from_dict(told)
        return read_horizon(db, self._parameters, self._clock())

    def _rows(self, db: sqlite3.Connection, stories: Sequence[int]) -> list[StoryRow]:
        """Return stories in the order asked for, with sources, timelines and momentum."""
        if not stories:
            return []
        wanted = marks(stories)
        times: dict[int, list[datetime]] = {}
        sources: dict[int, Counter[str]] = {}
        for story, published, source in db.execute(
            "SELECT d.story, a.published, a.source FROM assignments d "
            f"JOIN articles a ON a.id = d.article WHERE d.story IN ({wanted}) ORDER BY a.sequence",
            stories,
        ):
            times.setdefault(story, []).append(as_time(published))
            if source:
                sources.setdefault(story, Counter())[source] += 1
        for story, source in db.execute(
            "SELECT d.story, c.source FROM sources c JOIN assignments d ON d.article = c.article "
            f"WHERE d.story IN ({wanted}) AND c.source IS NOT NULL",
            stories,
        ):
            sources.setdefault(story, Counter())[source] += 1
        last_events = dict(
            db.execute(
                f"SELECT story, max(number) FROM events WHERE story IN ({wanted}) GROUP BY story",
                stories,
            ).fetchall()
        )
        newest = db.execute("SELECT max(published) FROM articles").fetchone()[0]
        horizon = self._present(db).horizon
        now = min(as_time(newest), datetime.now(UTC)) if newest else datetime.now(UTC)
        found = {
            row[0]: StoryRow(
                id=row[0],
                title=row[1],
                keywords=tuple(json.loads(row[2])),
                key_sentences=tuple(KeySentence(*item) for item in json.loads(row[3])),
                first_seen=as_time(row[4]),
                last_seen=as_time(row[5]),
                size=row[6],
                confidence=row[7],
                active=bool(row[8]) and row[5] >= horizon,
                momentum=momentum(times.get(row[0], ()), now),
                sources=tuple(sources.get(row[0], Counter()).most_common()),
                timeline=window_timeline(times.get(row[0], ()), now),
                last_event=last_events.get(row[0], 0),
            )
            for row in db.execute(
                "SELECT id, title, keywords, key_sentences, first_seen, last_seen, size, "
                f"confidence, active FROM stories WHERE id IN ({wanted})",
                stories,
            )
        }
        return [found[story] for story in stories if story in found]

    def _articles(self, db: sqlite3.Connection, rows: Sequence[Any]) -> list[ArticleRow]:
        ids = [row[0] for row in rows]
        copies: dict[str, list[Copy]] = {}
        for chunk in chunks(ids):
            for article, *copy in db.execute(
                "SELECT article, id, title, url, source FROM sources "
                f"WHERE article IN ({marks(chunk)}) ORDER BY number",
                chunk,
            ):
                copies.setdefault(article, []).append(Copy(*copy))
        return [
            ArticleRow(
                id=row[0],
                sequence=row[1],
                published=as_time(row[2]),
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
