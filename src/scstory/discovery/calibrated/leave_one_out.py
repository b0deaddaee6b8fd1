"""How the articles of a window fit their own stories, each left out, and others that have grown."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from scstory.discovery.calibrated.features import Features, TermIndex
from scstory.discovery.calibrated.gaps import Gaps, spans
from scstory.discovery.calibrated.posterior import Posterior, sigmoid
from scstory.discovery.calibrated.story_features import COMPARED_AT_ONCE
from scstory.discovery.paper.assignment import cosines
from scstory.discovery.paper.story_vectors import membership
from scstory.discovery.window import Floats, Ints


@dataclass(frozen=True, slots=True)
class LeaveOneOut:
    """The stories of a window, and the evidence of every article in its own without itself."""

    rows: Features
    times: Floats
    ids: Ints
    column: Ints
    """The story of each article, as a place in `ids`."""
    sums: Features
    sizes: Ints
    coherence: float
    """The least squared length that a story's mean counts as."""

    @classmethod
    def of(cls, story: Ints, times: Floats, rows: Features, *, coherence: float) -> Self:
        """Sum the features of the stories that articles are in."""
        ids, members = membership(story)
        column = np.searchsorted(ids, story)
        sizes = np.bincount(column, minlength=len(ids))
        return cls(rows, times, ids, column, rows.summed(members), sizes, coherence)

    def own_evidence(self, posterior: Posterior) -> Floats:
        """Return the evidence that every article is in its own story, (kinds of evidence, n)."""
        return posterior.evidence(self.own_cosines(), self._own_gaps())

    def own_cosines(self) -> Floats:
        """Return the cosine of every article and the others of its story, (features, n)."""
        squares = self.rows.squares()
        products = self.rows.products_with(self.sums, self.column)
        # The products of a story's articles with their sum add up to its squared length.
        others = np.array([np.bincount(self.column, own) for own in products])[:, self.column]
        others = np.maximum(others - 2 * products + squares, 0)
        sizes = self.sizes[self.column] - 1
        return cosines(products - squares, squares, others, self.coherence * np.square(sizes))

    def own_confidence(self, posterior: Posterior) -> Floats:
        """Return every article's confidence in its own story; 1 where it is the only one."""
        rated = sigmoid(self.own_evidence(posterior).sum(axis=0))
        return np.where(self.alone, 1.0, rated)

    @property
    def alone(self) -> NDArray[np.bool_]:
        """Which articles are the only one of their story."""
        return np.asarray(self.sizes[self.column] == 1)

    def log_odds_in(
        self, stories: Ints, posterior: Posterior, rows: Features, times: Floats
    ) -> Floats:
        """Return the log-odds that articles are in some of the stories, (articles, stories).

        The articles need not be in the window; it does not hold for an article and its own story.
        """
        newest, oldest = spans(self.column, self.times, np.arange(len(self.ids)))
        some = self.sums[stories]
        index, dense = TermIndex(some), some.dense.transpose(0, 2, 1)
        squares, least = some.squares(), self.coherence * np.square(self.sizes[stories])
        found = np.empty((len(rows), len(stories)))
        for start in range(0, len(rows), COMPARED_AT_ONCE):
            few = slice(start, start + COMPARED_AT_ONCE)
            chosen = rows[few]
            products = np.concatenate([chosen.dense @ dense, index.products(chosen.terms)])
            similar = cosines(products, chosen.squares()[:, :, None], squares[:, None], least)
            gaps = Gaps.between(times[few, None], newest[stories], oldest[stories])
            found[few] = posterior.evidence(similar, gaps).sum(axis=0)
        return found

    def _own_gaps(self) -> Gaps:
        """Return the gaps between every article and the others of its story."""
        order = np.lexsort((self.times, self.column))
        times, ends = self.times[order], np.cumsum(self.sizes)
        first, last = np.repeat(ends - self.sizes, self.sizes), np.repeat(ends - 1, self.sizes)
        place = np.arange(len(order))
        newest, oldest = times[last], times[first]
        more = np.repeat(self.sizes, self.sizes) > 1
        newest = np.where((place == last) & more, times[np.maximum(last - 1, 0)], newest)
        oldest = np.where((place == first) & more, times[np.minimum(first + 1, last)], oldest)
        gaps = Gaps.between(times, newest, oldest)
        back = np.argsort(order, kind="stable")
        return Gaps(gaps.near[back], gaps.far[back])
