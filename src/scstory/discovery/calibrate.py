"""Confidence that calibrates itself on the stream: the probability that it is the same story.

How similar two articles of one story are differs from stream to stream: short texts share few
terms, texts on one subject many, and how soon a story's articles follow each other differs as well.
No fixed threshold fits. But a stream shows both kinds of pairs without a label:

* An article and a story that was over long before are different stories, whatever they share, but
  for a few that resume. These *strangers* say how similar a look-alike can be, the best of many.
  As long as there are few of them, second best matches in the window stand in: an article tells
  one story.
* The best match of an article in the window is of the same story, or the best look-alike again.

So best matches x (similarities by view) are a mixture, π · same + (1 − π) · different, whose second
part is seen by itself. With Gaussians of one covariance Σ, fitted by expectation maximisation,

    log-odds = log π/(1 − π) + Σ_v w_v (x_v − m_v) + log T(near) + log T(far)

    w = Σ⁻¹ (μ_same − μ_different),   m = (μ_same + μ_different) / 2

T is how much more often a gap in time occurs in pairs of one story than between unrelated ones: a
histogram by the fit's own posteriors. Before anything was seen, values assumed beforehand stand in,
and count for a few articles afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scstory.discovery.confidence import Floats, Gaps
from scstory.discovery.views import DENSE

Ints = NDArray[np.int64]

SAME, DIFFERENT, DEVIATION = 0, 1, 2
ASSUMED: Mapping[str, tuple[float, float, float]] = {
    "learned": (0.68, 0.25, 0.17),
    "headline": (0.60, 0.25, 0.18),
    "opening": (0.65, 0.25, 0.17),
    "terms": (0.65, 0.24, 0.11),
    "title": (0.55, 0.15, 0.22),
    "lede": (0.62, 0.20, 0.13),
    "names": (0.62, 0.15, 0.20),
    "phrases": (0.40, 0.07, 0.12),
}
"""Similarity of the best match, of one story and of different ones, and its deviation in both."""
CORRELATION = 0.5
"""Between the views, beforehand."""
PRIOR = 30.0
"""Articles that the values assumed beforehand count for."""
MEMORY = 1000
"""Best matches, and as many strangers or second best ones, that the fit is made of: the latest."""
SETTLED = 500
"""Best matches from which on a second best one counts in full among the different. In a small
stream they are too far off: they are best of too few."""
COHERENCE = 0.6
"""The squared length of a story's mean vector that counts at least. Articles that have nothing in
common have a short one: by the cosine alone, their story would be similar to everything, and
the more similar the more articles it swallows."""
DOUBTFUL = 0.5
"""What a best match counts for among the different, times its probability of being so."""
RESUMING = 0.005
"""The share of strangers that are in truth the same story, come back."""
ROUNDS = 8
LEFT_OUT = 0.1, 2
"""The share of stories, and the least number, that are too near to count as unrelated."""
GAPS = 0.05, 0.15, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0
"""Where one bin of the histograms ends and the next begins, in sevenths of the window."""
EDGE = 8
"""The bins from this one on stand for stories that are about to leave the window, or have left."""
GAP_PRIOR = 5.0
"""Gaps that those of any best match count for among the unrelated."""
GAP_FLOOR = 0.5
"""What is added to the number of gaps in a bin, seen and expected."""
RESUMPTION = 3.0
"""How much evidence more it takes to take up a story that has left the window."""


class CalibratedConfidence:
    """The probability that an article tells a story, by what the stream has shown so far."""

    coherence = COHERENCE

    def __init__(self, views: Sequence[str], window: timedelta, *, timing: bool = True) -> None:
        self.names = (*views, "time", "prior")
        self._lexical = np.array([name not in DENSE for name in views])
        self._edges = np.array(GAPS) * window.total_seconds() / 7
        self._timing = float(timing)
        assumed = np.array([ASSUMED[name] for name in views])
        deviation = assumed[:, DEVIATION]
        spread = CORRELATION + (1 - CORRELATION) * np.eye(len(views))
        self._assumed = assumed
        self._assumed_covariance = np.outer(deviation, deviation) * spread
        bins = len(GAPS) + 1
        self._matches: Floats = np.empty((0, len(views)))
        self._match_gaps: Ints = np.empty((0, 2), dtype=np.int64)
        self._strangers: Floats = np.empty((0, len(views)))
        self._second_best: Floats = np.empty((0, len(views)))
        self._noted: dict[str, list[NDArray[Any]]] = {
            name: [] for name in ("matches", "match_gaps", "strangers", "second_best")
        }
        self._unrelated_gaps = np.zeros((2, bins))
        self._noted_gaps = np.zeros((2, bins))
        self._best_gaps = np.zeros((2, bins))
        self._same_gaps = np.zeros((2, bins))
        self._same, self._different = assumed[:, SAME].copy(), assumed[:, DIFFERENT].copy()
        self._covariance = self._assumed_covariance.copy()
        self._share = 0.5
        self._prepare()

    # -- what an article and a story say ------------------------------------------------------

    def parts(self, cosines: Floats, gaps: Gaps) -> Floats:
        """Return the evidence of each view, of time, and what is true of any best match."""
        text = self._text(self._similarity(cosines))
        near, far = np.searchsorted(self._edges, gaps.near), np.searchsorted(self._edges, gaps.far)
        time = self._timing * (self._ratio[0][near] + self._ratio[1][far])
        return np.stack([*text, time, np.full_like(time, self._prior)])

    def resumed(self, cosines: Floats) -> Floats:
        """Return the parts for stories that have left the window."""
        text = self._text(self._similarity(cosines))
        time = np.full(cosines.shape[1:], self._timing * self._edge_ratio - RESUMPTION)
        return np.stack([*text, time, np.full_like(time, self._prior)])

    def of(self, total: Floats) -> Floats:
        """Return log-odds as a probability."""
        return np.asarray(1 / (1 + np.exp(-np.clip(total, -40, 40))))

    def _similarity(self, cosines: Floats) -> Floats:
        """Return cosines on a scale on which both kinds of pairs vary about as much."""
        lexical = self._lexical.reshape(-1, *(1,) * (cosines.ndim - 1))
        return np.where(lexical, np.sqrt(np.maximum(cosines, 0)), cosines)

    def _text(self, similarity: Floats) -> Floats:
        shape = (-1, *(1,) * (similarity.ndim - 1))
        weight, middle = self._weight.reshape(shape), self._middle.reshape(shape)
        return np.asarray(weight * (similarity - middle))

    # -- what the stream says -----------------------------------------------------------------

    def note(self, cosines: Floats, gaps: Gaps, strangers: Floats) -> None:
        """Remember an article's best matches in the window, its best stranger, and gaps.

        The best is the best by text alone: chosen by time as well, the best matches would always
        be close in time, and closeness would seem to mean ever more.
        """
        if strangers.shape[1]:
            similarity = self._similarity(strangers)
            best = int(self._text(similarity).sum(axis=0).argmax())
            self._noted["strangers"].append(similarity[:, best].copy())
        if not cosines.shape[1]:
            return
        similarity = self._similarity(cosines)
        order = np.argsort(-self._text(similarity).sum(axis=0), kind="stable")
        bins = np.array([np.searchsorted(self._edges, gap) for gap in gaps])
        best = int(order[0])
        # Copies: a column would keep all of its matrix.
        self._noted["matches"].append(similarity[:, best].copy())
        self._noted["match_gaps"].append(bins[:, best].copy())
        self._noted["second_best"].extend(similarity[:, order[1:2]].T)
        share, least = LEFT_OUT
        rest = order[max(least, int(np.ceil(share * len(order)))) :]
        for counts, some in zip(self._noted_gaps, bins[:, rest], strict=True):
            counts += np.bincount(some, minlength=len(counts))
        if len(self._noted["matches"]) >= MEMORY:
            self._remember()

    def _remember(self) -> None:
        """Put what was noted behind what is remembered: the latest of it."""
        for name, noted in self._noted.items():
            if noted:
                known = getattr(self, f"_{name}")
                setattr(self, f"_{name}", np.vstack([known, *noted])[-MEMORY:])
                noted.clear()

    def learn(self) -> None:
        """Fit the mixture to what was noted, from where it stood."""
        self._remember()
        if not len(self._matches):
            return
        # Not before: within a slide, what is noted must not change what is said.
        self._best_gaps = np.stack(
            [np.bincount(gaps, minlength=len(GAPS) + 1) for gaps in self._match_gaps.T]
        ).astype(np.float64)
        self._unrelated_gaps += self._noted_gaps
        self._noted_gaps[:] = 0
        lacking = MEMORY - len(self._strangers)
        stand_ins = self._second_best[max(len(self._second_best) - lacking, 0) :]
        x, strangers = self._matches, np.vstack([self._strangers, stand_ins])
        worth = np.ones(len(strangers))
        worth[len(self._strangers) :] = min(1.0, len(x) / SETTLED)
        for _ in range(ROUNDS):
            self._prepare()
            near, far = self._match_gaps.T
            time = self._timing * (self._ratio[0][near] + self._ratio[1][far])
            same = self.of(self._text(x.T).sum(axis=0) + time + self._prior)
            different = DOUBTFUL * (1 - same)
            same_after_all = self.of(self._text(strangers.T).sum(axis=0) + _log_odds(RESUMING))
            strange = worth * (1 - same_after_all)
            self._same_gaps = np.stack(
                [
                    np.bincount(gaps, same, minlength=len(counts))
                    for gaps, counts in zip((near, far), self._same_gaps, strict=True)
                ]
            )
            one, other = same.sum(), different.sum() + strange.sum()
            total = same @ x + PRIOR * self._assumed[:, SAME]
            self._same = total / (one + PRIOR)
            total = different @ x + strange @ strangers + PRIOR * self._assumed[:, DIFFERENT]
            self._different = total / (other + PRIOR)
            self._covariance = (
                _scatter(x - self._same, same)
                + _scatter(x - self._different, different)
                + _scatter(strangers - self._different, strange)
                + 2 * PRIOR * self._assumed_covariance
            ) / (one + other + 2 * PRIOR)
            self._share = float((one + PRIOR / 2) / (len(x) + PRIOR))
        self._prepare()

    def _prepare(self) -> None:
        """Work out weights and log ratios from the fit as it stands."""
        self._weight = np.linalg.solve(self._covariance, self._same - self._different)
        self._middle = (self._same + self._different) / 2
        self._prior = _log_odds(self._share)
        # Where few unrelated pairs were seen, gaps of any kind stand in for theirs; and a gap that
        # was hardly seen at all says nothing.
        share = _shares(self._unrelated_gaps + GAP_PRIOR * _shares(self._best_gaps))
        self._ratio = self._log_ratio(self._same_gaps, share)
        leaving = self._same_gaps[:, EDGE:].sum(axis=1, keepdims=True)
        edge = self._log_ratio(leaving, share[:, EDGE:].sum(axis=1, keepdims=True))
        self._edge_ratio = float(edge.sum())

    def _log_ratio(self, same: Floats, unrelated: Floats) -> Floats:
        """Return how much more often gaps occur within a story than their share would have it."""
        total = self._same_gaps.sum(axis=1, keepdims=True)
        return np.asarray(np.log((same + GAP_FLOOR) / (total * unrelated + GAP_FLOOR)))

    # -- stopping and going on ----------------------------------------------------------------

    def state(self) -> dict[str, NDArray[Any]]:
        """Return what was noted and the fit."""
        self._remember()
        return {
            "matches": self._matches,
            "match_gaps": self._match_gaps,
            "strangers": self._strangers,
            "second_best": self._second_best,
            "unrelated_gaps": self._unrelated_gaps,
            "noted_gaps": self._noted_gaps,
            "best_gaps": self._best_gaps,
            "same_gaps": self._same_gaps,
            "same": self._same,
            "different": self._different,
            "covariance": self._covariance,
            "share": np.array(self._share),
        }

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go back to what `state` returned."""
        for name in self.state():
            setattr(self, f"_{name}", state[name].copy())
        self._share = float(state["share"])
        if not 0 < self._share < 1:
            raise ValueError(f"a share of {self._share}")
        self._prepare()


def _shares(counts: Floats) -> Floats:
    """Return what share of the counts each bin has, none of them nothing."""
    smoothed = counts + 0.5 / counts.shape[1]
    return np.asarray(smoothed / smoothed.sum(axis=1, keepdims=True))


def _log_odds(probability: float) -> float:
    return float(np.log(probability / (1 - probability)))


def _scatter(deviations: Floats, weights: Floats) -> Floats:
    return np.asarray((deviations * weights[:, None]).T @ deviations)
