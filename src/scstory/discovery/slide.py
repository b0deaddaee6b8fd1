"""The open slide: its articles are decided one after the other, however many come at a time.

What is known at an article is a fold: the stories as the slide began, then one article after the
other. Each step depends on the article and on what was before it, bit for bit, and on nothing that
happened to be handed over beside it; so a slide may be cut into calls anywhere, and taken up again
from a checkpoint, with the same outcome.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from scstory.discovery.archive import Archive
from scstory.discovery.assign import Candidate, Decision, Stories, candidates, decide
from scstory.discovery.confidence import Confidence
from scstory.discovery.views import Floats, Ints, Rows, membership, sizes_of

FEWEST_STRANGERS = 10


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
        rest = candidates(rows[first:], times[first:])
        for article, number in zip(rest, story[first:].tolist(), strict=True):
            self._join(article, self._stories.products(article), number)

    def look(self, article: Candidate, next_story: int) -> tuple[Decision, list[int]]:
        """Say where an article would go, without taking it in; and the numbers of stories."""
        return self._decide(article, next_story, note=False)[:2]

    def decide(self, article: Candidate, next_story: int) -> tuple[Decision, list[int]]:
        """Decide on an article and take it in; return the decision and the numbers of stories."""
        decision, numbers, products = self._decide(article, next_story, note=True)
        self._join(article, products, numbers[decision.story])
        return decision, numbers

    def _decide(
        self, article: Candidate, next_story: int, *, note: bool
    ) -> tuple[Decision, list[int], Floats]:
        products = self._stories.products(article)
        coherence = self._confidence.coherence
        cosines = self._stories.cosines(article, products, coherence)
        gaps = self._stories.gaps(article)
        parts = self._confidence.parts(cosines, gaps)
        decision = decide(parts, self._confidence, delta=self._delta)
        past = self._past.cosines(article, self._past.products(article), coherence)
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
        count = max(len(self._stories), FEWEST_STRANGERS)
        gone = ~np.isin(self._archive.ids, self.ids)
        long_ago = np.flatnonzero(gone & (self._archive.last < self._strangers_before))
        if self._archive.full and len(long_ago) < count:
            return np.flatnonzero(gone)[:count]
        return long_ago[-count:]

    def _join(self, article: Candidate, products: Floats, number: int) -> None:
        column = self.ids.index(number) if number in self.ids else len(self.ids)
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
