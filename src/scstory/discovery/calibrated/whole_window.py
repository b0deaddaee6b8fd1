"""A window with few stories: every article is compared with all of them, and all are read anew."""

from collections.abc import Callable

import numpy as np

from scstory.discovery.calibrated.features import Features
from scstory.discovery.calibrated.leave_one_out import LeaveOneOut
from scstory.discovery.calibrated.log_odds import sigmoid
from scstory.discovery.calibrated.open_slide import OpenSlide
from scstory.discovery.calibrated.regrouping import Regrouping
from scstory.discovery.calibrated.second_look import second_look
from scstory.discovery.calibrated.window_stories import ALL, WindowStories
from scstory.discovery.method import Decision, Scope
from scstory.discovery.paper.assignment import choose
from scstory.discovery.window import Ints, Window


class WholeWindow(WindowStories[OpenSlide]):
    """All stories of a window, which are read anew for every slide."""

    def features(self, scope: Scope, window: Window, chosen: Ints | slice) -> Features:
        """Return the features of articles as of now."""
        languages, norms = window["language"][chosen], self.evidence.norms
        return self.evidence.reader.read(
            window,
            chosen,
            centre=norms.means.values(languages),
            statistics=scope.statistics,
            documents=norms.documents.of(languages),
        )

    def _features(self, scope: Scope, chosen: Ints | slice) -> Features:
        return self.features(scope, scope.window, chosen)

    def _open(self, scope: Scope, end: int, start: float, strangers_before: float) -> OpenSlide:
        window = scope.window
        return OpenSlide(
            window.story[:end],
            window.times[:end].tolist(),
            self._features(scope, slice(0, end)),
            int(np.searchsorted(window.times[:end] >= start, True)),
            archive=self.evidence.archive,
            strangers_before=strangers_before,
            posterior=self.posterior,
            settings=self.settings,
        )

    def to_learn_from(self, window: Window, new: Ints, rng: np.random.Generator) -> Ints:
        """Return all articles."""
        return np.arange(len(window))

    def renew(self, scope: Scope, new: Ints | slice, embed: Callable[[Ints], None]) -> None:
        """Have vectors made anew: all, unless the settings say how many at a time."""
        window, refresh = scope.window, self.settings.refresh
        if isinstance(new, slice) or not 0 < refresh < len(window):
            embed(np.arange(len(window)))
            self.rate(scope, ALL)
        else:
            embed(self.oldest(window))
            self.rate(scope, np.flatnonzero(np.isin(window.story, window.story[new])))

    def review(self, scope: Scope, new: Ints) -> list[Decision]:
        """Let articles move to where they fit clearly better; divide and join stories."""
        window = scope.window
        before = window.story.copy()
        for _ in range(self.settings.second_look):
            if not self._look_again(scope, new):
                break
            self.rate(scope, ALL)
        self._regroup(scope, new)
        moved = np.flatnonzero(window.story != before)
        return self.explain(scope, moved) if len(moved) else []

    def explain(self, scope: Scope, rows: Ints) -> list[Decision]:
        """Return the present stories of some rows, each article compared as if it were left out."""
        fit = self._leave_one_out(scope, ALL)
        own, evidence = fit.own_confidence(self.posterior), fit.own_evidence(self.posterior)
        everything = np.arange(len(fit.ids))
        elsewhere = sigmoid(
            fit.log_odds_in(everything, self.posterior, fit.rows[rows], fit.times[rows])
        )
        decisions = []
        for rated, i in zip(elsewhere, rows.tolist(), strict=True):
            column = int(fit.column[i])
            others = np.flatnonzero(everything != column)
            _, _, runners_up = choose(fit.ids[others].tolist(), rated[others], np.inf)
            named = zip(self.posterior.names, evidence[:, i].tolist(), strict=True)
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
        certain = window.confidence >= self.settings.second_look_certain
        looked_at = (sizes[column] == 1) | ~certain
        looked_at[new] = True
        # A leave-one-out comparison needs all articles of their stories.
        some = np.flatnonzero((np.bincount(column, looked_at) > 0)[column])
        story, free = window.story[some], ~self.corrected.held(len(window))
        scope.next_story = second_look(
            story,
            window.times[some],
            self._features(scope, some),
            np.searchsorted(some, new),
            self.posterior,
            self.settings,
            next_story=scope.next_story,
            looked_at=np.flatnonzero((looked_at & free)[some]),
        )
        looked, before = window.story.copy(), window.story.copy()
        looked[some] = story
        self.corrected.send_back(looked, before)
        window.story[:] = looked
        return not np.array_equal(looked, before)

    def _regroup(self, scope: Scope, new: Ints) -> None:
        """Divide stories that grew where they are two, and join those that are one."""
        window, settings = scope.window, self.settings
        if not settings.regroup:
            return
        before = window.story.copy()
        rows = self._features(scope, ALL)
        groups = Regrouping(
            window.story, window.times, rows, self.posterior, settings, self.corrected
        )
        scope.next_story = groups.split(np.unique(window.story[new]), next_story=scope.next_story)
        groups.merge(np.unique(window.story[new]))
        if not np.array_equal(window.story, before):
            self.rate(scope, ALL)

    def rate(self, scope: Scope, chosen: Ints | slice) -> None:
        """Set the confidence of all articles of some stories to that in their own story."""
        fit = self._leave_one_out(scope, chosen)
        window = scope.window
        window.confidence[chosen] = fit.own_confidence(self.posterior)
        window.confidence[self.corrected.held(len(window))] = 1.0

    def _leave_one_out(self, scope: Scope, chosen: Ints | slice) -> LeaveOneOut:
        window = scope.window
        story, times = window.story[chosen], window.times[chosen]
        rows = self._features(scope, chosen)
        return LeaveOneOut.of(story, times, rows, coherence=self.settings.coherence)
