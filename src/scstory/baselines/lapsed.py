"""Stories whose articles have left the window, as sums of their vectors or counts."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.linalg import norm

from scstory.baselines.sparse_sums import combine, pack, unpack
from scstory.discovery.window import Floats
from scstory.text import term_counts


class LapsedStories:
    """The sum of the rows that have left the window, and when the newest was published, by story.

    A story with articles in the window as well has only those sums here that have left.
    """

    def __init__(self) -> None:
        self.stories: list[int] = []
        """The last one to lose an article at the end."""
        self.sums = term_counts([])
        self._newest: Floats = np.empty(0)

    def add(self, stories: Sequence[int], rows: csr_array, times: Floats) -> None:
        """Add rows that leave, with their stories and times."""
        # Read backwards, each story stands where its last article to leave does.
        leaving = list(dict.fromkeys(reversed(stories)))[::-1]
        order = [*(story for story in self.stories if story not in leaving), *leaving]
        newest = dict(zip(self.stories, self._newest.tolist(), strict=True))
        for story, time in zip(stories, times.tolist(), strict=True):
            newest[story] = max(newest.get(story, time), time)
        self.sums = combine(belongs([*self.stories, *stories], order), [self.sums, rows])
        self._newest = np.array([newest[story] for story in order])
        self.stories = order

    def keep(self, *, latest: int | None = None, since: float = -np.inf) -> None:
        """Drop all but the latest to leave, and those whose newest article is older than a time."""
        first = 0 if latest is None else max(len(self.stories) - latest, 0)
        kept = first + np.flatnonzero(self._newest[first:] >= since)
        self.stories = [self.stories[row] for row in kept]
        self.sums, self._newest = self.sums[kept], self._newest[kept]

    def cosines(self, rows: csr_array, active: Collection[int]) -> tuple[list[int], Floats]:
        """Return the stories that are not active, and the cosine of each row with each of them."""
        lapsed = [row for row, story in enumerate(self.stories) if story not in active]
        sums = self.sums[lapsed]
        lengths = np.outer(norm(rows, axis=1), norm(sums, axis=1))
        cosines = (rows @ sums.T).toarray() / np.maximum(lengths, 1e-12)
        return [self.stories[row] for row in lapsed], cosines

    def state(self) -> tuple[list[int], dict[str, NDArray[Any]]]:
        """Return the stories, and the rest as arrays."""
        return self.stories, {"newest": self._newest, **pack(self.sums)}

    def restore(self, stories: Sequence[int], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go back to what `state` returned."""
        self.stories, self._newest = list(stories), arrays["newest"]
        self.sums = unpack(arrays)


def belongs(groups: Sequence[int], chosen: Sequence[int]) -> csr_array:
    """Return which member is in which of the chosen groups, a row per group."""
    row = {group: number for number, group in enumerate(chosen)}
    inside = [(row[group], i) for i, group in enumerate(groups) if group in row]
    at = np.array(inside, dtype=np.int64).reshape(-1, 2)
    return csr_array((np.ones(len(at)), (at[:, 0], at[:, 1])), shape=(len(chosen), len(groups)))
