"""Why articles are where they are, put into words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scstory.discovery.assign import Confidence, Decision, View
from scstory.discovery.confidence import confidences
from scstory.discovery.window import Window
from scstory.types import Assignment, RunnerUp

RUNNERS_UP = 3


def assignment_of(
    window: Window, article: int, decision: Decision, numbers: Sequence[int]
) -> Assignment:
    """Return a decision on an article of a window, its stories by their numbers."""
    return Assignment(
        window.members[article].article.id,
        numbers[decision.story],
        decision.confidence,
        decision.new,
        runners_up=tuple(RunnerUp(numbers[k], conf) for k, conf in decision.runners_up),
        parts=decision.parts,
        weights=tuple(window.pooling[article].tolist()),
    )


def as_given(
    window: Window, views: Sequence[View], ids: NDArray[np.int64], confidence: Confidence
) -> list[Assignment]:
    """Return the stories the window's articles have, as decisions with their reasons."""
    total, parts = confidences(views, confidence)
    decided: list[Assignment] = []
    known: set[int] = set()
    for i, member in enumerate(window.members):
        own = int(np.searchsorted(ids, window.story[i]))
        others = [k for k in np.argsort(-total[i], kind="stable") if k != own][:RUNNERS_UP]
        decided.append(
            Assignment(
                member.article.id,
                int(ids[own]),
                float(total[i, own]),
                own not in known,
                runners_up=tuple(RunnerUp(int(ids[k]), float(total[i, k])) for k in others),
                parts={v.name: float(p[i, own]) for v, p in zip(views, parts, strict=True)},
                weights=tuple(window.pooling[i].tolist()),
            )
        )
        known.add(own)
    return decided
