"""Sentences of one token length together: no padding, no neighbours that matter."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from scstory.types import Vectors


def batches(lengths: Sequence[int], rows: Callable[[int], int]) -> Iterator[list[int]]:
    """Yield indices of equal length, the longest first, at most `rows(length)` at a time.

    Equal lengths need no padding. That saves the work padding costs, and it is what makes a
    vector independent of its neighbours: padded positions change the order of summation, and
    with it the last bits.

    >>> list(batches([3, 1, 3, 3], rows=lambda length: 2))
    [[0, 2], [3], [1]]
    """
    alike: dict[int, list[int]] = defaultdict(list)
    for index, length in enumerate(lengths):
        alike[length].append(index)
    for length in sorted(alike, reverse=True):
        size, chosen = rows(length), alike[length]
        for start in range(0, len(chosen), size):
            yield chosen[start : start + size]


def by_length(
    lengths: Sequence[int], run: Callable[[list[int]], Vectors], *, dim: int, batch: int
) -> Vectors:
    """Call `run` on batches of equal length; gather the rows in the given order."""
    out = np.empty((len(lengths), dim), dtype=np.float32)
    for chosen in batches(lengths, lambda length: batch):
        out[chosen] = run(chosen)
    return out
