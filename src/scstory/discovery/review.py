"""Review: a second look at the window's doubtful articles.

Articles below a confidence are released, the stories' vectors are taken without them, and they are
assigned anew, as if they had just come. A story that was released whole keeps its number. From then
on an article's confidence is that in the story without the released ones: what it was assigned
with, 1 if it founded one, and for the others how they stand among themselves.
"""

from __future__ import annotations

import numpy as np

from scstory.discovery.assign import Stories, assign, candidates
from scstory.discovery.confidence import Confidence
from scstory.discovery.slide import spans
from scstory.discovery.views import Floats, Ints, Rows, membership, sizes_of
from scstory.discovery.window import UNDECIDED
from scstory.discovery.within import Standing


def review(
    story: Ints,
    rated: Floats,
    times: Floats,
    rows: Rows,
    confidence: Confidence,
    *,
    below: float,
    delta: float,
    frozen: bool,
    next_story: int,
) -> tuple[int, bool]:
    """Go once over the doubtful articles; return the next free number and whether there were any.

    `story` and `rated`, every article's confidence, are changed in place.
    """
    doubtful = np.flatnonzero(rated < below)
    if not len(doubtful):
        return next_story, False
    was = story[doubtful].tolist()
    story[doubtful] = UNDECIDED
    ids, belongs = membership(story)
    certain = story != UNDECIDED
    core = np.flatnonzero(certain)
    standing = Standing.of(story[core], times[core], rows[core], apart=False)
    rated[core] = standing.own(confidence)
    stories = Stories(
        rows.summed(belongs), sizes_of(belongs), *spans(story[certain], times[certain], ids)
    )
    released = candidates(rows[doubtful], times[doubtful].tolist())
    decisions = assign(released, stories, confidence, delta=delta, frozen=frozen)
    numbers: list[int] = ids.tolist()
    used = set(numbers)
    for i, old, decision in zip(doubtful, was, decisions, strict=True):
        if decision.new:
            number = next_story if old in used else old
            next_story = max(next_story, number + 1)
            numbers.append(number)
            used.add(number)
        story[i], rated[i] = numbers[decision.story], decision.confidence
    return next_story, True
