"""The second look: when a slide is over, articles may move to where they fit clearly better.

An article is compared with its own story as it is without it, and with the stories that grew in the
slide: only those have changed. It moves if another story is better by a margin of evidence, so that
nothing goes to and fro; it founds a story of its own if it fits nowhere by as much. Who has been
all but certain of an article in its story does not look at it again.
"""

from __future__ import annotations

import numpy as np

from scstory.discovery.confidence import Confidence
from scstory.discovery.views import Floats, Ints, Rows
from scstory.discovery.within import Standing

MARGIN = 1.0
"""Evidence, in log-odds, by which another place must be better."""
CERTAIN = 0.999
"""The confidence from which an article that is neither new nor alone is not looked at."""


def second_look(
    story: Ints,
    times: Floats,
    rows: Rows,
    new: Ints,
    confidence: Confidence,
    *,
    delta: float,
    next_story: int,
    looked_at: Ints | None = None,
) -> int:
    """Move articles of a window where they fit better; return the next free story number.

    `story` is changed in place. `new` are the slide's articles. Of the others, only those to be
    `looked_at` can move; all unless given.
    """
    threshold = float(np.log(delta / (1 - delta)))
    looked_at = np.arange(len(story)) if looked_at is None else looked_at
    look = _Look(story, times, rows, new, looked_at, confidence, threshold)
    for place in range(len(look.suspects)):
        next_story = look.decide(place, next_story)
    return next_story


class _Look:
    """The articles that would move if all stayed as it is, the oldest first, and what they find.

    A move changes two stories. What that means for the suspects after it is worked out from these
    two alone, so that a look at a large window does not take its size times the moves.
    """

    def __init__(
        self,
        story: Ints,
        times: Floats,
        rows: Rows,
        new: Ints,
        looked_at: Ints,
        confidence: Confidence,
        threshold: float,
    ) -> None:
        self._story, self._times, self._rows, self._new = story, times, rows, new
        self._confidence, self._threshold = confidence, threshold
        standing = Standing.of(story, times, rows, apart=True)
        grown = np.unique(standing.column[new])
        here = self._evidence_here(standing)[looked_at]
        there = standing.evidence_in(grown, confidence, rows[looked_at], times[looked_at])
        there[standing.column[looked_at][:, None] == grown] = -np.inf
        moves = there.max(axis=1, initial=-np.inf) >= np.maximum(here + MARGIN, threshold)
        leaves = (here < threshold - MARGIN) & ~standing.alone[looked_at]
        suspected = np.flatnonzero(moves | leaves)
        self.suspects: Ints = looked_at[suspected]
        self._here = here[suspected]
        self._there, self._columns = there[suspected], standing.ids[grown]

    def decide(self, place: int, next_story: int) -> int:
        """Move a suspect, or leave it where it is; return the next free story number."""
        here, there = float(self._here[place]), self._there[place]
        if there.max(initial=-np.inf) >= max(here + MARGIN, self._threshold):
            self._move(place, int(self._columns[there.argmax()]))
        elif here < self._threshold - MARGIN:  # which one by itself never is
            self._move(place, next_story)
            next_story += 1
        return next_story

    def _move(self, place: int, to: int) -> None:
        """Move a suspect; see what has changed for those after it."""
        story, i = self._story, self.suspects[place]
        left, story[i] = int(story[i]), to
        after = slice(place + 1, None)
        self._there[after, self._columns == left] = -np.inf
        if to not in self._columns:
            self._columns = np.append(self._columns, to)
            self._there = np.pad(self._there, ((0, 0), (0, 1)), constant_values=-np.inf)
        later = self.suspects[after]
        members = np.flatnonzero((story == left) | (story == to))
        standing = Standing.of(
            story[members], self._times[members], self._rows[members], apart=True
        )
        own = np.flatnonzero(np.isin(later, members))
        here = self._evidence_here(standing)
        self._here[after][own] = here[np.searchsorted(members, later[own])]
        grown = np.flatnonzero(np.isin(standing.ids, story[self._new]))
        there = standing.evidence_in(grown, self._confidence, self._rows[later], self._times[later])
        there[story[later][:, None] == standing.ids[grown]] = -np.inf
        for number, evidence in zip(standing.ids[grown], there.T, strict=True):
            self._there[after, int(np.flatnonzero(self._columns == number)[0])] = evidence

    def _evidence_here(self, standing: Standing) -> Floats:
        """Return the evidence for where articles are; for one by itself, as much as it takes."""
        rated = standing.parts_in_own(self._confidence).sum(axis=0)
        return np.where(standing.alone, self._threshold, rated)
