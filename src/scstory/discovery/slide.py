"""The open slide: its articles are decided one after the other, however many come at a time.

What is known at an article is a fold: the stories as the slide began, then one article after the
other. Each step depends on the article and on what was before it, bit for bit, and on nothing that
happened to be handed over beside it; so a slide may be cut into calls anywhere, and taken up again
from a checkpoint, with the same outcome.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from scstory.discovery.archive import Archive
from scstory.discovery.assign import Candidate, Decision, Stories, candidates, decide
from scstory.discovery.confidence import Confidence
from scstory.discovery.views import Floats, Ints, Rows, membership, sizes_of

FEWEST_STRANGERS = 10
AT_ONCE = 256
"""Articles that are compared at once with what was before the slide."""


class Newcomer(NamedTuple):
    """An article about to be decided, and what it has in common with what was before the slide."""

    article: Candidate
    active: Floats
    """Inner products with the stories of the window, by field."""
    past: Floats
    """The same with those beyond it."""


class OpenSlide:
    """The stories of a window and of the articles decided since, as of the latest of them."""

    def __init__(
        self,
        story: Ints,
        times: Sequence[float],
        rows: Rows,
        first: int,
        *,
        archive: Archive,
        strangers_before: float,
        confidence: Confidence,
        delta: float,
    ) -> None:
        """Begin with the window's articles before `first`, then take in the rest of those given."""
        ids, belongs = membership(story[:first])
        self.ids: list[int] = ids.tolist()
        self._confidence, self._delta = confidence, delta
        self._archive, self._strangers_before = archive, strangers_before
        newest, oldest = spans(story[:first], np.array(times[:first]), ids)
        sums, sizes = rows[:first].summed(belongs), sizes_of(belongs)
        self._stories = Stories(sums, sizes, newest, oldest)
        self._past = Stories(archive.rows, archive.sizes, archive.last, archive.last)
        self._columns = {number: column for column, number in enumerate(self.ids)}
        self._known_strangers: tuple[int, Ints] | None = None
        rest = candidates(rows[first:], times[first:])
        for article, number in zip(rest, story[first:].tolist(), strict=True):
            self._join(article, self._stories.products(article), number)

    def newcomers(self, rows: Rows, times: Sequence[float]) -> Iterator[Newcomer]:
        """Yield articles as they are decided on: what does not change in between, many at once."""
        for start in range(0, len(rows), AT_ONCE):
            few = slice(start, start + AT_ONCE)
            some = rows[few]
            active, past = self._stories.begun(some.terms), self._past.begun(some.terms)
            for i, article in enumerate(candidates(some, times[few])):
                yield Newcomer(article, active[:, i], past[:, i])

    def look(self, newcomer: Newcomer, next_story: int) -> tuple[Decision, list[int]]:
        """Say where an article would go, without taking it in; and the numbers of stories."""
        return self._decide(newcomer, next_story, note=False)[:2]

    def decide(self, newcomer: Newcomer, next_story: int) -> tuple[Decision, list[int]]:
        """Decide on an article and take it in; return the decision and the numbers of stories."""
        decision, numbers, products = self._decide(newcomer, next_story, note=True)
        self._join(newcomer.article, products, numbers[decision.story])
        return decision, numbers

    def _decide(
        self, newcomer: Newcomer, next_story: int, *, note: bool
    ) -> tuple[Decision, list[int], Floats]:
        article = newcomer.article
        products = self._stories.products(article, newcomer.active)
        coherence = self._confidence.coherence
        cosines = self._stories.cosines(article, products, coherence)
        gaps = self._stories.gaps(article)
        parts = self._confidence.parts(cosines, gaps)
        decision = decide(parts, self._confidence, delta=self._delta)
        long_ago = self._past.products(article, newcomer.past)
        past = self._past.cosines(article, long_ago, coherence)
        if note:
            self._confidence.note(cosines, gaps, past[:, self._strangers()])
        numbers = [*self.ids, next_story]
        if decision.new:
            over = np.flatnonzero(self._archive.over(self.ids))
            resumed = decide(
                self._confidence.resumed(past[:, over]), self._confidence, delta=self._delta
            )
            if not resumed.new:
                numbers[-1] = int(self._archive.ids[over[resumed.story]])
                decision = replace(
                    decision, new=False, confidence=resumed.confidence, parts=resumed.parts
                )
        return decision, numbers, products

    def _strangers(self) -> Ints:
        """Return as many stories that were over long ago, and still are, as there are now."""
        if self._known_strangers is None or self._known_strangers[0] != len(self.ids):
            self._known_strangers = len(self.ids), self._find_strangers()
        return self._known_strangers[1]

    def _find_strangers(self) -> Ints:
        count = max(len(self._stories), FEWEST_STRANGERS)
        gone = ~np.isin(self._archive.ids, self.ids)
        long_ago = np.flatnonzero(gone & (self._archive.last < self._strangers_before))
        if self._archive.full and len(long_ago) < count:
            return np.flatnonzero(gone)[:count]
        return long_ago[-count:]

    def _join(self, article: Candidate, products: Floats, number: int) -> None:
        column = self._columns.setdefault(number, len(self.ids))
        if column == len(self.ids):
            self.ids.append(number)
        self._stories.join(column, article, products)


def spans(story: Ints, times: Floats, ids: Ints) -> tuple[Floats, Floats]:
    """Return the times of the newest and of the oldest article of each story."""
    newest, oldest = np.full(len(ids), -np.inf), np.full(len(ids), np.inf)
    column = np.searchsorted(ids, story)
    np.maximum.at(newest, column, times)
    np.minimum.at(oldest, column, times)
    return newest, oldest
