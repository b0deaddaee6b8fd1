"""Eq. 8: prioritized augmentation, which makes a new article out of two of one story.

    p-aug(d_i, d_j) = [top half of d_i | bottom half of d_j]

The sentences of each article are ranked by the attention they receive. The new article contains
what is indicative of the story and what is not, in a mixture that no real article has.
"""

import numpy as np
from numpy.typing import NDArray

from scstory.discovery.window import Ints


def draw_pairs(story: Ints, *, count: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Draw pairs of different articles of one story; stories of two or more, uniformly."""
    order = np.argsort(story, kind="stable")
    _, starts, sizes = np.unique(story[order], return_index=True, return_counts=True)
    usable = np.flatnonzero(sizes >= 2)
    if not len(usable):
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    chosen = usable[rng.integers(len(usable), size=count)]
    size = sizes[chosen]
    first = rng.integers(size)
    second = (first + 1 + rng.integers(size - 1)) % size
    return order[starts[chosen] + first], order[starts[chosen] + second]


def rank_rows(rows: Ints, importance: NDArray[np.float32]) -> Ints:
    """Reorder each article's sentence rows by falling importance; -1, no sentence, stays last."""
    keys = np.where(rows >= 0, -importance, np.inf)
    return np.take_along_axis(rows, np.argsort(keys, axis=1, kind="stable"), axis=1)


def mix(first: Ints, second: Ints, *, max_sentences: int) -> Ints:
    """Join the top half of `first` and the bottom half of `second`, both ranked, row by row.

    An odd sentence in the middle counts as top, so that no result is empty.
    """
    first_length = (first >= 0).sum(axis=1, keepdims=True)
    second_length = (second >= 0).sum(axis=1, keepdims=True)
    top, skipped = (first_length + 1) // 2, (second_length + 1) // 2
    length = np.minimum(top + second_length - skipped, max_sentences)
    column = np.arange(length.max(initial=0))
    from_first = np.take_along_axis(first, np.minimum(column, first.shape[1] - 1)[None, :], axis=1)
    position = np.clip(column - top + skipped, 0, second.shape[1] - 1)
    from_second = np.take_along_axis(second, position, axis=1)
    mixed = np.where(column < top, from_first, from_second)
    return np.where(column < length, mixed, -1)
