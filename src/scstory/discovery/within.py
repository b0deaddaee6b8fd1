"""How the articles of a window stand in their own stories, and in others that have just grown."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scstory.discovery.confidence import Confidence, Gaps
from scstory.discovery.slide import spans
from scstory.discovery.views import Floats, Ints, Rows, TermIndex, cosines, membership

CHUNK = 256
"""Articles that are compared at a time, so that memory does not grow with their number squared."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The stories of a window, and what every article has to do with its own."""

    rows: Rows
    times: Floats
    ids: Ints
    column: Ints
    """The story of each article, as a place in `ids`."""
    sums: Rows
    sizes: Ints
    apart: bool
    """Whether an article is compared with its own story as it would be without it."""

    @classmethod
    def of(cls, story: Ints, times: Floats, rows: Rows, *, apart: bool) -> Standing:
        """Work out how the articles of a window stand."""
        ids, belongs = membership(story)
        column = np.searchsorted(ids, story)
        sizes = np.bincount(column, minlength=len(ids))
        return cls(rows, times, ids, column, rows.summed(belongs), sizes, apart)

    def parts_in_own(self, confidence: Confidence) -> Floats:
        """Return the parts of every article's confidence in its own story, (parts, n)."""
        squares = self.rows.squares()
        products = self.rows.products_with(self.sums, self.column)
        # What a story's articles have in common with it adds up to its squared length.
        others = np.array([np.bincount(self.column, own) for own in products])[:, self.column]
        if self.apart:
            others = np.maximum(others - 2 * products + squares, 0)
            products = products - squares
        sizes = self.sizes[self.column] - self.apart
        similar = cosines(products, squares, others, confidence.coherence * np.square(sizes))
        return confidence.parts(similar, self._own_gaps())

    def own(self, confidence: Confidence) -> Floats:
        """Return every article's confidence in its own story; 1 where it is the only one."""
        rated = confidence.of(self.parts_in_own(confidence).sum(axis=0))
        return np.where(self.alone, 1.0, rated) if self.apart else rated

    @property
    def alone(self) -> NDArray[np.bool_]:
        """Which articles are the only one of their story."""
        return np.asarray(self.sizes[self.column] == 1)

    def evidence_in(
        self, stories: Ints, confidence: Confidence, rows: Rows, times: Floats
    ) -> Floats:
        """Return the parts of articles' confidence in some stories, summed, (articles, stories).

        The articles need not be of the window; not for an article and its own story.
        """
        newest, oldest = spans(self.column, self.times, np.arange(len(self.ids)))
        some = self.sums[stories]
        index, dense = TermIndex(some), some.dense.transpose(0, 2, 1)
        squares, least = some.squares(), confidence.coherence * np.square(self.sizes[stories])
        evidence = np.empty((len(rows), len(stories)))
        for start in range(0, len(rows), CHUNK):
            few = slice(start, start + CHUNK)
            chosen = rows[few]
            products = np.concatenate([chosen.dense @ dense, index.products(chosen.terms)])
            similar = cosines(products, chosen.squares()[:, :, None], squares[:, None], least)
            gaps = Gaps.of(times[few, None], newest[stories], oldest[stories])
            evidence[few] = confidence.parts(similar, gaps).sum(axis=0)
        return evidence

    def _own_gaps(self) -> Gaps:
        """Return the gaps between every article and the others of its story."""
        order = np.lexsort((self.times, self.column))
        times, ends = self.times[order], np.cumsum(self.sizes)
        first, last = np.repeat(ends - self.sizes, self.sizes), np.repeat(ends - 1, self.sizes)
        place = np.arange(len(order))
        newest, oldest = times[last], times[first]
        if self.apart:
            more = np.repeat(self.sizes, self.sizes) > 1
            newest = np.where((place == last) & more, times[np.maximum(last - 1, 0)], newest)
            oldest = np.where((place == first) & more, times[np.minimum(first + 1, last)], oldest)
        gaps = Gaps.of(times, newest, oldest)
        back = np.argsort(order, kind="stable")
        return Gaps(gaps.near[back], gaps.far[back])
