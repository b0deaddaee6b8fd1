"""Splits: when a slide closes, a story that has become two is divided.

Stories grow article by article, and one doubtful article can lead the articles of another story
in. Each of them then finds its like, and none would leave alone. So a story that grew is divided
into the two parts that are least alike, and the division stands if neither part's articles would
have joined the other part.
"""

import numpy as np

from scstory.discovery.calibrated.features import Features
from scstory.discovery.calibrated.leave_one_out import LeaveOneOut
from scstory.discovery.calibrated.posterior import Posterior, log_odds
from scstory.discovery.calibrated.settings import CalibratedSettings
from scstory.discovery.window import Floats, Ints

ROUNDS = 10


def split_stories(
    story: Ints,
    times: Floats,
    rows: Features,
    grown: Ints,
    posterior: Posterior,
    settings: CalibratedSettings,
    *,
    next_story: int,
) -> int:
    """Divide some stories of a window where they are two; return the next free story number.

    `story` is changed in place: the part without the story's oldest article gets a new number.
    """
    open_ = grown.tolist()
    while open_:
        number = open_.pop(0)
        members = np.flatnonzero(story == number)
        if len(members) < 2 * settings.split_least:
            continue
        own = rows[members]
        part = halves(own, posterior)
        if min(part.sum(), len(part) - part.sum()) < settings.split_least:
            continue
        fit = LeaveOneOut.of(
            part.astype(np.int64), times[members], own, coherence=settings.coherence
        )
        both = fit.log_odds_in(np.arange(2), posterior, own, times[members])
        elsewhere = both[np.arange(len(part)), 1 - part]
        limit = log_odds(settings.delta) + settings.split_tolerance
        if max(np.median(elsewhere[part == side]) for side in (0, 1)) < limit:
            story[members[part != part[0]]] = next_story
            open_ += [number, next_story]
            next_story += 1
    return next_story


def halves(rows: Features, posterior: Posterior) -> Ints:
    """Divide articles into two parts, 0 and 1, by how alike any two of them are."""
    alike = posterior.pairs(rows)
    np.fill_diagonal(alike, 0)
    first = np.unravel_index(alike.argmin(), alike.shape)
    part = (alike[:, first[1]] > alike[:, first[0]]).astype(np.int64)
    part[first[0]], part[first[1]] = 0, 1
    for _ in range(ROUNDS):
        members = np.eye(2)[part]
        others = members.sum(axis=0) - members
        mean = alike @ members / np.maximum(others, 1)
        moved = (mean[:, 1] > mean[:, 0]).astype(np.int64)
        if np.array_equal(moved, part) or moved.min() == moved.max():
            break
        part = moved
    return part
