"""The time between an article and a story, and what it tells.

A gap is evidence by how much more often it occurs within stories than between unrelated ones. Gaps
are counted in histograms, one for the nearer and one for the farther end of a story's time span.
Gaps within stories are counted by the posterior of each best match; gaps between an article and
stories that are far from it in every feature are those of unrelated pairs.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from scstory.discovery.calibrated.settings import CalibratedSettings
from scstory.discovery.window import Floats, Ints

COUNTS = ("unrelated", "noted", "best", "same")


class Gaps(NamedTuple):
    """Seconds from an article to the nearer and to the farther end of a story's time span."""

    near: Floats
    far: Floats

    @classmethod
    def between(cls, time: Any, newest: Floats, oldest: Floats) -> Self:
        """Return the gaps between times and stories that last from `oldest` to `newest`."""
        after, before = time - newest, oldest - time
        return cls(np.maximum(np.maximum(after, before), 0), np.maximum(-before, -after))


def spans(story: Ints, times: Floats, ids: Ints) -> tuple[Floats, Floats]:
    """Return the times of the newest and of the oldest article of each story."""
    newest, oldest = np.full(len(ids), -np.inf), np.full(len(ids), np.inf)
    column = np.searchsorted(ids, story)
    np.maximum.at(newest, column, times)
    np.minimum.at(oldest, column, times)
    return newest, oldest


class GapEvidence:
    """Log-likelihood ratios of time gaps, fitted to the stream."""

    def __init__(self, settings: CalibratedSettings) -> None:
        self._settings = settings
        self._edges = np.array(settings.edges)
        shape = (2, len(settings.edges) + 1)
        self.unrelated = np.zeros(shape)
        self.noted = np.zeros(shape)
        """Unrelated gaps that were seen since the last fit and do not count yet."""
        self.best = np.zeros(shape)
        self.same = np.zeros(shape)
        self.prepare()

    def bins(self, gaps: Gaps) -> Ints:
        """Return the bins that gaps fall into, (2, …)."""
        return np.array([np.searchsorted(self._edges, gap) for gap in gaps])

    def log_ratio(self, bins: Ints) -> Floats:
        """Return the evidence of gaps by their bins, (2, …)."""
        return np.asarray(
            self._settings.timing * (self._ratio[0][bins[0]] + self._ratio[1][bins[1]])
        )

    def leaving(self) -> float:
        """Return the evidence of a gap to a story that has left the window."""
        return self._settings.timing * self._leaving

    def note_unrelated(self, bins: Ints) -> None:
        """Take note of gaps between an article and stories unrelated to it."""
        for counts, some in zip(self.noted, bins, strict=True):
            counts += np.bincount(some, minlength=len(counts))

    def begin_fit(self, matches: Ints) -> None:
        """Let what was noted count, and the gaps of all best matches, (n, 2)."""
        # Not before: within a slide, what is noted must not change what is decided.
        self.best = self._histogram(matches.T)
        self.unrelated += self.noted
        self.noted[:] = 0

    def fit(self, matches: Ints, posterior: Floats) -> None:
        """Count the gaps of best matches by the probability that they are the same story."""
        self.same = self._histogram(matches.T, posterior)

    def _histogram(self, bins: Ints, weights: Floats | None = None) -> Floats:
        count = self.best.shape[1]
        return np.stack([np.bincount(b, weights, minlength=count) for b in bins]).astype(np.float64)

    def prepare(self) -> None:
        """Compute the log ratios from the counts as they are."""
        # Where few unrelated pairs were seen, gaps of best matches stand in for theirs; and a gap
        # that was hardly seen at all is no evidence.
        edge = self._settings.gap_leaving
        share = _shares(self.unrelated + self._settings.gap_prior * _shares(self.best))
        self._ratio = self._log_ratio(self.same, share)
        leaving = self.same[:, edge:].sum(axis=1, keepdims=True)
        ratio = self._log_ratio(leaving, share[:, edge:].sum(axis=1, keepdims=True))
        self._leaving = float(ratio.sum())

    def _log_ratio(self, same: Floats, unrelated: Floats) -> Floats:
        floor, total = self._settings.gap_floor, self.same.sum(axis=1, keepdims=True)
        return np.asarray(np.log((same + floor) / (total * unrelated + floor)))

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the counts."""
        return {f"{name}_gaps": getattr(self, name) for name in COUNTS}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go back to what `state` returned."""
        for name in COUNTS:
            setattr(self, name, state[f"{name}_gaps"].copy())
        self.prepare()


def _shares(counts: Floats) -> Floats:
    """Return the share of the counts that each bin has, none of them zero."""
    smoothed = counts + 0.5 / counts.shape[1]
    return np.asarray(smoothed / smoothed.sum(axis=1, keepdims=True))
