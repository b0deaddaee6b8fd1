"""Stories beyond the window: what their articles were like, for a while and in outline.

They serve twice. A story that resumes after a quiet time is recognised and keeps its number. And
those that were over long before an article came show how similar mere look-alikes are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from scstory.discovery.views import Ints, Rows, membership
from scstory.text import BUCKETS
from scstory.types import Story

CAPACITY = 2000
"""Stories that are kept at most, the latest to lose an article."""
TERMS = 512
"""Terms that are kept of a story in each field, the weightiest. With far fewer, look-alikes would
seem less alike than they are: what they share are not the weightiest terms."""


class Archive:
    """The sum of the articles that left the window, story by story, the latest to leave last."""

    def __init__(self, views: int, fields: int, dim: int) -> None:
        self.ids: Ints = np.empty(0, dtype=np.int64)
        self.last: NDArray[np.float64] = np.empty(0)
        """When the last article that left was published, in seconds."""
        self.sizes: NDArray[np.float64] = np.empty(0)
        """How many articles left."""
        self.rows = Rows(np.empty((views, 0, dim)), csr_array((0, fields * BUCKETS)))
        self.told: dict[int, Story] = {}
        """What was told of the stories that are over."""

    def add(self, story: Ints, times: NDArray[np.float64], rows: Rows) -> None:
        """Take in articles that leave the window."""
        every = np.concatenate([self.ids, story])
        ids, belongs = membership(every)
        left = np.concatenate([self.sizes, np.ones(len(story))])
        last = np.full(len(ids), -np.inf)
        np.maximum.at(last, np.searchsorted(ids, every), np.concatenate([self.last, times]))
        both = Rows(
            np.concatenate([self.rows.dense, rows.dense], axis=1),
            csr_array(vstack([self.rows.terms, rows.terms])),
        )
        sums = both.summed(belongs)
        kept = np.lexsort((ids, last))[-CAPACITY:]
        # As a checkpoint keeps them, so that going on from one makes no difference.
        dense = sums.dense[:, kept].astype(np.float32).astype(np.float64)
        self.ids, self.last, self.sizes = ids[kept], last[kept], (belongs @ left)[kept]
        self.rows = Rows(dense, _weightiest(csr_array(sums.terms[kept])))
        self._forget()

    def drop(self, before: float) -> None:
        """Forget stories whose last article is older."""
        kept = np.flatnonzero(self.last >= before)
        if len(kept) < len(self.ids):
            self.ids, self.last, self.sizes = self.ids[kept], self.last[kept], self.sizes[kept]
            self.rows = self.rows[kept]
            self._forget()

    def _forget(self) -> None:
        held = set(self.ids.tolist())
        self.told = {story: told for story, told in self.told.items() if story in held}

    def tell(self, story: Story) -> None:
        """Remember what was told of a story that is over."""
        if story.id in set(self.ids.tolist()):
            self.told[story.id] = story

    @property
    def full(self) -> bool:
        """Whether older stories had to go for later ones."""
        return len(self.ids) == CAPACITY

    def over(self, active: Sequence[int]) -> NDArray[np.bool_]:
        """Say which stories have no article in the window and could be taken up again."""
        return ~np.isin(self.ids, active) & np.isin(self.ids, list(self.told))

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the sums."""
        return {
            "ids": self.ids,
            "last": self.last,
            "sizes": self.sizes,
            "dense": self.rows.dense.astype(np.float32),
            "terms.data": self.rows.terms.data.astype(np.float32),
            "terms.indices": self.rows.terms.indices.astype(np.int32),
            "terms.indptr": self.rows.terms.indptr.astype(np.int32),
        }

    def restore(self, state: Mapping[str, NDArray[Any]], told: Mapping[int, Story]) -> None:
        """Go back to what `state` returned, and to what was told."""
        parts = tuple(state[f"terms.{name}"] for name in ("data", "indices", "indptr"))
        shape = (len(state["ids"]), self.rows.terms.shape[1])
        terms = csr_array((parts[0].astype(np.float64), *parts[1:]), shape=shape)
        self.ids, self.last = state["ids"].copy(), state["last"].copy()
        self.sizes = state["sizes"].copy()
        self.rows = Rows(state["dense"].astype(np.float64), terms)
        self.told = dict(told)


def _weightiest(terms: csr_array) -> csr_array:
    """Return the terms of each row and field that weigh most, in single precision."""
    rows = np.repeat(np.arange(terms.shape[0]), np.diff(terms.indptr))
    group = rows * (terms.shape[1] // BUCKETS + 1) + terms.indices // BUCKETS
    order = np.lexsort((terms.indices, -terms.data, group))
    _, starts, counts = np.unique(group[order], return_index=True, return_counts=True)
    rank = np.arange(len(order)) - np.repeat(starts, counts)
    kept = np.sort(order[rank < TERMS])
    data = terms.data[kept].astype(np.float32).astype(np.float64)
    ends = np.concatenate([[0], np.cumsum(np.bincount(rows[kept], minlength=terms.shape[0]))])
    return csr_array((data, terms.indices[kept], ends), shape=terms.shape)
