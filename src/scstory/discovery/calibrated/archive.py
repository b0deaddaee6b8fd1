"""Stories beyond the window, as the sums of their articles' features.

They serve two purposes. A story that resumes after a quiet time is recognised and keeps its number.
And those that ended long before an article show how similar mere look-alikes are.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from scstory.discovery.calibrated.features import Features
from scstory.discovery.calibrated.gaps import spans
from scstory.discovery.calibrated.languages import languages_of, part_numbers, stories_of
from scstory.discovery.calibrated.names import DENSE
from scstory.discovery.calibrated.settings import CalibratedSettings
from scstory.discovery.paper.story_vectors import membership
from scstory.discovery.window import Floats, Ints
from scstory.text import BUCKETS


class Archive:
    """The sum of the articles that left the window, story by story, the latest to leave last."""

    def __init__(
        self, settings: CalibratedSettings, dim: int, features: Sequence[str] | None = None
    ) -> None:
        """Start with nothing. `features` are those of articles, if not those of the settings."""
        self._capacity, self._terms = settings.archive_stories, settings.archive_terms
        features = settings.compared if features is None else features
        dense = sum(name in DENSE for name in features)
        fields = len(features) - dense
        self.ids: Ints = np.empty(0, dtype=np.int64)
        """The parts of stories: their articles in one language (`languages.py`)."""
        self.last: Floats = np.empty(0)
        """When the last article that left was published, in seconds."""
        self.sizes: Floats = np.empty(0)
        """How many articles left."""
        none = np.empty(0, dtype=np.int64)
        self.sums = Features(np.empty((dense, 0, dim)), csr_array((0, fields * BUCKETS)), none)

    def add(self, story: Ints, times: Floats, rows: Features) -> None:
        """Add articles that leave the window. Only their stories are summed anew."""
        story = part_numbers(story, rows.language)
        known = np.isin(self.ids, story)
        there, others = np.flatnonzero(known), np.flatnonzero(~known)
        every = np.concatenate([self.ids[there], story])
        ids, members = membership(every)
        left = np.concatenate([self.sizes[there], np.ones(len(story))])
        last, _ = spans(every, np.concatenate([self.last[there], times]), ids)
        sums = _stacked(self.sums[there], rows).summed(members)
        # In the precision of a checkpoint, so that resuming from one makes no difference.
        dense = sums.dense.astype(np.float32).astype(np.float64)
        heaviest = _heaviest(sums.terms, self._terms)
        sums = _stacked(self.sums[others], Features(dense, heaviest, sums.language))
        ids, last = (
            np.concatenate([self.ids[others], ids]),
            np.concatenate([self.last[others], last]),
        )
        kept = np.lexsort((ids, last))[-self._capacity :]
        self.sizes = np.concatenate([self.sizes[others], members @ left])[kept]
        self.ids, self.last, self.sums = ids[kept], last[kept], sums[kept]

    def rename(self, old: int, new: int) -> None:
        """Count what left of a story as part of another one."""
        for part in self.ids[self.stories == old].tolist():
            self._rename(part, part - old + new)

    def _rename(self, old: int, new: int) -> None:
        self.ids[self.ids == old] = new
        twins = np.flatnonzero(self.ids == new)
        if len(twins) > 1:
            _, members = membership(self.ids[twins])
            sums = self.sums[twins].summed(members)
            others, last = np.flatnonzero(self.ids != new), self.last[twins].max()
            order = np.argsort(np.append(self.last[others], last), kind="stable")
            self.sizes = np.append(self.sizes[others], self.sizes[twins].sum())[order]
            self.ids = np.append(self.ids[others], new)[order]
            self.last = np.append(self.last[others], last)[order]
            dense = sums.dense.astype(np.float32).astype(np.float64)
            whole = Features(dense, _heaviest(sums.terms, self._terms), sums.language)
            self.sums = _stacked(self.sums[others], whole)[order]

    def drop(self, before: float) -> None:
        """Remove stories whose last article is older."""
        kept = np.flatnonzero(self.last >= before)
        if len(kept) < len(self.ids):
            self.ids, self.last, self.sizes = self.ids[kept], self.last[kept], self.sizes[kept]
            self.sums = self.sums[kept]

    @property
    def stories(self) -> Ints:
        """The story of each part."""
        return stories_of(self.ids)

    @property
    def full(self) -> bool:
        """Whether older stories had to make room for later ones."""
        return len(self.ids) == self._capacity

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the sums."""
        return {
            "ids": self.ids,
            "last": self.last,
            "sizes": self.sizes,
            "dense": self.sums.dense.astype(np.float32),
            "terms.data": self.sums.terms.data.astype(np.float32),
            "terms.indices": self.sums.terms.indices.astype(np.int32),
            "terms.indptr": self.sums.terms.indptr.astype(np.int32),
        }

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go back to what `state` returned."""
        parts = tuple(state[f"terms.{name}"] for name in ("data", "indices", "indptr"))
        shape = (len(state["ids"]), self.sums.terms.shape[1])
        terms = csr_array((parts[0].astype(np.float64), *parts[1:]), shape=shape)
        self.ids, self.last = state["ids"].copy(), state["last"].copy()
        self.sizes = state["sizes"].copy()
        self.sums = Features(state["dense"].astype(np.float64), terms, languages_of(self.ids))


def _stacked(above: Features, below: Features) -> Features:
    return Features(
        np.concatenate([above.dense, below.dense], axis=1),
        csr_array(vstack([above.terms, below.terms])),
        np.concatenate([above.language, below.language]),
    )


def _heaviest(terms: csr_array, count: int) -> csr_array:
    """Return the terms of each row and field with the highest weights, in single precision."""
    rows = np.repeat(np.arange(terms.shape[0]), np.diff(terms.indptr))
    group = rows * (terms.shape[1] // BUCKETS + 1) + terms.indices // BUCKETS
    order = np.lexsort((terms.indices, -terms.data, group))
    _, starts, counts = np.unique(group[order], return_index=True, return_counts=True)
    rank = np.arange(len(order)) - np.repeat(starts, counts)
    kept = np.sort(order[rank < count])
    data = terms.data[kept].astype(np.float32).astype(np.float64)
    ends = np.concatenate([[0], np.cumsum(np.bincount(rows[kept], minlength=terms.shape[0]))])
    return csr_array((data, terms.indices[kept], ends), shape=terms.shape)
