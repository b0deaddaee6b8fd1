"""Eq. 9: the training samples B, replayed articles and augmented ones with their stories.

B = {(d, S): d ∈ W, d ~ p(d | S)} ∪ {(p-aug(d_i, d_j), S): d_i, d_j ∈ S ∩ W}
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scstory.discovery.paper.augmentation import draw_pairs, mix, rank_rows
from scstory.discovery.paper.replay import replay
from scstory.discovery.paper.settings import Augmentation
from scstory.discovery.window import Ints, Window


@dataclass(frozen=True, slots=True)
class Samples:
    """Articles to learn from, each once."""

    rows: Ints
    """The sentences of each one, as rows of the window's sentences; -1 where there is none."""
    target: Ints
    """The column of its story."""
    dropped: NDArray[np.bool_]
    """Whether some of its features are to be dropped."""
    times: NDArray[np.float32]
    """How often it was drawn."""


@dataclass(frozen=True, slots=True)
class Sampler:
    """Draws training samples from the rows of a window.

    `replay_from` is the confidence from which an article is replayed; `fresh`, where it is given,
    replaces the memory: only these rows are replayed, drawn uniformly. `placed` are rows that a
    person placed, which are in every batch.
    """

    count: int
    replay_from: float
    max_sentences: int
    augmentation: Augmentation = "attention"
    fresh: Ints | None = None
    placed: Ints | None = None

    def draw(self, window: Window, column: Ints, scope: Ints, rng: np.random.Generator) -> Samples:
        """Return as many replayed as augmented articles, drawn from the rows in `scope`."""
        if self.fresh is None:
            confidence = window.confidence[scope]
            replayed = scope[replay(confidence, delta=self.replay_from, count=self.count, rng=rng)]
        else:
            fresh = self.fresh
            replayed = fresh[rng.integers(len(fresh), size=self.count)] if len(fresh) else fresh
        if self.placed is not None and len(self.placed):
            replayed = np.concatenate([replayed, self.placed])
        pairs = 0 if self.augmentation == "none" else self.count
        first, second = (scope[pair] for pair in draw_pairs(column[scope], count=pairs, rng=rng))
        drop = self.augmentation == "dropout"
        if drop:
            augmented = window.sentence_table(first)
        else:
            importance = self._importance(window, rng)
            tables = (window.sentence_table(pair) for pair in (first, second))
            ranked = [rank_rows(table, importance[table]) for table in tables]
            augmented = mix(*ranked, max_sentences=self.max_sentences)
        rows = _stack(window.sentence_table(replayed), augmented)
        dropped = np.repeat([False, drop], [len(replayed), len(first)])
        return _distinct(rows, np.concatenate([column[replayed], column[first]]), dropped)

    def _importance(self, window: Window, rng: np.random.Generator) -> NDArray[np.float32]:
        """Return by what sentences are ranked."""
        if self.augmentation == "shuffle":
            return rng.random(len(window["received"]), dtype=np.float32)
        return window["pooling" if self.augmentation == "pooling" else "received"]


def _distinct(rows: Ints, target: Ints, dropped: NDArray[np.bool_]) -> Samples:
    """Return each article once: drawing with replacement repeats them, M need not.

    Articles whose features are to be dropped differ each time and stay as they are.
    """
    kept = np.flatnonzero(dropped)
    plain = np.flatnonzero(~dropped)
    _, first, counts = np.unique(rows[plain], axis=0, return_index=True, return_counts=True)
    chosen = np.concatenate([plain[first], kept])
    times = np.concatenate([counts, np.ones(len(kept))]).astype(np.float32)
    return Samples(rows[chosen], target[chosen], dropped[chosen], times)


def _stack(above: Ints, below: Ints) -> Ints:
    width = max(above.shape[1], below.shape[1])
    return np.concatenate(
        [
            np.pad(table, ((0, 0), (0, width - table.shape[1])), constant_values=-1)
            for table in (above, below)
        ]
    )
