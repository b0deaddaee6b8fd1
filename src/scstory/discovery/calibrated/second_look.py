"""The second look: when a slide closes, articles may move to where they fit clearly better.

An article is compared with its own story without it (leave-one-out), and with the stories that
grew in the slide: only those have changed. It moves if another story is better by a margin of
evidence, so that nothing moves back and forth; it founds a story of its own if it fits nowhere by
as much. Articles that are neither new nor alone, and all but certain, are not looked at.
"""

import numpy as np

from scstory.discovery.calibrated.features import Features
from scstory.discovery.calibrated.leave_one_out import LeaveOneOut
from scstory.discovery.calibrated.log_odds import log_odds
from scstory.discovery.calibrated.pair_posteriors import PairPosteriors
from scstory.discovery.calibrated.settings import CalibratedSettings
from scstory.discovery.window import Floats, Ints


def second_look(
    story: Ints,
    times: Floats,
    rows: Features,
    new: Ints,
    posterior: PairPosteriors,
    settings: CalibratedSettings,
    *,
    next_story: int,
    looked_at: Ints | None = None,
) -> int:
    """Move articles of a window where they fit better; return the next free story number.

    `story` is changed in place. `new` are the slide's articles. Of the others, only those to be
    `looked_at` can move; all unless given.
    """
    looked_at = np.arange(len(story)) if looked_at is None else looked_at
    look = _Look(story, times, rows, new, looked_at, posterior, settings)
    for place in range(len(look.suspects)):
        next_story = look.decide(place, next_story)
    return next_story


class _Look:
    """The articles that would move if all others stayed, the oldest first, and their options.

    A move changes two stories. Its effect on the suspects after it is computed from these two
    alone, so that the cost of a look does not grow with the window times the number of moves.
    """

    def __init__(
        self,
        story: Ints,
        times: Floats,
        rows: Features,
        new: Ints,
        looked_at: Ints,
        posterior: PairPosteriors,
        settings: CalibratedSettings,
    ) -> None:
        self._story, self._times, self._rows, self._new = story, times, rows, new
        self._posterior, self._coherence = posterior, settings.coherence
        self._threshold, self._margin = log_odds(settings.delta), settings.second_look_margin
        fit = LeaveOneOut.of(story, times, rows, coherence=self._coherence)
        grown = np.unique(fit.column[new])
        here = self._log_odds_here(fit)[looked_at]
        there = fit.log_odds_in(grown, posterior, rows[looked_at], times[looked_at])
        there[fit.column[looked_at][:, None] == grown] = -np.inf
        best = there.max(axis=1, initial=-np.inf)
        moves = best >= np.maximum(here + self._margin, self._threshold)
        leaves = (here < self._threshold - self._margin) & ~fit.alone[looked_at]
        suspected = np.flatnonzero(moves | leaves)
        self.suspects: Ints = looked_at[suspected]
        self._here = here[suspected]
        self._there, self._columns = there[suspected], fit.ids[grown]

    def decide(self, place: int, next_story: int) -> int:
        """Move a suspect, or leave it where it is; return the next free story number."""
        here, there = float(self._here[place]), self._there[place]
        if there.max(initial=-np.inf) >= max(here + self._margin, self._threshold):
            self._move(place, int(self._columns[there.argmax()]))
        elif here < self._threshold - self._margin:  # never true of an article that is alone
            self._move(place, next_story)
            next_story += 1
        return next_story

    def _move(self, place: int, to: int) -> None:
        """Move a suspect, and update the options of those after it."""
        story, i = self._story, self.suspects[place]
        left, story[i] = int(story[i]), to
        after = slice(place + 1, None)
        self._there[after, self._columns == left] = -np.inf
        if to not in self._columns:
            self._columns = np.append(self._columns, to)
            self._there = np.pad(self._there, ((0, 0), (0, 1)), constant_values=-np.inf)
        later = self.suspects[after]
        members = np.flatnonzero((story == left) | (story == to))
        fit = LeaveOneOut.of(
            story[members], self._times[members], self._rows[members], coherence=self._coherence
        )
        own = np.flatnonzero(np.isin(later, members))
        here = self._log_odds_here(fit)
        self._here[after][own] = here[np.searchsorted(members, later[own])]
        grown = np.flatnonzero(np.isin(fit.ids, story[self._new]))
        there = fit.log_odds_in(grown, self._posterior, self._rows[later], self._times[later])
        there[story[later][:, None] == fit.ids[grown]] = -np.inf
        for number, log_odds_there in zip(fit.ids[grown], there.T, strict=True):
            self._there[after, int(np.flatnonzero(self._columns == number)[0])] = log_odds_there

    def _log_odds_here(self, fit: LeaveOneOut) -> Floats:
        """Return the log-odds of articles' present stories; the threshold for one that is alone."""
        rated = fit.own_evidence(self._posterior).sum(axis=0)
        return np.where(fit.alone, self._threshold, rated)
