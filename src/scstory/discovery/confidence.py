"""Confidence: which vectors are compared, and what their cosines say.

The paper's confidence is the cosine of what M learned. The default adds the cosine of the terms
themselves, and measures both against the stream: how many standard deviations above an article and
a story that have nothing to do with each other. Those differ from stream to stream (short texts
share few terms, texts on one subject many), so a threshold on raw cosines that is right for one is
wrong for the next.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from scstory.discovery.assign import Confidence, Floats, View
from scstory.discovery.window import UNDECIDED, Window
from scstory.text import TermStatistics

LEARNED, LEXICAL = "learned", "lexical"


def compare(
    articles: Window,
    chosen: NDArray[np.int64],
    window: Window,
    *,
    statistics: TermStatistics,
    lexical: bool,
    before: int | None = None,
) -> tuple[list[View], NDArray[np.int64]]:
    """Compare some articles with the stories of a window; return the stories' ids as well.

    Of the window only the articles `before` a place count, if one is given.
    """
    ids, belongs = membership(window.story, before=before)
    stories = belongs @ window.vectors.astype(np.float64)
    views = [View.of(LEARNED, articles.vectors[chosen].astype(np.float64), stories)]
    if lexical:
        new = statistics.tfidf(articles.terms[chosen])
        views.append(View.of(LEXICAL, new, belongs @ statistics.tfidf(window.terms)))
    return views, ids


def membership(
    story: NDArray[np.int64], *, before: int | None = None
) -> tuple[NDArray[np.int64], csr_array]:
    """Return the ids of stories, and which articles belong to each, (stories, articles)."""
    decided = np.flatnonzero(story[:before] != UNDECIDED)
    ids, column = np.unique(story[decided], return_inverse=True)
    ones = np.ones(len(decided))
    return ids, csr_array((ones, (column, decided)), shape=(len(ids), len(story)))


def confidences(views: Sequence[View], confidence: Confidence) -> tuple[Floats, list[Floats]]:
    """Return the confidence of every article in every story, and the parts it is made of."""
    parts = confidence.parts([view.cosines() for view in views])
    return confidence.of(np.sum(parts, axis=0)), parts


class PlainConfidence:
    """Cosines as they are, weighted: the paper's confidence when there is one view."""

    def __init__(self, weights: Sequence[float]) -> None:
        self._weights = weights

    def parts(self, cosines: Sequence[Floats]) -> list[Floats]:
        """Return the weighted cosines."""
        return [w * cosine for w, cosine in zip(self._weights, cosines, strict=True)]

    def of(self, total: Floats) -> Floats:
        """Return the sum itself."""
        return total

    def observe(self, views: Sequence[View]) -> None:
        """Learn nothing."""

    def state(self) -> Floats:
        """Return nothing to remember."""
        return np.empty((0, 3))

    def restore(self, state: Floats) -> None:
        """Remember nothing."""


class StandardConfidence:
    """Cosines in standard deviations above those of unrelated articles and stories.

        z = Σ_v w_v (cos_v − μ_v) / σ_v,   confidence = z / (|z| + HALF)

    μ and σ are taken over the stories an article did not come near: all but the nearest tenth
    (two at least), from past slides only. Without leaving out the nearest, parts of one story that
    were not recognised as such would count as unrelated, raise σ, and make recognising them harder
    still.
    """

    HALF = 4.7
    """Standard deviations at which the confidence is one half."""
    LEFT_OUT = 0.1, 2
    PRIOR = 50.0
    """The observations that the values assumed beforehand count for."""
    ASSUMED = (0.05, 0.12), (0.02, 0.03)
    """Mean and standard deviation of each view before anything was seen."""

    def __init__(self, weights: Sequence[float]) -> None:
        self._weights = weights
        self._seen = np.zeros((len(weights), 3))  # number, sum, sum of squares

    def parts(self, cosines: Sequence[Floats]) -> list[Floats]:
        """Return the weighted deviations."""
        scale = zip(self._weights, cosines, self._moments(), strict=True)
        return [w * (cosine - mean) / deviation for w, cosine, (mean, deviation) in scale]

    def of(self, total: Floats) -> Floats:
        """Return deviations as a confidence between -1 and 1."""
        return np.asarray(total / (np.abs(total) + self.HALF))

    def observe(self, views: Sequence[View]) -> None:
        """Take note of how a slide's articles compare with stories they have no part in."""
        cosines = [view.cosines() for view in views]
        count = cosines[0].shape[1]
        share, least = self.LEFT_OUT
        left_out = max(least, int(np.ceil(share * count)))
        if count <= left_out:
            return
        order = np.argsort(-np.sum(self.parts(cosines), axis=0), axis=1, kind="stable")
        for seen, cosine in zip(self._seen, cosines, strict=True):
            rest = np.take_along_axis(cosine, order[:, left_out:], axis=1)
            seen += rest.size, rest.sum(), np.square(rest).sum()

    def _moments(self) -> list[tuple[float, float]]:
        found = []
        for (number, total, squares), (mean, deviation) in zip(
            self._seen, self.ASSUMED, strict=False
        ):
            weight = number + self.PRIOR
            centre = (total + self.PRIOR * mean) / weight
            square = (squares + self.PRIOR * (deviation**2 + mean**2)) / weight
            found.append((float(centre), float(np.sqrt(max(square - centre**2, 1e-6)))))
        return found

    def state(self) -> Floats:
        """Return what has been observed."""
        return self._seen.copy()

    def restore(self, state: Floats) -> None:
        """Go back to what `state` returned."""
        self._seen = state.copy()
