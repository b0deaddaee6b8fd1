"""Threads, sections, and articles that are also about other stories, as readers ask for them."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from scstory.store.columns import to_time
from scstory.store.database import Reads, chunks, clean, placeholders, read_transaction
from scstory.store.ranking import Present
from scstory.store.records import MAX_ID, ArticleRow, Cursor, StoryRow
from scstory.store.timeline import Timeline, life_timeline

NAMED_BY = 3
"""Keywords that name a thread."""


@dataclass(frozen=True, slots=True)
class ThreadRow:
    """Stories that belong to one longer affair. Its number is that of one of them."""

    id: int
    name: tuple[str, ...]
    """The keywords that most of its stories have, or else those of the largest."""
    title: str
    """The title of its latest story."""
    stories: int
    articles: int
    first_seen: datetime
    last_seen: datetime


@dataclass(frozen=True, slots=True)
class SectionRow:
    """A topic, with the number of its stories: those that are active, and all."""

    id: int
    name: tuple[str, ...]
    active: int
    stories: int


class AlsoAbout(NamedTuple):
    """Another story that an article is about, and the sentences that say so."""

    id: int
    title: str
    sentences: tuple[str, ...]


class AlsoIn(NamedTuple):
    """An article of another story that is also about a story, and the sentences that say so."""

    article: ArticleRow
    sentences: tuple[str, ...]


class OverviewQueries(Reads):
    """Queries for the views above the stories."""

    redirect: Callable[[int], int]
    present: Callable[[], Present]
    article: Callable[[str], ArticleRow | None]
    _story_rows: Callable[[Sequence[int]], list[StoryRow]]

    @read_transaction
    def threads(
        self, *, after: Cursor | None = None, limit: int = 50
    ) -> tuple[list[ThreadRow], Cursor | None]:
        """Return a page of threads, the latest news first, and where the next one starts."""
        last, number = (clean(str(after.key)), after.id) if after else ("9999", MAX_ID)
        rows = self.db.rows(
            "SELECT thread, last FROM (SELECT m.thread AS thread, max(s.last_seen) AS last "
            "FROM thread_members m JOIN stories s ON s.id = m.story WHERE s.hidden = 0 "
            "GROUP BY m.thread HAVING count(DISTINCT s.id) > 1) AS found "
            "WHERE last < ? OR (last = ? AND thread < ?) "
            "ORDER BY last DESC, thread DESC LIMIT ?",
            (last, last, number, limit + 1),
        )
        page, more = rows[:limit], len(rows) > limit
        found = self._thread_rows([row[0] for row in page])
        return found, Cursor(page[-1][1], page[-1][0]) if more else None

    @read_transaction
    def thread(self, number: int) -> ThreadRow | None:
        """Return a thread by the number of any story in it."""
        own = self.db.rows(
            "SELECT thread FROM thread_members WHERE story = ? ORDER BY thread LIMIT 1",
            (self.redirect(number),),
        )
        found = self._thread_rows([own[0][0]]) if own else []
        return found[0] if found and found[0].stories > 1 else None

    @read_transaction
    def thread_stories(self, thread: int, *, limit: int = 200) -> list[StoryRow]:
        """Return the stories of a thread, the latest news first."""
        rows = self.db.rows(
            "SELECT DISTINCT s.id, s.last_seen FROM thread_members m JOIN stories s "
            "ON s.id = m.story WHERE m.thread = ? AND s.hidden = 0 "
            "ORDER BY s.last_seen DESC, s.id DESC LIMIT ?",
            (thread, limit),
        )
        return self._story_rows([row[0] for row in rows])

    @read_transaction
    def thread_timeline(self, thread: int) -> Timeline | None:
        """Return the articles of a thread over its whole life."""
        times = [
            to_time(row[0])
            for row in self.db.rows(
                "SELECT a.published FROM assignments d JOIN articles a ON a.id = d.article "
                "WHERE d.story IN (SELECT m.story FROM thread_members m JOIN stories s "
                "ON s.id = m.story WHERE m.thread = ? AND s.hidden = 0)",
                (thread,),
            )
        ]
        return life_timeline(times) if times else None

    @read_transaction
    def sections(self) -> list[SectionRow]:
        """Return the sections that have stories, the one with most active stories first."""
        active = {story for _, story in self.present().ranked}
        counts, ongoing = Counter[int](), Counter[int]()
        for story, section in self.db.rows(
            "SELECT m.story, m.section FROM section_members m JOIN stories s ON s.id = m.story "
            "WHERE s.hidden = 0"
        ):
            counts[section] += 1
            ongoing[section] += story in active
        rows = [
            SectionRow(number, tuple(json.loads(name)), ongoing[number], counts[number])
            for number, name in self.db.rows("SELECT number, name FROM sections")
            if counts[number]
        ]
        return sorted(rows, key=lambda row: (-row.active, -row.stories, row.id))

    @read_transaction
    def section_of(self, story: int) -> SectionRow | None:
        """Return the section of a story."""
        own = self.db.rows(
            "SELECT section FROM section_members WHERE story = ? ORDER BY section LIMIT 1", (story,)
        )
        return next((row for row in self.sections() if own and row.id == own[0][0]), None)

    @read_transaction
    def also_about(self, article: str) -> list[AlsoAbout]:
        """Return the other stories that an article is about, the one it is most about first."""
        found: dict[int, AlsoAbout] = {}
        for story, title, sentences in self.db.rows(
            "SELECT s.id, s.title, m.sentences FROM article_mentions m "
            "JOIN stories s ON s.id = m.story WHERE m.article = ? AND s.hidden = 0 "
            "ORDER BY m.likeness DESC, s.id",
            (clean(article),),
        ):
            found.setdefault(story, AlsoAbout(story, title, tuple(json.loads(sentences))))
        return list(found.values())

    @read_transaction
    def also_in(self, story: int, *, limit: int = 20) -> list[AlsoIn]:
        """Return articles of other stories that are also about this one, the latest first."""
        found: dict[str, tuple[str, ...]] = {}
        for article, sentences in self.db.rows(
            "SELECT m.article, m.sentences FROM article_mentions m JOIN articles a "
            "ON a.id = m.article WHERE m.story = ? "
            "ORDER BY a.published DESC, a.sequence DESC LIMIT ?",
            (self.redirect(story), limit),
        ):
            found.setdefault(article, tuple(json.loads(sentences)))
        rows = [(self.article(article), sentences) for article, sentences in found.items()]
        return [AlsoIn(row, sentences) for row, sentences in rows if row is not None]

    def _thread_rows(self, threads: Sequence[int]) -> list[ThreadRow]:
        """Return threads in the order asked for."""
        stories: dict[int, dict[int, tuple[str, list[str], int, str, str]]] = {}
        for some in chunks(threads):
            for thread, story, title, keywords, size, first, last in self.db.rows(
                "SELECT m.thread, s.id, s.title, s.keywords, s.size, s.first_seen, s.last_seen "
                "FROM thread_members m JOIN stories s ON s.id = m.story "
                f"WHERE s.hidden = 0 AND m.thread IN ({placeholders(some)}) ORDER BY s.id",
                some,
            ):
                own = (title, json.loads(keywords), size, first, last)
                stories.setdefault(thread, {})[story] = own
        return [
            ThreadRow(
                id=thread,
                name=_name([(one[1], one[2]) for one in own_stories]),
                title=max(own_stories, key=lambda one: one[4])[0],
                stories=len(own_stories),
                articles=sum(one[2] for one in own_stories),
                first_seen=to_time(min(one[3] for one in own_stories)),
                last_seen=to_time(max(one[4] for one in own_stories)),
            )
            for thread in threads
            if (own_stories := list(stories.get(thread, {}).values()))
        ]


def _name(stories: Sequence[tuple[Sequence[str], int]]) -> tuple[str, ...]:
    """Return the keywords that several stories share, those of most articles first.

    >>> _name([(("Kelby", "ferry"), 3), (("strike", "ferry"), 2), (("Kelby",), 1)])
    ('ferry', 'Kelby', 'strike')
    """
    having, articles, written = Counter[str](), Counter[str](), dict[str, str]()
    for keywords, size in stories:
        for word in dict.fromkeys(word.lower() for word in keywords):
            having[word] += 1
            articles[word] += size
        for word in keywords:
            written.setdefault(word.lower(), word)
    best = sorted(having, key=lambda word: (-having[word], -articles[word], word))
    chosen: list[str] = []
    for word in best:
        if not any(word in other or other in word for other in chosen):
            chosen.append(word)
    return tuple(written[word] for word in chosen[:NAMED_BY])
