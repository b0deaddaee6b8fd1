"""Review: a second look at the window's doubtful articles.

Articles below a confidence are let go, the stories' vectors are taken without them, and each is
assigned anew: to the story it is now most confident in, if that reaches δ; else it stays.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scstory.discovery.assign import Confidence
from scstory.discovery.confidence import compare, confidences
from scstory.discovery.window import UNDECIDED, Window
from scstory.text import TermStatistics


def review(
    window: Window,
    confidence: Confidence,
    *,
    below: float,
    delta: float,
    statistics: TermStatistics,
    lexical: bool,
) -> NDArray[np.int64]:
    """Reassign doubtful articles of the window in one pass; return those that moved."""
    doubtful = np.flatnonzero(window.confidence < below)
    before = window.story.copy()
    window.story[doubtful] = UNDECIDED
    if not len(doubtful) or (window.story == UNDECIDED).all():
        window.story[:] = before
        return np.empty(0, dtype=np.int64)
    views, ids = compare(window, doubtful, window, statistics=statistics, lexical=lexical)
    total, _ = confidences(views, confidence)
    best = total.argmax(axis=1)
    sure = total[np.arange(len(doubtful)), best] >= delta
    window.story[doubtful] = np.where(sure, ids[best], before[doubtful])
    moved: NDArray[np.int64] = doubtful[window.story[doubtful] != before[doubtful]]
    return moved
