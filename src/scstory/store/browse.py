"""What readers ask of a store: lists, pages, search, momentum, timelines. It never writes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scstory.discovery.presets import Parameters, from_dict
from scstory.discovery.state import load_state
from scstory.store.address import is_server
from scstory.store.database import Database, chunks, clean, marks, reading
from scstory.store.ranking import MAX_ID, Present, page_of, read_horizon, read_present
from scstory.store.readers import Readers
from scstory.store.rows import Row
from scstory.store.rows import to_time as as_time
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
    """Reads a store; any thread may ask.

    What time it is decides which stories are of the present: those with an article in the window
    that would be the engine's if one came now.
    """

    def __init__(
        self, address: str, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self.db, self._clock = Readers(address), clock
        self._parameters: Parameters | None = None
        self._cached: tuple[Version, Present] | None = None
        self._listener: Database | None = None

    @property
    def name(self) -> str:
        """What the store is called in messages."""
        return self.db.name

    def close(self) -> None:
        """Let go of the database."""
        self.db.close()
        if self._listener:
            self._listener.close()

    @property
    def told(self) -> bool:
        """Whether the store tells of what is written to it: only then can one `listen`."""
        return is_server(self.db.address)

    def listen(self, seconds: float) -> bool:
        """Wait until somebody has written to the store; False if nobody has for so long."""
        if self._listener is None:
            self._listener = self.db.open()
        return self._listener.listen(seconds)

    # -- the whole ----------------------------------------------------------------------------

    @reading
    def version(self) -> Version:
        """Return what changes whenever a reader could see something new. Cheap."""
        commits, event, copy = self.db.rows(
            "SELECT (SELECT commits FROM head), "
            "(SELECT coalesce(max(number), 0) FROM events), "
            "(SELECT coalesce(max(number), 0) FROM sources)"
        )[0]
        return Version(commits, event, copy, self._horizon())

    @reading
    def counts(self) -> dict[str, int]:
        """Return how much there is of everything."""
        queries = {
            "articles": "SELECT count(*) FROM articles",
            "stories": "SELECT count(*) FROM stories",
            "outlets": "SELECT count(DISTINCT source) FROM articles",
            "waiting": "SELECT count(*) FROM inbox",
            "parked": "SELECT count(*) FROM parked",
        }
        found = {name: self.db.value(query) for name, query in queries.items()}
        return {**found, "active": len(self._present().ranked)}

    @reading
    def present(self) -> Present:
        """Return the stories of the moment by momentum, and how much tells them."""
        return self._present()

    @reading
    def now(self) -> datetime | None:
        """Return the time the stream has reached: that of its latest article."""
        latest = self.db.value("SELECT max(published) FROM articles")
        return None if latest is None else min(as_time(latest), datetime.now(UTC))

    # -- stories ------------------------------------------------------------------------------

    @reading
    def stories(
        self, query: StoryQuery, *, after: Cursor | None = None, limit: int = 50
    ) -> tuple[list[StoryRow], Cursor | None]:
        """Return a page of stories, and where the next one starts if there is one."""
        page = page_of(self.db, query, after, limit + 1, self._present())
        page, more = page[:limit], len(page) > limit
        rows = self._rows([story for _, story in page])
        return rows, Cursor(*page[-1]) if more else None

    @reading
    def story(self, story: int) -> StoryRow | None:
        """Return a story by id."""
        if not 0 < story <= MAX_ID:
            return None
        rows = self._rows([story])
        return rows[0] if rows else None

    @reading
    def snippets(self, text: str, stories: Sequence[int]) -> dict[int, list[tuple[str, bool]]]:
        """Return for each story where it holds the words: pieces of text, and which are hits."""
        found = dict[int, list[tuple[str, bool]]]()
        match = self.db.search.match(text)
        if not match or not stories:
            return found
        query = self.db.search.snippets.replace("{stories}", marks(stories))
        for story, snippet in self.db.rows(query, (match, *stories)):
            if story not in found:
                first, *hits = [part.partition("\2") for part in snippet.split("\1")]
                found[story] = [(first[0], False)]
                for hit, _, rest in hits:
                    found[story] += [(hit, True), (rest, False)]
        return found

    @reading
    def redirect(self, story: int) -> int | None:
        """Return the story that this one has become part of, if it has."""
        if not 0 < story <= MAX_ID:
            return None
        found = self.db.rows("SELECT new FROM redirects WHERE old = ?", (story,))
        return int(found[0][0]) if found else None

    @reading
    def related(self, story: int, *, limit: int = 5) -> list[StoryRow]:
        """Return the stories that this one's articles would have joined instead, nearest first."""
        near: dict[int, float] = {}
        for (runners_up,) in self.db.rows(
            "SELECT d.runners_up FROM assignments d JOIN articles a ON a.id = d.article "
            "WHERE d.story = ? ORDER BY a.sequence DESC LIMIT 100",
            (story,),
        ):
            for other, confidence in json.loads(runners_up):
                near[other] = near.get(other, 0.0) + confidence
        for old, new in self.db.rows(
            f"SELECT old, new FROM redirects WHERE old IN ({marks(near)})", list(near)
        ):
            near[new] = near.get(new, 0.0) + near.pop(old)
        near.pop(story, None)
        best = sorted(near, key=lambda other: (-near[other], other))[:limit]
        return self._rows(best)

    # -- articles -----------------------------------------------------------------------------

    @reading
    def article(self, article: str) -> ArticleRow | None:
        """Return an article by id; by the id of a copy, the article it is a copy of."""
        key = clean(article)
        found = self.db.rows(f"{_ARTICLES} WHERE a.id = ?", (key,)) or self.db.rows(
            f"{_ARTICLES} WHERE a.id = (SELECT article FROM sources WHERE id = ?)", (key,)
        )
        return self._articles(found)[0] if found else None

    @reading
    def articles_of(
        self, story: int, *, after: Cursor | None = None, limit: int = 50
    ) -> tuple[list[ArticleRow], Cursor | None]:
        """Return a page of a story's articles, the latest first."""
        time, sequence = (clean(str(after.key)), after.id) if after else ("9999", MAX_ID)
        rows = self.db.rows(
            f"{_ARTICLES} WHERE d.story = ? AND (a.published < ? OR "
            "(a.published = ? AND a.sequence < ?)) "
            "ORDER BY a.published DESC, a.sequence DESC LIMIT ?",
            (story, time, time, sequence, limit + 1),
        )
        page = rows[:limit]
        more = Cursor(page[-1][2], page[-1][1]) if len(rows) > limit else None
        return self._articles(page), more

    @reading
    def latest(self, *, limit: int = 12) -> list[tuple[ArticleRow, str]]:
        """Return the articles that came last, each with the title of its story."""
        rows = self.db.rows(
            f"{_ARTICLES} WHERE d.story IS NOT NULL ORDER BY a.sequence DESC LIMIT ?", (limit,)
        )
        articles = self._articles(rows)
        stories = [article.story for article in articles if article.story]
        query = f"SELECT id, title FROM stories WHERE id IN ({marks(stories)})"
        titles = {row[0]: row[1] for row in self.db.rows(query, stories)}
        return [(article, titles.get(article.story, "")) for article in articles]

    # -- what happened ------------------------------------------------------------------------

    @reading
    def events(self, after: int, *, limit: int = 500) -> list[EventRow]:
        """Return events with a number above `after`, in order."""
        return [
            EventRow(n, kind, story, tuple(json.loads(ids)), as_time(time), becomes, title, size)
            for n, kind, story, ids, time, becomes, title, size in self.db.rows(
                "SELECT e.number, e.kind, e.story, e.articles, e.time, e.becomes, "
                "s.title, s.size FROM events e LEFT JOIN stories s ON s.id = e.story "
                "WHERE e.number > ? ORDER BY e.number LIMIT ?",
                (max(-1, min(after, MAX_ID)), limit),
            )
        ]

    @reading
    def waiting(self) -> int:
        """Return how many articles are accepted and not decided on yet."""
        return int(self.db.value("SELECT count(*) FROM inbox"))

    @reading
    def last_event_time(self) -> datetime | None:
        """Return when something last happened to a story."""
        found = self.db.rows("SELECT time FROM events ORDER BY number DESC LIMIT 1")
        return as_time(found[0][0]) if found else None

    @reading
    def first_event(self) -> int:
        """Return the number of the oldest event still kept; 0 if there is none."""
        number = self.db.value("SELECT coalesce(min(number), 0) FROM events")
        return int(number)

    @reading
    def grown_between(self, event: int, last: int) -> dict[int, int]:
        """Return the stories that gained articles after an event and up to another, how many."""
        found: Counter[int] = Counter()
        for story, articles in self.db.rows(
            "SELECT story, articles FROM events WHERE number > ? AND number <= ? "
            "AND kind IN ('new', 'grew') ORDER BY number DESC LIMIT 10000",
            (max(-1, min(event, MAX_ID)), last),
        ):
            found[story] += len(json.loads(articles))
        return dict(found)

    @reading
    def timeline(self, story: int) -> Timeline:
        """Return a story's whole life, as fine as can be shown."""
        times = [
            as_time(row[0])
            for row in self.db.rows(
                "SELECT a.published FROM assignments d JOIN articles a ON a.id = d.article "
                "WHERE d.story = ?",
                (story,),
            )
        ]
        if not times:
            return Timeline(datetime.now(UTC), timedelta(days=1), ())
        return life_timeline(times)

    @reading
    def feeds(self) -> list[FeedRow]:
        """Return the feeds that are followed and how they fare, failing ones first."""
        return [
            FeedRow(
                url,
                title,
                as_time(fetched) if fetched else None,
                as_time(found) if found else None,
                errors,
                error,
            )
            for url, title, fetched, found, errors, error in self.db.rows(
                "SELECT url, title, fetched, found, errors, error FROM feeds "
                "ORDER BY errors > 0 DESC, lower(title), url"
            )
        ]

    # -- the engine ---------------------------------------------------------------------------

    @reading
    def window(self) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the story and the vector of each of the window's articles, as last committed."""
        found = self.db.rows("SELECT state FROM engine_parts WHERE name = 'window'")
        if not found:
            return np.empty(0, dtype=np.int64), np.empty((0, 0), dtype=np.float32)
        arrays = load_state(found[0][0], what=self.name).arrays
        return arrays["window.story"], arrays["window.vectors"]

    @reading
    def engine(self) -> Mapping[str, Any]:
        """Return the parameters and such that the engine was last committed with."""
        found = self.db.rows("SELECT state FROM engine_parts WHERE name = 'meta'")
        return load_state(found[0][0], what=self.name).meta if found else {}

    # -- how ----------------------------------------------------------------------------------

    def _present(self) -> Present:
        version = self.version()
        if self._cached is None or self._cached[0] != version:
            self._cached = (version, read_present(self.db, version.horizon))
        return self._cached[1]

    def _horizon(self) -> str:
        """Return since when an article counts as of the present."""
        if self._parameters is None:  # they are what a store is begun with, for good
            told = self.engine().get("parameters")
            if told is None:
                return ""
            self._parameters = from_dict(told)
        return read_horizon(self.db, self._parameters, self._clock())

    def _rows(self, stories: Sequence[int]) -> list[StoryRow]:
        """Return stories in the order asked for, with sources, timelines and momentum."""
        if not stories:
            return []
        wanted = marks(stories)
        times: dict[int, list[datetime]] = {}
        sources: dict[int, Counter[str]] = {}
        for story, published, source in self.db.rows(
            "SELECT d.story, a.published, a.source FROM assignments d "
            f"JOIN articles a ON a.id = d.article WHERE d.story IN ({wanted}) ORDER BY a.sequence",
            stories,
        ):
            times.setdefault(story, []).append(as_time(published))
            if source:
                sources.setdefault(story, Counter())[source] += 1
        for story, source in self.db.rows(
            "SELECT d.story, c.source FROM sources c JOIN assignments d ON d.article = c.article "
            f"WHERE d.story IN ({wanted}) AND c.source IS NOT NULL ORDER BY c.number",
            stories,
        ):
            sources.setdefault(story, Counter())[source] += 1
        query = f"SELECT story, max(number) FROM events WHERE story IN ({wanted}) GROUP BY story"
        last_events = {row[0]: row[1] for row in self.db.rows(query, stories)}
        newest = self.db.value("SELECT max(published) FROM articles")
        horizon = self._present().horizon
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
            for row in self.db.rows(
                "SELECT id, title, keywords, key_sentences, first_seen, last_seen, size, "
                f"confidence, active FROM stories WHERE id IN ({wanted})",
                stories,
            )
        }
        return [found[story] for story in stories if story in found]

    def _articles(self, rows: Sequence[Row]) -> list[ArticleRow]:
        ids = [row[0] for row in rows]
        copies: dict[str, list[Copy]] = {}
        for chunk in chunks(ids):
            for article, *copy in self.db.rows(
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


_ARTICLES = (
    "SELECT a.id, a.sequence, a.published, a.title, a.text, a.url, a.source, a.language, "
    "d.story, d.confidence, d.new, d.weights, d.runners_up, d.parts "
    "FROM articles a LEFT JOIN assignments d ON d.article = a.id"
)
