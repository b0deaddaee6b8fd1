"""Threads, sections and mentions, brought up to date in the transaction that commits a slide.

Everything is read from these tables and from what the slide brings, never from the stories as they
are by now: so it does not matter in how many commits the slides of a stream are stored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from scstory.discovery.overview import Closing, Outline, OverviewSettings
from scstory.discovery.overview.mentions import Basis, Mention, find_mentions, rare_terms
from scstory.discovery.overview.outline import likeness
from scstory.discovery.window import Floats
from scstory.store.columns import to_json
from scstory.store.database import Database, chunks, placeholders
from scstory.store.overview_sections import update_sections
from scstory.store.overview_threads import Threads

DAY = 86_400.0


class Overview:
    """The views of a database, for the slide that closes now."""

    def __init__(self, db: Database, closing: Closing, settings: OverviewSettings) -> None:
        self.db, self.closing, self.settings = db, closing, settings
        self._known: dict[int, Outline] = {}
        self._articles = 0
        self.centre = self._count_articles()
        self.scale = self._measure()

    def update(self) -> None:
        """Take note of the stories and articles of the slide."""
        self._forget()
        self._write_outlines()
        if self._articles < self.settings.fewest_articles:
            return
        threads = Threads(self)
        for story, changed in self.closing.stories.items():
            threads.link(story, changed.outline)
        update_sections(self)
        self._write_mentions()

    # -- what the stories are about -----------------------------------------------------------

    def outlines(self, stories: Iterable[int]) -> dict[int, Outline]:
        """Return the outlines of those stories that are remembered, in the order asked for."""
        wanted = list(stories)
        for some in chunks([story for story in wanted if story not in self._known]):
            for story, *parts in self.db.rows(
                "SELECT story, vector, columns, weights FROM outlines "
                f"WHERE story IN ({placeholders(some)})",
                some,
            ):
                self._known[story] = _outline(*parts)
        return {story: self._known[story] for story in wanted if story in self._known}

    def found_by(self, terms: Sequence[int]) -> list[int]:
        """Return the stories that share most of some terms, those that share one of them last.

        A term finds no more than the latest stories that have it.
        """
        shared: Counter[int] = Counter()
        for some in chunks(terms):
            shared.update(
                row[0]
                for row in self.db.rows(
                    "SELECT story FROM (SELECT story, row_number() OVER "
                    "(PARTITION BY term ORDER BY last DESC, story DESC) AS place "
                    f"FROM outline_keys WHERE term IN ({placeholders(some)})) AS latest "
                    "WHERE place <= ?",
                    (*some, self.settings.found_by),
                )
            )
        enough = [story for story, times in shared.items() if times >= self.settings.shared]
        return sorted(enough, key=lambda story: (-shared[story], -story))

    def _count_articles(self) -> Floats:
        """Add the articles of the slide to the mean of all vectors, and return it."""
        rows = self.db.rows("SELECT vector, articles FROM overview")
        before, articles = rows[0] if rows else (b"", 0)
        total = np.frombuffer(before, dtype=np.float64) if before else 0.0
        total, articles = total + self.closing.vectors, articles + len(self.closing.articles)
        self._articles = articles
        if rows:
            values = (total.tobytes(), articles)
            self.db.run("UPDATE overview SET vector = ?, articles = ?", values)
        else:
            self.db.run(
                "INSERT INTO overview (one, vector, articles, stories, found_at, faded, pairs, "
                "pairs_likeness) VALUES (1, ?, ?, 0, 0, ?, 0, 0.0)",
                (total.tobytes(), articles, self.closing.time),
            )
        return np.asarray(total / max(articles, 1))

    def _measure(self) -> float:
        """Add the pairs of the slide to the mean likeness of two articles of a story; return it."""
        found = [likeness(one, other, self.centre) for one, other in self.closing.pairs]
        self.db.run(
            "UPDATE overview SET pairs = pairs + ?, pairs_likeness = pairs_likeness + ?",
            (len(found), float(sum(found))),
        )
        pairs, total = self.db.rows("SELECT pairs, pairs_likeness FROM overview")[0]
        assumed = self.settings.scale_pairs
        return float((total + assumed * self.settings.scale) / (pairs + assumed))

    def _forget(self) -> None:
        """Forget stories that have no article left, and those of long ago."""
        oldest = self.closing.time - self.settings.memory_days * DAY
        self._forget_some([*self.closing.gone])
        old = self.db.rows("SELECT story FROM outlines WHERE last < ?", (oldest,))
        self._forget_some([row[0] for row in old])

    def _forget_some(self, stories: Sequence[int]) -> None:
        for some in chunks(stories):
            for table in ("outlines", "outline_keys"):
                self.db.run(f"DELETE FROM {table} WHERE story IN ({placeholders(some)})", some)

    def _write_outlines(self) -> None:
        changed = self.closing.stories
        self._known.update((story, one.outline) for story, one in changed.items())
        self._forget_some([*changed])
        self.db.run_many(
            "INSERT INTO outlines (story, last, keywords, vector, columns, weights) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            [
                (
                    story,
                    one.last,
                    to_json(one.keywords),
                    one.outline.vector.tobytes(),
                    one.outline.columns.tobytes(),
                    one.outline.weights.tobytes(),
                )
                for story, one in changed.items()
            ],
        )
        self.db.run_many(
            "INSERT INTO outline_keys (term, story, last) VALUES (?, ?, ?)",
            [
                (term, story, one.last)
                for story, one in changed.items()
                for term in one.outline.keys(self.settings.keys)
            ],
        )

    # -- also about ---------------------------------------------------------------------------

    def _write_mentions(self) -> None:
        found: list[Mention] = []
        for article in self.closing.articles:
            stories = self.found_by(rare_terms(article, self.closing.seen, self.settings))
            others = [story for story in stories if story != article.story]
            found += find_mentions(
                article,
                self.outlines([article.story]).get(article.story),
                self.outlines(others[: self.settings.compared]),
                Basis(self.centre, self.scale),
                self.settings,
            )
        self.db.run_many(
            "INSERT INTO mentions (article, story, likeness, sentences) VALUES (?, ?, ?, ?)",
            [(one.article, one.story, one.likeness, to_json(one.sentences)) for one in found],
        )


def write_overview(db: Database, closings: Sequence[Closing], settings: OverviewSettings) -> None:
    """Bring the views up to date with slides that have closed, within a transaction."""
    for closing in closings:
        Overview(db, closing, settings).update()


def _outline(vector: bytes, columns: bytes, weights: bytes) -> Outline:
    return Outline(
        np.frombuffer(vector, dtype=np.float32),
        np.frombuffer(columns, dtype=np.int32),
        np.frombuffer(weights, dtype=np.float32),
    )
