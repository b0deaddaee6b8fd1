"""How the articles of a window fit their own stories, each left out, and others that have grown.

An article is compared with the parts of stories (`languages.py`), and the part that speaks for a
story most clearly speaks for it.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from scstory.discovery.calibrated.features import Features, TermIndex
from scstory.discovery.calibrated.gaps import Gaps, spans
from scstory.discovery.calibrated.languages import Parts, part_numbers
from scstory.discovery.calibrated.log_odds import sigmoid
from scstory.discovery.calibrated.pair_posteriors import PairPosteriors
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
    sizes: Ints
    part: Ints
    """The part of its story that each article belongs to; there are as many as sums."""
    parts: Parts
    sums: Features
    part_sizes: Ints
    coherence: float
    """The least squared length that a story's mean counts as."""

    @classmethod
    def of(cls, story: Ints, times: Floats, rows: Features, *, coherence: float) -> Self:
        """Sum the features of the stories that articles are in."""
        numbers, members = membership(part_numbers(story, rows.language))
        part = np.searchsorted(numbers, part_numbers(story, rows.language))
        parts = Parts.of(numbers)
        column = parts.story[part]
        return cls(
            rows,
            times,
            parts.ids,
            column,
            np.bincount(column, minlength=len(parts.ids)),
            part,
            parts,
            rows.summed(members),
            np.bincount(part, minlength=len(numbers)),
            coherence,
        )

    def own_evidence(self, posteriors: PairPosteriors) -> Floats:
        """Return the evidence that every article is in its own story, (kinds of evidence, n)."""
        kinds = posteriors.languages.kinds(self.rows.language, self.rows.language)
        gaps = self._own_gaps()
        evidence = posteriors.evidence(self.own_cosines(), gaps, kinds)
        if self.parts.several:
            self._add_other_parts(evidence, gaps, posteriors)
        return evidence

    def own_cosines(self) -> Floats:
        """Return the cosine of every article and the others of its part, (features, n)."""
        squares = self.rows.squares()
        products = self.rows.products_with(self.sums, self.part)
        # The products of a part's articles with their sum add up to its squared length.
        others = np.array([np.bincount(self.part, own) for own in products])[:, self.part]
        others = np.maximum(others - 2 * products + squares, 0)
        sizes = self.part_sizes[self.part] - 1
        return cosines(products - squares, squares, others, self.coherence * np.square(sizes))

    def _add_other_parts(self, evidence: Floats, gaps: Gaps, posteriors: PairPosteriors) -> None:
        """Where another part of its story speaks for an article more clearly, set its evidence."""
        rows, parts = self.rows, self.parts
        evidence[:, (self.part_sizes[self.part] == 1) & ~self.alone] = -np.inf
        several = np.bincount(parts.story)[self.column] > 1
        for part in np.flatnonzero(np.bincount(parts.story)[parts.story] > 1).tolist():
            own = np.flatnonzero(several & (self.column == parts.story[part]) & (self.part != part))
            some, whole = rows[own], self.sums[np.array([part])]
            column = np.zeros(len(own), dtype=np.int64)
            least = self.coherence * np.square(self.part_sizes[part])
            products, squares = some.products_with(whole, column), whole.squares()
            similar = cosines(products, some.squares(), squares, least)
            kinds = posteriors.languages.kinds(some.language, whole.language)
            found = posteriors.evidence(similar, Gaps(gaps.near[own], gaps.far[own]), kinds)
            better = found.sum(axis=0) > evidence[:, own].sum(axis=0)
            evidence[:, own[better]] = found[:, better]

    def languages(self) -> NDArray[np.bool_]:
        """Return which language each story has articles in, (stories, languages)."""
        codes, place = np.unique(self.sums.language, return_inverse=True)
        found = np.zeros((len(self.ids), len(codes)), dtype=bool)
        found[self.parts.story, place] = True
        return found

    def own_confidence(self, posteriors: PairPosteriors) -> Floats:
        """Return every article's confidence in its own story; 1 where it is the only one."""
        rated = sigmoid(self.own_evidence(posteriors).sum(axis=0))
        return np.where(self.alone, 1.0, rated)

    @property
    def alone(self) -> NDArray[np.bool_]:
        """Which articles are the only one of their story."""
        return np.asarray(self.sizes[self.column] == 1)

    def log_odds_in(
        self, stories: Ints, posteriors: PairPosteriors, rows: Features, times: Floats
    ) -> Floats:
        """Return the log-odds that articles are in some of the stories, (articles, stories).

        The articles need not be in the window; it does not hold for an article and its own story.
        """
        newest, oldest = spans(self.column, self.times, np.arange(len(self.ids)))
        wanted, parts = stories, None
        if not self.parts.same_order:
            wanted = np.flatnonzero(np.isin(self.parts.story, stories))
            place = np.argsort(stories)[np.searchsorted(np.sort(stories), self.parts.story[wanted])]
            parts = Parts(stories, place)
        some = self.sums[wanted]
        index, dense = TermIndex(some), some.dense.transpose(0, 2, 1)
        squares, least = some.squares(), self.coherence * np.square(self.part_sizes[wanted])
        story = self.parts.story[wanted]
        found = np.empty((len(rows), len(stories)))
        for start in range(0, len(rows), COMPARED_AT_ONCE):
            few = slice(start, start + COMPARED_AT_ONCE)
            chosen = rows[few]
            products = np.concatenate([chosen.dense @ dense, index.products(chosen.terms)])
            similar = cosines(products, chosen.squares()[:, :, None], squares[:, None], least)
            gaps = Gaps.between(times[few, None], newest[story], oldest[story])
            kinds = posteriors.languages.kinds(chosen.language[:, None], some.language)
            log_odds = posteriors.evidence(similar, gaps, kinds).sum(axis=0)
            found[few] = log_odds if parts is None else parts.highest(log_odds)
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
