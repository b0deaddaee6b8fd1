"""The second look: when a slide is over, articles may move to where they fit clearly better.

An article is compared with its own story as it is without it, and with the stories that grew in the
slide: only those have changed. It moves if another story is better by a margin of evidence, so that
nothing goes to and fro; it founds a story of its own if it fits nowhere by as much.
"""

from __future__ import annotations

import numpy as np

from scstory.discovery.confidence import Confidence
from scstory.discovery.views import Floats, Ints, Rows
from scstory.discovery.within import Standing

MARGIN = 1.0
"""Evidence, in log-odds, by which another place must be better."""


def second_look(
    story: Ints,
    times: Floats,
    rows: Rows,
    new: Ints,
    confidence: Confidence,
    *,
    delta: float,
    next_story: int,
) -> int:
    """Move articles of a window where they fit better; return the next free story number.

    `story` is changed in place. `new` are the slide's articles.
    """
    threshold = float(np.log(delta / (1 - delta)))
    everything = np.arange(len(story))
    for i in _suspects(story, times, rows, new, confidence, threshold, everything):
        standing = Standing.of(story, times, rows, apart=True)
        grown = np.unique(np.append(standing.column[new], standing.column[i]))
        elsewhere = grown[grown != standing.column[i]]
        here = _here(standing, confidence, threshold, np.array([i]))[0]
        there = standing.parts_in(elsewhere, confidence, np.array([i])).sum(axis=0)[0]
        best = float(there.max(initial=-np.inf))
        if best >= max(here + MARGIN, threshold):
            story[i] = standing.ids[elsewhere[int(there.argmax())]]
        elif here < threshold - MARGIN and not standing.alone[i]:
            story[i] = next_story
            next_story += 1
    return next_story


def _suspects(
    story: Ints,
    times: Floats,
    rows: Rows,
    new: Ints,
    confidence: Confidence,
    threshold: float,
    everything: Ints,
) -> Ints:
    """Return the articles that would move if all stayed as it is, the oldest first."""
    standing = Standing.of(story, times, rows, apart=True)
    grown = np.unique(standing.column[new])
    here = _here(standing, confidence, threshold, everything)
    there = standing.parts_in(grown, confidence, everything).sum(axis=0)
    there[standing.column[:, None] == grown] = -np.inf
    best = there.max(axis=1, initial=-np.inf)
    leave = (here < threshold - MARGIN) & ~standing.alone
    return np.flatnonzero((best >= np.maximum(here + MARGIN, threshold)) | leave)


def _here(standing: Standing, confidence: Confidence, threshold: float, chosen: Ints) -> Floats:
    """Return the evidence for where articles are; for one by itself, as much as it takes."""
    rated = standing.parts_in_own(confidence).sum(axis=0)[chosen]
    return np.where(standing.alone[chosen], threshold, rated)
