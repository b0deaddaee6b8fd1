"""Why articles are where they are, put into words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scstory.discovery.assign import RUNNERS_UP, Decision
from scstory.discovery.confidence import Confidence
from scstory.discovery.lifecycle import indicative
from scstory.discovery.views import Ints
from scstory.discovery.window import Window
from scstory.discovery.within import Standing
from scstory.types import Assignment, RunnerUp


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
        weights=tuple(indicative(window, article).tolist()),
    )


def as_given(
    window: Window, chosen: Ints, standing: Standing, confidence: Confidence
) -> list[Assignment]:
    """Return the stories some of the window's articles have, as decisions with their reasons."""
    own, parts = standing.own(confidence), standing.parts_in_own(confidence)
    everything = np.arange(len(standing.ids))
    elsewhere = confidence.of(
        standing.evidence_in(everything, confidence, standing.rows[chosen], standing.times[chosen])
    )
    founders = {*np.unique(standing.column, return_index=True)[1].tolist()}
    decided = []
    for rated, i in zip(elsewhere, chosen.tolist(), strict=True):
        column = int(standing.column[i])
        best = np.argsort(-rated, kind="stable")[: RUNNERS_UP + 1]
        others = [k for k in best if k != column][:RUNNERS_UP]
        named = zip(confidence.names, parts[:, i].tolist(), strict=True)
        decided.append(
            Assignment(
                window.members[i].article.id,
                int(standing.ids[column]),
                float(own[i]),
                i in founders,
                runners_up=tuple(RunnerUp(int(standing.ids[k]), float(rated[k])) for k in others),
                parts={} if standing.apart and standing.alone[i] else dict(named),
                weights=tuple(indicative(window, i).tolist()),
            )
        )
    return decided
