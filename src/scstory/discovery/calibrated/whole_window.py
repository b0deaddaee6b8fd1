"""A window with few stories: every article is compared with all of them, and all are read anew."""

from collections.abc import Callable

import numpy as np

from scstory.discovery.calibrated.corrected import Corrected
from scstory.discovery.calibrated.features import Features
from scstory.discovery.calibrated.leave_one_out import LeaveOneOut
from scstory.discovery.calibrated.log_odds import sigmoid
from scstory.discovery.calibrated.pair_posteriors import PairPosteriors
from scstory.discovery.calibrated.regrouping import Regrouping
from scstory.discovery.calibrated.second_look import second_look
from scstory.discovery.calibrated.settings import CalibratedSettings
from scstory.discovery.method import Decision, Scope
from scstory.discovery.paper.assignment import choose
from scstory.discovery.window import Ints

ALL = slice(None)


class WholeWindow:
    """What is done with all stories of a window when a slide closes."""

    def __init__(
        self,
        settings: CalibratedSettings,
        posterior: PairPosteriors,
        corrected: Corrected,
        features: Callable[[Scope, Ints | slice], Features],
    ) -> None:
        self._settings, self._posterior, self._features = settings, posterior, features
        self._corrected = corrected

    def review(self, scope: Scope, new: Ints) -> list[Decision]:
        """Let articles move to where they fit clearly better; divide and join stories."""
        window = scope.window
        before = window.story.copy()
        for _ in range(self._settings.second_look):
            if not self._look_again(scope, new):
                break
            self.rate(scope, ALL)
        self._regroup(scope, new)
        moved = np.flatnonzero(window.story != before)
        return self.explain(scope, moved) if len(moved) else []

    def explain(self, scope: Scope, rows: Ints) -> list[Decision]:
        """Return the present stories of some rows, each article compared as if it were left out."""
        fit = self._leave_one_out(scope, ALL)
        own, evidence = fit.own_confidence(self._posterior), fit.own_evidence(self._posterior)
        everything = np.arange(len(fit.ids))
        elsewhere = sigmoid(
            fit.log_odds_in(everything, self._posterior, fit.rows[rows], fit.times[rows])
        )
        decisions = []
        for rated, i in zip(elsewhere, rows.tolist(), strict=True):
            column = int(fit.column[i])
            others = np.flatnonzero(everything != column)
            _, _, runners_up = choose(fit.ids[others].tolist(), rated[others], np.inf)
            named = zip(self._posterior.names, evidence[:, i].tolist(), strict=True)
            decisions.append(
                Decision(
                    i,
                    int(fit.ids[column]),
                    float(own[i]),
                    runners_up=runners_up,
                    evidence={} if fit.alone[i] else dict(named),
                )
            )
        return decisions

    def _look_again(self, scope: Scope, new: Ints) -> bool:
        """Let articles move that are new, alone or not certain; say whether any did."""
        window = scope.window
        _, column, sizes = np.unique(window.story, return_inverse=True, return_counts=True)
        certain = window.confidence >= self._settings.second_look_certain
        looked_at = (sizes[column] == 1) | ~certain
        looked_at[new] = True
        # A leave-one-out comparison needs all articles of their stories.
        some = np.flatnonzero((np.bincount(column, looked_at) > 0)[column])
        story, free = window.story[some], ~self._corrected.held(len(window))
        scope.next_story = second_look(
            story,
            window.times[some],
            self._features(scope, some),
            np.searchsorted(some, new),
            self._posterior,
            self._settings,
            next_story=scope.next_story,
            looked_at=np.flatnonzero((looked_at & free)[some]),
        )
        looked, before = window.story.copy(), window.story.copy()
        looked[some] = story
        self._corrected.send_back(looked, before)
        window.story[:] = looked
        return not np.array_equal(looked, before)

    def _regroup(self, scope: Scope, new: Ints) -> None:
        """Divide stories that grew where they are two, and join those that are one."""
        window, settings = scope.window, self._settings
        if not settings.regroup:
            return
        before = window.story.copy()
        rows = self._features(scope, ALL)
        groups = Regrouping(
            window.story, window.times, rows, self._posterior, settings, self._corrected
        )
        scope.next_story = groups.split(np.unique(window.story[new]), next_story=scope.next_story)
        groups.merge(np.unique(window.story[new]))
        if not np.array_equal(window.story, before):
            self.rate(scope, ALL)

    def rate(self, scope: Scope, chosen: Ints | slice) -> None:
        """Set the confidence of all articles of some stories to that in their own story."""
        fit = self._leave_one_out(scope, chosen)
        window = scope.window
        window.confidence[chosen] = fit.own_confidence(self._posterior)
        window.confidence[self._corrected.held(len(window))] = 1.0

    def _leave_one_out(self, scope: Scope, chosen: Ints | slice) -> LeaveOneOut:
        window = scope.window
        story, times = window.story[chosen], window.times[chosen]
        rows = self._features(scope, chosen)
        return LeaveOneOut.of(story, times, rows, coherence=self._settings.coherence)
