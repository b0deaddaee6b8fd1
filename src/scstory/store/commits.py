"""Commits: the effects of deciding some articles in one transaction, and the engine's state."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from scstory.discovery.state_parts import dump_parts, load_parts, part_names
from scstory.errors import StoreError
from scstory.store.columns import (
    ARTICLE,
    STORY,
    assignment_values,
    row_values,
    time_text,
    to_json,
)
from scstory.store.correction_inbox import titled, write_answer, write_corrected, write_correction
from scstory.store.correction_queries import standing_marks
from scstory.store.correction_records import Applied
from scstory.store.database import Writes, chunks, placeholders, read_transaction
from scstory.store.search.index import index_articles, index_stories
from scstory.store.window_rows import StoredMembers, ids_of, write_window
from scstory.text.language import tag_of
from scstory.types import Article, Assignment, State, Story

if TYPE_CHECKING:
    from scstory.discovery.overview import Closing

MAX_EVENTS = 100_000
"""Older events are deleted."""
_UPDATED = ", ".join(f"{column} = excluded.{column}" for column in STORY.split(", ")[1:])


class Commits(Writes):
    """Reads and commits the engine's state.

    A commit is refused if another process committed since this store last read the state.
    """

    _expected: int
    """How many commits there were when the engine's state was last read or committed."""
    _last: State | None
    """The engine's state in the database, if this store committed it."""
    _stored: list[str] | None
    """The articles of the window in the database, likewise."""

    def _start_commits(self) -> None:
        self._last, self._stored, self._expected = None, None, self.db.read(self._commits)

    @read_transaction
    def state(self) -> State | None:
        """Return the engine's state after the last commit, or None in a new store."""
        rows = self.db.rows("SELECT name, state FROM engine_parts ORDER BY name")
        parts: dict[str, bytes] = {row[0]: row[1] for row in rows}
        self._last, self._stored, self._expected = None, None, self._commits()
        if not parts:
            return None
        state = load_parts(parts, what=self.db.name)
        return State(state.meta, state.arrays, StoredMembers(self.db))

    def commit(
        self,
        articles: Sequence[Article],
        decided: Sequence[Assignment],
        stories: Sequence[Story],
        state: State,
        *,
        late: Collection[str] = (),
        redirects: Mapping[int, int] | None = None,
        correction: Applied | None = None,
        closings: Sequence[Closing] = (),
    ) -> None:
        """Store articles of the inbox, all decisions, changed stories and the engine's state.

        The articles leave the inbox. Of the stories, those that were active and are not any more
        have ended; those that are not given stay as they are. `late` names articles from before the
        window; `redirects` maps stories that were merged to the story that each became part of.
        `correction` is the one that is carried out, and `closings` are the slides that closed.
        """
        parts, merged = dump_parts(state, since=self._last), redirects or {}
        ids = ids_of(state.members)

        def write() -> None:
            self._check_writer()
            self._take_from_inbox(articles, late)
            if correction:
                write_answer(self.db, correction)
            ended = self._write_stories(stories)
            self._write_assignments(decided)
            if correction:
                write_correction(self.db, correction)
            self._write_redirects(merged)
            numbers = self._write_events(decided, ended, merged, correction)
            if correction:
                write_corrected(self.db, correction, numbers)
            self._write_overview(closings)
            write_window(self.db, state.members, ids, self._stored)
            self._write_parts(parts, keep=part_names(state))
            self.db.run("UPDATE head SET commits = commits + 1")

        self.db.write(write)
        self._expected += 1
        self._last, self._stored = State(state.meta, state.arrays, ()), ids

    def _check_writer(self) -> None:
        self.db.check_claim()
        if self._commits() != self._expected:
            # The engine does not know what another process committed.
            raise StoreError(
                f"{self.db.name}: another process has committed to it meanwhile, so this was not "
                "committed; start again to go on from there"
            )

    def _commits(self) -> int:
        return int(self.db.value("SELECT commits FROM head"))

    def _take_from_inbox(self, articles: Sequence[Article], late: Collection[str]) -> None:
        """Move articles from the inbox; each must be there, so that it counts exactly once."""
        taken = sum(
            self.db.run(f"DELETE FROM inbox WHERE id IN ({placeholders(some)})", some)
            for some in chunks([article.id for article in articles])
        )
        if taken != len(articles):
            raise StoreError(
                f"{self.db.name}: {len(articles) - taken} of {len(articles)} articles are not in "
                "the inbox, so this was not committed; start again to go on from there"
            )
        last = self.db.value("SELECT coalesce(max(sequence), 0) FROM articles")
        known = [replace(article, language=tag_of(article)) for article in articles]
        numbered = [*enumerate(known, last + 1)]
        self.db.run_many(
            f"INSERT INTO articles (sequence, {ARTICLE}, late) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [(n, *row_values(a, ARTICLE), int(a.id in late)) for n, a in numbered],
        )
        index_articles(self.db, [(n, a.title, a.text) for n, a in numbered])

    def _write_stories(self, stories: Sequence[Story]) -> list[int]:
        """Write stories; return those that were active and are not any more."""
        before = {
            row[0]: tuple(row)
            for some in chunks([story.id for story in stories])
            for row in self.db.rows(
                f"SELECT {STORY} FROM stories WHERE active = 1 AND id IN ({placeholders(some)})",
                some,
            )
        }
        stories = titled(stories, standing_marks(self.db))
        active = {story.id for story in stories if story.active}
        ended = sorted(before.keys() - active)
        rows = [row_values(story, STORY) for story in stories]
        changed = [row for row in rows if before.get(row[0]) != row]
        self.db.run_many(
            "UPDATE stories SET active = 0 WHERE id = ?", [(story,) for story in ended]
        )
        self.db.run_many(
            f"INSERT INTO stories ({STORY}) VALUES ({placeholders(STORY.split())}) "
            f"ON CONFLICT (id) DO UPDATE SET {_UPDATED}",
            changed,
        )
        index_stories(self.db, [row[0] for row in changed])
        return ended

    def _write_assignments(self, decided: Sequence[Assignment]) -> None:
        self.db.run_many(
            "INSERT INTO assignments (article, story, confidence, new, runners_up, parts, weights) "
            "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (article) DO UPDATE SET "
            "story = excluded.story, confidence = excluded.confidence, new = excluded.new, "
            "runners_up = excluded.runners_up, parts = excluded.parts, weights = excluded.weights",
            [assignment_values(decision) for decision in decided],
        )

    def _write_overview(self, closings: Sequence[Closing]) -> None:
        """Bring the views above the stories up to date with slides that have closed."""
        if closings:
            # Whoever only reads must not wait for these imports.
            from scstory.discovery.overview import OverviewSettings
            from scstory.store.overview import write_overview

            write_overview(self.db, closings, OverviewSettings())

    def _write_redirects(self, redirects: Mapping[int, int]) -> None:
        """Redirect the numbers of merged stories to the stories they became part of."""
        for old, new in redirects.items():
            self.db.run("UPDATE assignments SET story = ? WHERE story = ?", (new, old))
            self.db.run("DELETE FROM stories WHERE id = ?", (old,))
            self.db.run("UPDATE redirects SET new = ? WHERE new = ?", (new, old))
            self.db.run("INSERT INTO redirects (old, new) VALUES (?, ?)", (old, new))

    def _write_events(
        self,
        decided: Sequence[Assignment],
        ended: Sequence[int],
        redirects: Mapping[int, int],
        correction: Applied | None,
    ) -> dict[int, int]:
        """Write one event for each story and kind of event; return those of the correction."""
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
        for article, (_, story) in correction.moved.items() if correction else ():
            happened.setdefault((story, "moved"), []).append(article)
        for story in correction.stories if correction else ():
            happened[story, "corrected"] = []
        now = time_text(datetime.now(UTC))
        number = self.db.value("SELECT coalesce(max(number), 0) FROM events")
        self.db.run_many(
            "INSERT INTO events (number, kind, story, articles, time, becomes) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            [
                (n, kind, story, to_json(articles), now, redirects.get(story))
                for n, ((story, kind), articles) in enumerate(happened.items(), number + 1)
            ],
        )
        last = number + len(happened)
        self.db.run("DELETE FROM events WHERE number <= ?", (last - MAX_EVENTS,))
        numbers = dict(zip(happened, range(number + 1, last + 1), strict=True))
        return {story: n for (story, kind), n in numbers.items() if kind == "corrected"}

    def _write_parts(self, changed: Mapping[str, bytes], *, keep: Collection[str]) -> None:
        known = {row[0] for row in self.db.rows("SELECT name FROM engine_parts")}
        for some in chunks(sorted(known - set(keep))):
            self.db.run(f"DELETE FROM engine_parts WHERE name IN ({placeholders(some)})", some)
        self.db.run_many(
            "INSERT INTO engine_parts (name, state) VALUES (?, ?) "
            "ON CONFLICT (name) DO UPDATE SET state = excluded.state",
            list(changed.items()),
        )
