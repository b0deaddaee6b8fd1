"""The commit: all effects of a step in one transaction, and what happened as events."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import blake2b

from scstory.discovery.state import dump_parts
from scstory.errors import StoreError
from scstory.store.database import Database
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


class Writing(Database):
    """Commits, each refused if somebody else committed since this store was last read."""

    _expected: int
    """How many commits there were when the engine's state was last taken up or committed."""
    _written: dict[str, bytes]
    """A digest of each part of the engine's state as it is in the database."""

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
        parts = dump_parts(state)
        digests = {name: _digest(content) for name, content in parts.items()}
        with self._writing():
            if self._commits() != self._expected:
                # The engine whose state this is has not seen what somebody else committed.
                raise StoreError(self._busy())
            self._insert_articles([member.article for member in articles], late)
            ended = self._write_stories(stories)
            self._write_assignments(decided)
            self._write_redirects(redirects or {})
            self._write_events(decided, ended, redirects or {})
            self._write_window(state)
            changed = [
                name for name, digest in digests.items() if self._written.get(name) != digest
            ]
            self._write_parts({name: parts[name] for name in changed}, keep=parts.keys())
            self._run("UPDATE head SET commits = commits + 1")
        self._expected += 1
        self._written = digests

    def _seen(self, parts: dict[str, bytes]) -> None:
        """Take note of the state that is being handed out."""
        self._expected = self._commits()
        self._written = {name: _digest(content) for name, content in parts.items()}

    def _commits(self) -> int:
        return int(self._value("SELECT commits FROM head"))

    def _busy(self) -> str:
        """Say that somebody else is the one who commits."""
        return (
            f"{self.path}: another run is writing to it; let it end, then run again, "
            "or name another database with --db"
        )

    def _insert_articles(self, articles: Sequence[Article], late: Collection[str]) -> None:
        for article in articles:
            # What was accepted has been indexed for finding its copies.
            indexed = self._run("DELETE FROM inbox WHERE id = ?", (article.id,))
            indexed += self._run("DELETE FROM parked WHERE id = ?", (article.id,))
            self._run(
                f"INSERT INTO articles ({ARTICLE}, late, indexed) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*article_values(article), int(article.id in late), int(indexed > 0)),
            )

    def _write_stories(self, stories: Sequence[Story]) -> list[int]:
        """Write stories; return those that were active and are not any more."""
        before = {row[0] for row in self._rows("SELECT id FROM stories WHERE active = 1")}
        active = {story.id for story in stories if story.active}
        ended = sorted(before - active)
        self._run_many("UPDATE stories SET active = 0 WHERE id = ?", [(story,) for story in ended])
        self._run_many(
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
        self._run_many(
            "INSERT INTO assignments (article, story, confidence, new, runners_up, parts, weights) "
            "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (article) DO UPDATE SET "
            "story = excluded.story, confidence = excluded.confidence, new = excluded.new, "
            "runners_up = excluded.runners_up, parts = excluded.parts, weights = excluded.weights",
            [assignment_values(decision) for decision in decided],
        )

    def _write_redirects(self, redirects: Mapping[int, int]) -> None:
        """Let numbers of stories that are no more lead to those they became part of."""
        for old, new in redirects.items():
            self._run("UPDATE assignments SET story = ? WHERE story = ?", (new, old))
            self._run("DELETE FROM stories WHERE id = ?", (old,))
            self._run("UPDATE redirects SET new = ? WHERE new = ?", (new, old))
            self._run("INSERT INTO redirects (old, new) VALUES (?, ?)", (old, new))

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
            self._value("SELECT coalesce(max(number), 0) FROM events"),
        )
        self._run_many(
            "INSERT INTO events (number, kind, story, articles, time, becomes) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            [
                (n, kind, story, to_json(articles), now, redirects.get(story))
                for n, ((story, kind), articles) in enumerate(happened.items(), number + 1)
            ],
        )
        last = number + len(happened)
        self._run("DELETE FROM events WHERE number <= ?", (last - EVENTS_KEPT,))

    def _write_window(self, state: State) -> None:
        """Bring the stored window in line with the engine's: some articles went, some came."""
        stored = {row[0] for row in self._rows("SELECT article FROM vectors")}
        wanted = {member.article.id for member in state.members}
        self._run_many(
            "DELETE FROM vectors WHERE article = ?", [(gone,) for gone in stored - wanted]
        )
        start = self._value("SELECT coalesce(max(position), 0) FROM vectors")
        self._run_many(
            "INSERT INTO vectors (article, position, sentences, vectors) VALUES (?, ?, ?, ?)",
            [
                (m.article.id, position, to_json(m.sentences), m.vectors.tobytes())
                for position, m in enumerate(state.members, start + 1)
                if m.article.id not in stored
            ],
        )

    def _write_parts(self, changed: Mapping[str, bytes], *, keep: Collection[str]) -> None:
        for (name,) in self._rows("SELECT name FROM engine_parts"):
            if name not in keep:
                self._run("DELETE FROM engine_parts WHERE name = ?", (name,))
        self._run_many(
            "INSERT INTO engine_parts (name, state) VALUES (?, ?) "
            "ON CONFLICT (name) DO UPDATE SET state = excluded.state",
            list(changed.items()),
        )


def _digest(content: bytes) -> bytes:
    return blake2b(content, digest_size=16).digest()
