"""What people's corrections show: pairs of an article and a story that are known to be the same.

A correction that takes an article out of a story shows a pair that is known to be different, and
one that puts it into another shows a pair of the same story. Their similarities are evidence for
the posterior, beside what the stream itself shows.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from scstory.discovery.calibrated.features import Features
from scstory.discovery.calibrated.leave_one_out import LeaveOneOut
from scstory.discovery.calibrated.posterior import Posterior
from scstory.discovery.calibrated.settings import CalibratedSettings
from scstory.discovery.corrections import Correction
from scstory.discovery.window import Floats, Ints

MOST = 16
"""Articles of one correction that are learned from, the latest ones."""


class KnownPairs:
    """The similarities of pairs that people put together, and of those that they told apart."""

    def __init__(self, settings: CalibratedSettings) -> None:
        self._count, self._coherence = settings.correction_pairs, settings.coherence
        features = len(settings.compared)
        self.same: Floats = np.empty((0, features))
        self.different: Floats = np.empty((0, features))

    def learn(
        self,
        rows: Features,
        before: Ints,
        now: Ints,
        moved: Ints,
        posterior: Posterior,
        correction: Correction,
    ) -> None:
        """Take note of articles that moved from one story to another; keep the latest pairs.

        Whole stories that were merged show only what is the same.
        """
        same = self._cosines(rows, now, moved, together=True)
        self.same = np.concatenate([self.same, posterior.similarity(same)])[-self._count :]
        if not correction.merged:
            apart = posterior.similarity(self._cosines(rows, before, moved, together=False))
            self.different = np.concatenate([self.different, apart])[-self._count :]

    def state(self) -> dict[str, NDArray[np.float64]]:
        """Return everything."""
        return {"same": self.same, "different": self.different}

    def restore(self, state: Mapping[str, NDArray[np.float64]]) -> None:
        """Go back to what `state` returned; a database of an earlier version has none."""
        self.same, self.different = (
            state[name].copy() if state else own[:0]
            for name, own in (("same", self.same), ("different", self.different))
        )

    def _cosines(self, rows: Features, story: Ints, moved: Ints, *, together: bool) -> Floats:
        """Return the cosines of moved articles with the others of their stories, (pairs, features).

        Unless they count `together`, articles that moved together are not among the others. An
        article without others is left out.
        """
        found = []
        for row in moved[-MOST:].tolist():
            others = np.flatnonzero(story == story[row])
            others = np.setdiff1d(others, [row] if together else moved)
            if len(others):
                some = np.append(others, row)
                label, times = np.zeros(len(some), dtype=np.int64), np.zeros(len(some))
                fit = LeaveOneOut.of(label, times, rows[some], coherence=self._coherence)
                found.append(fit.own_cosines()[: self.same.shape[1], -1])
        return np.array(found).reshape(len(found), self.same.shape[1])
