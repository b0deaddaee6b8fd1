"""Review: a second look at the window's doubtful articles.

Articles below a confidence are released, the stories' vectors are taken without them, and they are
assigned anew, as if they had just come. A story that was released whole keeps its number.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from scstory.discovery.assign import Confidence, View, assign
from scstory.discovery.window import UNDECIDED, Window

Ints = NDArray[np.int64]


def review(
    window: Window,
    compare: Callable[[Ints], tuple[list[View], Ints]],
    confidence: Confidence,
    *,
    below: float,
    delta: float,
    frozen: bool,
    next_story: int,
) -> tuple[int, bool]:
    """Go once over the doubtful articles; return the next free number and whether any moved."""
    doubtful = np.flatnonzero(window.confidence < below)
    if not len(doubtful):
        return next_story, False
    was = window.story[doubtful].tolist()
    window.story[doubtful] = UNDECIDED
    views, ids = compare(doubtful)
    numbers: list[int] = ids.tolist()
    used = set(numbers)
    decisions = assign(views, confidence, delta=delta, frozen=frozen)
    for i, old, decision in zip(doubtful, was, decisions, strict=True):
        if decision.new:
            number = next_story if old in used else old
            next_story = max(next_story, number + 1)
            numbers.append(number)
            used.add(number)
        window.story[i] = numbers[decision.story]
    return next_story, window.story[doubtful].tolist() != was
