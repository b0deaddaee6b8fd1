"""The time between an article and a story."""

from typing import Any, NamedTuple, Self

import numpy as np

from scstory.discovery.window import Floats, Ints


class Gaps(NamedTuple):
    """Seconds from an article to the nearer and to the farther end of a story's time span."""

    near: Floats
    far: Floats

    @classmethod
    def between(cls, time: Any, newest: Floats, oldest: Floats) -> Self:
        """Return the gaps between times and stories that last from `oldest` to `newest`."""
        after, before = time - newest, oldest - time
        return cls(np.maximum(np.maximum(after, before), 0), np.maximum(-before, -after))


def spans(story: Ints, times: Floats, ids: Ints) -> tuple[Floats, Floats]:
    """Return the times of the newest and of the oldest article of each story."""
    newest, oldest = np.full(len(ids), -np.inf), np.full(len(ids), np.inf)
    column = np.searchsorted(ids, story)
    np.maximum.at(newest, column, times)
    np.minimum.at(oldest, column, times)
    return newest, oldest
