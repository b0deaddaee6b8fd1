"""The commit: all effects of a step in one transaction, and what happened as events."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime

from scstory.discovery.state import dump_parts, part_names
from scstory.errors import StoreError
from scstory.store.database import Part, chunks, marks, writing
from scstory.store.rows import (
    ARTICLE,
    article_values,
    assignment_values,
    story_values,
    time_text,
    to_json,
)
from scstory.types import Article, Assignment, EncodedArticle, State, Story

EVENTS_KEPT = 100_000


class Writing(Part):
    """Commits, each refused if somebody else committed since this store was last read."""

    _expected: int
    """How many commits there were when the engine's state was last taken up or committed."""
    _last: State | None
    """The engine's state in the database, if it was this store that wrote it."""

    def commit(
        self,
        articles: Sequence[EncodedArticle],
        decided: Sequence[Assignment],
        stories: Sequence[Story],
        state: State,
        *,
        late: Collection[str] = (),
        redirects: Mapping[int, int] | None = None,
    ) -> None:
        """Keep a step with all its effects, in one transaction."""
        parts = dump_parts(state, since=self._last)
        self._commit(articles, decided, stories, state, parts, late, redirects or {})
        self._expected += 1
        self._last = State(state.meta, state.arrays, ())

    @writing
    def _commit(
        self,
        articles: Sequence[EncodedArticle],
        decided: Sequence[Assignment],
        stories: Sequence[Story],
        state: State,
        parts: Mapping[str, bytes],
        late: Collection[str],
        redirects: Mapping[int, int],
    ) -> None:
        self.db.hold()
        if self._commits() != self._expected:
            # The engine whose state this is has not seen what somebody else committed.
            raise StoreError(busy(self.db.name))
        self._insert_articles([member.article for member in articles], late)
        ended = self._write_stories(stories)
        self._write_assignments(decided)
        self._write_redirects(redirects)
        self._write_events(decided, ended, redirects)
        self._write_window(state)
        self._write_parts(parts, keep=part_names(state))
        self.db.run("UPDATE head SET commits = commits + 1")

    def _seen(self) -> None:
        """Take note that the state is being handed out."""
        self._expected, self._last = self._commits(), None

    def _commits(self) -> int:
        return int(self.db.value("SELECT commits FROM head"))

    def _insert_articles(self, articles: Sequence[Article], late: Collection[str]) -> None:
        ids = [article.id for article in articles]
        indexed = set()  # what was accepted has been indexed for finding its copies
        for table in ("inbox", "parked"):
            for some in chunks(ids):
                query = f"SELECT id FROM {table} WHERE id IN ({marks(some)})"
                indexed |= {row[0] for row in self.db.rows(query, some)}
            self.db.run_many(
                f"DELETE FROM {table} WHERE id = ?", [(i,) for i in ids if i in indexed]
            )
        last = self.db.value("SELECT coalesce(max(sequence), 0) FROM articles")
        self.db.run_many(
            f"INSERT INTO articles (sequence, {ARTICLE}, late, indexed) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (n, *article_values(a), int(a.id in late), int(a.id in indexed))
                for n, a in enumerate(articles, last + 1)
            ],
        )

    def _write_stories(self, stories: Sequence[Story]) -> list[int]:
        """Write stories; return those that were active and are not any more."""
        before = {row[0] for row in self.db.rows("SELECT id FROM stories WHERE active = 1")}
        active = {story.id for story in stories if story.active}
        ended = sorted(before - active)
        self.db.run_many(
            "UPDATE stories SET active = 0 WHERE id = ?", [(story,) for story in ended]
        )
        self.db.run_many(
            "INSERT INTO stories (id, title, keywords, key_sentences, first_seen, last_seen, size, "
            "confidence, active) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET "
            "title = excluded.title, keywords = excluded.keywords, "
            "key_sentences = excluded.key_sentences, first_seen = excluded.first_seen, "
            "last_seen = excluded.last_seen, size = excluded.size, "
            "confidence = excluded.confidence, active = excluded.active",
            [story_values(story) for story in stories],
        )
        return ended

    def _write_assignments(self, decided: Sequence[Assignment]) -> None:
        self.db.run_many(
            "INSERT INTO assignments (article, story, confidence, new, runners_up, parts, weights) "
            "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (article) DO UPDATE SET "
            "story = excluded.story, confidence = excluded.confidence, new = excluded.new, "
            "runners_up = excluded.runners_up, parts = excluded.parts, weights = excluded.weights",
            [assignment_values(decision) for decision in decided],
        )

    def _write_redirects(self, redirects: Mapping[int, int]) -> None:
        """Let numbers of stories that are no more lead to those they became part of."""
        for old, new in redirects.items():
            self.db.run("UPDATE assignments SET story = ? WHERE story = ?", (new, old))
            self.db.run("DELETE FROM stories WHERE id = ?", (old,))
            self.db.run("UPDATE redirects SET new = ? WHERE new = ?", (new, old))
            self.db.run("INSERT INTO redirects (old, new) VALUES (?, ?)", (old, new))

    def _write_events(
        self, decided: Sequence[Assignment], ended: Sequence[int], redirects: Mapping[int, int]
    ) -> None:
        """Write what happened: one event for each story and kind."""
        happened: dict[tuple[int, str], list[str]] = {}
        founded = {decision.story for decision in decided if decision.new}
        for decision in decided:
            joined = "new" if decision.story in founded else "grew"
            kind = joined if decision.was is None else "moved"
            happened.setdefault((decision.story, kind), []).append(decision.article)
        for story in ended:
            if story not in redirects:
                happened[story, "ended"] = []
        for story in redirects:
            happened[story, "merged"] = [d.article for d in decided if d.was == story]
        now, number = (
            time_text(datetime.now(UTC)),
            self.db.value("SELECT coalesce(max(number), 0) FROM events"),
        )
        self.db.run_many(
            "INSERT INTO events (number, kind, story, articles, time, becomes) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            [
                (n, kind, story, to_json(articles), now, redirects.get(story))
                for n, ((story, kind), articles) in enumerate(happened.items(), number + 1)
            ],
        )
        last = number + len(happened)
        self.db.run("DELETE FROM events WHERE number <= ?", (last - EVENTS_KEPT,))

    def _write_window(self, state: State) -> None:
        """Bring the stored window in line with the engine's: some articles went, some came."""
        stored = {row[0] for row in self.db.rows("SELECT article FROM vectors")}
        wanted = {member.article.id for member in state.members}
        self.db.run_many(
            "DELETE FROM vectors WHERE article = ?", [(gone,) for gone in stored - wanted]
        )
        start = self.db.value("SELECT coalesce(max(position), 0) FROM vectors")
        self.db.run_many(
            "INSERT INTO vectors (article, position, sentences, vectors) VALUES (?, ?, ?, ?)",
            [
                (m.article.id, position, to_json(m.sentences), m.vectors.tobytes())
                for position, m in enumerate(state.members, start + 1)
                if m.article.id not in stored
            ],
        )

    def _write_parts(self, changed: Mapping[str, bytes], *, keep: Collection[str]) -> None:
        for (name,) in self.db.rows("SELECT name FROM engine_parts"):
            if name not in keep:
                self.db.run("DELETE FROM engine_parts WHERE name = ?", (name,))
        self.db.run_many(
            "INSERT INTO engine_parts (name, state) VALUES (?, ?) "
            "ON CONFLICT (name) DO UPDATE SET state = excluded.state",
            list(changed.items()),
        )


def busy(name: str) -> str:
    """Say that somebody else is the one who commits to a database."""
    return (
        f"{name}: another run is writing to it; let it end, then run again, "
        "or name another database with --db"
    )
