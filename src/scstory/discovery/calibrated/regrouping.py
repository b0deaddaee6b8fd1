"""Regrouping whole groups of articles when a slide closes: stories are divided, or joined.

Stories grow article by article. One doubtful article can lead the articles of another story in;
and two that were first told apart can go on side by side. Each article then finds its like, and
none would leave alone. So whole groups are compared: would the articles of each have joined the
other, had that been there first?
"""

from dataclasses import dataclass, field

import numpy as np

from scstory.discovery.calibrated.corrected import Corrected
from scstory.discovery.calibrated.features import Features
from scstory.discovery.calibrated.leave_one_out import LeaveOneOut
from scstory.discovery.calibrated.log_odds import log_odds
from scstory.discovery.calibrated.pair_posteriors import PairPosteriors
from scstory.discovery.calibrated.settings import CalibratedSettings
from scstory.discovery.window import Floats, Ints

ROUNDS = 10
"""Rounds of dividing a story into two parts, at most."""


@dataclass(frozen=True, slots=True)
class Regrouping:
    """The stories of a window, which are divided and joined in place."""

    story: Ints
    times: Floats
    rows: Features
    posterior: PairPosteriors
    settings: CalibratedSettings
    corrected: Corrected = field(default_factory=Corrected)

    def split(self, grown: Ints, *, next_story: int) -> int:
        """Divide some stories where they are two; return the next free story number.

        The part without the story's oldest article gets a new number, or the part without the
        articles that a person placed; where both parts have such articles, the story stays whole.
        """
        held = self.corrected.held(len(self.story))
        waiting: list[int] = grown.tolist()
        while waiting:
            number = waiting.pop()
            members = np.flatnonzero(self.story == number)
            if len(members) < 2 * self.settings.group_least:
                continue
            part = halves(self.rows[members], self.posterior)
            staying = np.unique(part[held[members]]) if held[members].any() else part[:1]
            if len(staying) == 1 and self._are_two(members, part):
                self.story[members[part != staying[0]]] = next_story
                self.corrected.divided(number, next_story)
                waiting += [number, next_story]
                next_story += 1
        return next_story

    def _are_two(self, members: Ints, part: Ints) -> bool:
        """Say whether the articles of neither part would have joined the other."""
        if np.bincount(part, minlength=2).min() < self.settings.group_least:
            return False
        rows, times = self.rows[members], self.times[members]
        fit = LeaveOneOut.of(part, times, rows, coherence=self.settings.coherence)
        both = fit.log_odds_in(np.arange(2), self.posterior, rows, times)
        elsewhere = both[np.arange(len(part)), 1 - part]
        limit = log_odds(self.settings.delta) + self.settings.split_tolerance
        return max(float(np.median(elsewhere[part == side])) for side in (0, 1)) < limit

    def merge(self, grown: Ints) -> None:
        """Let stories join where they are one, if one of the two grew; the older one stays."""
        rows, times = self.rows, self.times
        fit = LeaveOneOut.of(self.story, times, rows, coherence=self.settings.coherence)
        large = np.flatnonzero(fit.sizes >= self.settings.group_least)
        some = large[np.isin(fit.ids[large], grown)]
        if not len(some) or len(large) < 2:
            return
        there = fit.log_odds_in(some, self.posterior, rows, times)
        medians = np.array([np.median(there[fit.column == column], axis=0) for column in large])
        medians[large[:, None] == some] = -np.inf
        limits = self._limits(fit, large, some)
        number, apart = fit.ids.copy(), self.corrected.kept_apart(self.story)
        for i, j in sorted(np.argwhere(medians >= limits).tolist(), key=lambda at: -medians[*at]):
            one, other = large[i], some[j]
            own = fit.column == other
            back = fit.log_odds_in(np.array([one]), self.posterior, rows[own], times[own])
            if np.median(back) >= limits[i, j]:
                joined = number[[one, other]]
                parts = fit.ids[np.isin(number, joined)].tolist()
                if apart and any((a, b) in apart for a in parts for b in parts):
                    continue
                number[np.isin(number, joined)] = joined.min()
        self.story[:] = number[fit.column]
        self.corrected.joined(dict(zip(fit.ids.tolist(), number.tolist(), strict=True)))

    def _limits(self, fit: LeaveOneOut, some: Ints, others: Ints) -> Floats:
        """Return the log-odds from which stories are joined, two by two."""
        settings, spoken = self.settings, fit.languages()
        apart = ~(spoken[some] @ spoken[others].T)
        margin = np.where(apart, settings.merge_margin_across, settings.merge_margin)
        smaller = np.minimum.outer(fit.sizes[some], fit.sizes[others])
        return joining_limits(settings, smaller, margin)


def joining_limits(settings: CalibratedSettings, smaller: Ints, margin: Floats | float) -> Floats:
    """Return the log-odds from which two stories are joined, by the size of the smaller one."""
    agreeing = (smaller / settings.group_least) ** settings.merge_fading
    return np.asarray(log_odds(settings.delta) + margin / agreeing)


def halves(rows: Features, posterior: PairPosteriors) -> Ints:
    """Divide articles into two parts, 0 and 1, by how alike any two of them are."""
    alike = posterior.pairs(rows)
    np.fill_diagonal(alike, 0)
    one, other = np.unravel_index(alike.argmin(), alike.shape)
    part = (alike[:, other] > alike[:, one]).astype(np.int64)
    part[[one, other]] = 0, 1
    for _ in range(ROUNDS):
        members = np.eye(2)[part]
        mean = alike @ members / np.maximum(members.sum(axis=0) - members, 1)
        moved = (mean[:, 1] > mean[:, 0]).astype(np.int64)
        if np.array_equal(moved, part) or moved.min() == moved.max():
            break
        part = moved
    return part
