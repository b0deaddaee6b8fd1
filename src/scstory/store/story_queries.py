"""Stories as readers ask for them: lists, pages, search, momentum, timelines, related stories."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from copy import copy
from datetime import UTC, datetime, timedelta
from typing import Self

from scstory.discovery.state import description_from
from scstory.feeds.outlet import outlet_of
from scstory.store.columns import DESCRIPTION, SHOWN, STORY, Row, to_time
from scstory.store.database import Reads, chunks, placeholders, read_transaction
from scstory.store.ranking import Present, page_of
from scstory.store.records import MAX_ID, Cursor, Outlet, StoryQuery, StoryRow
from scstory.store.rewritten import Rewritten, read_rewritten
from scstory.store.search.finding import find_snippets
from scstory.store.search.snippets import Snippet
from scstory.store.search.suggestions import Advice, advise
from scstory.store.timeline import Timeline, life_timeline, momentum, window_timeline

Member = tuple[str, datetime, str | None]
"""An article of a story: its id, when it was published, and its outlet."""


class StoryQueries(Reads):
    """Queries for stories. Which of them are active is up to the reader that they are part of."""

    horizon: Callable[[], str]
    present: Callable[[], Present]
    reader_languages: tuple[str, ...] = ()
    """The languages that titles and summaries are wanted in, the preferred one first."""

    def told_in(self, languages: Sequence[str]) -> Self:
        """Return the same queries for a reader of some languages, the preferred one first."""
        other = copy(self)
        other.reader_languages = tuple(languages)
        return other

    @read_transaction
    def has_editions(self) -> bool:
        """Return whether a story has articles in several languages."""
        return bool(self.db.rows("SELECT id FROM stories WHERE editions <> '[]' LIMIT 1"))

    @read_transaction
    def stories(self, *, active: bool | None = None) -> list[StoryRow]:
        """Return stories, the latest news first; only active or only past ones if asked."""
        where, values = "", tuple[str, ...]()
        if active is not None:
            where = f"WHERE {'' if active else 'NOT '}(active = 1 AND last_seen >= ?)"
            values = (self.horizon(),)
        found = self.db.rows(
            f"SELECT id FROM stories {where} ORDER BY last_seen DESC, id DESC", values
        )
        return self._story_rows([row[0] for row in found])

    @read_transaction
    def story_page(
        self, query: StoryQuery, *, after: Cursor | None = None, limit: int = 50
    ) -> tuple[list[StoryRow], Cursor | None]:
        """Return a page of stories, and where the next one starts if there is one."""
        page = page_of(self.db, query, after, limit + 1, self.present())
        page, more = page[:limit], len(page) > limit
        rows = self._story_rows([story for _, story in page])
        return rows, Cursor(*page[-1]) if more else None

    @read_transaction
    def pinned(self, *, limit: int) -> list[StoryRow]:
        """Return the stories that people pinned, the latest news first."""
        found = self.db.rows(
            "SELECT id FROM stories WHERE pinned = 1 AND hidden = 0 "
            "ORDER BY last_seen DESC, id DESC LIMIT ?",
            (limit,),
        )
        return self._story_rows([row[0] for row in found])

    @read_transaction
    def story(self, story: int) -> StoryRow | None:
        """Return a story by id; for one that was merged, the story it is now part of."""
        rows = self._story_rows([self.redirect(story)])
        return rows[0] if rows else None

    @read_transaction
    def rewritten(self, story: StoryRow) -> Rewritten | None:
        """Return what a language model rewrote the summary of a story as, if there is that."""
        found = read_rewritten(self.db, story.id, story.summary)
        return found if found and found.sentences else None

    @read_transaction
    def redirect(self, story: int) -> int:
        """Return the number that a story has now: its own unless it was merged."""
        if not 0 < story <= MAX_ID:
            return 0
        found = self.db.rows("SELECT new FROM redirects WHERE old = ?", (story,))
        return int(found[0][0]) if found else story

    @read_transaction
    def timeline(self, story: int) -> Timeline:
        """Return the whole life of a story, in steps as short as can be shown."""
        times = [
            to_time(row[0])
            for row in self.db.rows(
                "SELECT a.published FROM assignments d JOIN articles a ON a.id = d.article "
                "WHERE d.story = ?",
                (story,),
            )
        ]
        if not times:
            return Timeline(datetime.now(UTC), timedelta(days=1), ())
        return life_timeline(times)

    @read_transaction
    def outlets(self, story: int) -> list[Outlet]:
        """Return the outlets of a story, copies included, in the order of their first reports."""
        found = dict[str, Outlet]()
        for source, url, published in self.db.rows(
            "SELECT a.source, a.url, a.published FROM assignments d "
            "JOIN articles a ON a.id = d.article WHERE d.story = ? UNION ALL "
            "SELECT c.source, c.url, c.published FROM assignments d "
            "JOIN sources c ON c.article = d.article WHERE d.story = ? ORDER BY 3",
            (story, story),
        ):
            if name := outlet_of(source, url):
                known = found.get(name, Outlet(name, 0, to_time(published)))
                found[name] = known._replace(articles=known.articles + 1)
        return list(found.values())

    @read_transaction
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
            f"SELECT old, new FROM redirects WHERE old IN ({placeholders(near)})", list(near)
        ):
            near[new] = near.get(new, 0.0) + near.pop(old)
        near.pop(story, None)
        best = sorted(near, key=lambda other: (-near[other], other))[:limit]
        return self._story_rows(best)

    @read_transaction
    def snippets(self, query: StoryQuery, stories: Sequence[StoryRow]) -> dict[int, Snippet]:
        """Return where stories have the words of a search: a passage, with the words marked."""
        return find_snippets(self.db, query.text, stories, query.since, query.until)

    @read_transaction
    def advice(self, query: StoryQuery) -> Advice:
        """Return what may help where a search finds nothing."""
        return advise(self.db, query.text, query.since, query.until)

    def _story_rows(self, stories: Sequence[int]) -> list[StoryRow]:
        """Return stories in the order asked for; only their own articles are looked at."""
        newest = self.db.value("SELECT max(published) FROM articles")
        now = min(to_time(newest), datetime.now(UTC)) if newest else datetime.now(UTC)
        horizon = self.horizon() if stories else ""
        found = {}
        for some in chunks(stories):
            members, sources, events = self._members(some), self._sources(some), self._events(some)
            for row in self.db.rows(
                f"SELECT {STORY}, {SHOWN} FROM stories WHERE id IN ({placeholders(some)})", some
            ):
                id_ = row[0]
                found[id_] = _story_row(
                    row, members.get(id_, []), sources.get(id_), events.get(id_, 0), now, horizon
                ).told_in(self.reader_languages)
        return [found[story] for story in stories if story in found]

    def _members(self, stories: Sequence[int]) -> dict[int, list[Member]]:
        """Return the articles of stories in publication order."""
        found: dict[int, list[Member]] = {}
        for story, article, published, source, url in self.db.rows(
            "SELECT d.story, a.id, a.published, a.source, a.url FROM assignments d "
            f"JOIN articles a ON a.id = d.article WHERE d.story IN ({placeholders(stories)}) "
            "ORDER BY a.published, a.sequence",
            stories,
        ):
            found.setdefault(story, []).append(
                (article, to_time(published), outlet_of(source, url))
            )
        return found

    def _sources(self, stories: Sequence[int]) -> dict[int, Counter[str]]:
        """Return the outlets of the copies of stories' articles."""
        found: dict[int, Counter[str]] = {}
        for story, source, url in self.db.rows(
            "SELECT d.story, c.source, c.url FROM assignments d "
            "JOIN sources c ON c.article = d.article "
            f"WHERE d.story IN ({placeholders(stories)}) ORDER BY c.number",
            stories,
        ):
            if outlet := outlet_of(source, url):
                found.setdefault(story, Counter())[outlet] += 1
        return found

    def _events(self, stories: Sequence[int]) -> dict[int, int]:
        """Return the number of the latest event of stories."""
        query = (
            f"SELECT story, max(number) FROM events WHERE story IN ({placeholders(stories)}) "
            "GROUP BY story"
        )
        return {row[0]: row[1] for row in self.db.rows(query, stories)}


def _story_row(
    row: Row,
    members: Sequence[Member],
    copies: Counter[str] | None,
    last_event: int,
    now: datetime,
    horizon: str,
) -> StoryRow:
    """Return the story in a row of the columns `STORY` and `SHOWN`."""
    times = [time for _, time, _ in members]
    sources = Counter(source for _, _, source in members if source) + (copies or Counter())
    values = dict(zip(f"{STORY}, {SHOWN}".split(", "), row, strict=True))
    described = {name: json.loads(values[name]) for name in DESCRIPTION}
    return StoryRow(
        **{
            **values,
            **description_from(described),
            "first_seen": to_time(values["first_seen"]),
            "last_seen": to_time(values["last_seen"]),
            "active": bool(values["active"]) and values["last_seen"] >= horizon,
            "articles": tuple(article for article, _, _ in members),
            "momentum": momentum(times, now),
            "sources": tuple(sources.most_common()),
            "timeline": window_timeline(times, now),
            "last_event": last_event,
            "pinned": bool(values["pinned"]),
            "hidden": bool(values["hidden"]),
        }
    )
