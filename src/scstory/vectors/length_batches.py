"""Batches of sentences that have the same number of tokens.

Equal lengths need no padding. That saves the work that padding costs, and it makes a vector
independent of its neighbours: padding changes the order of summation, and so the last bits.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence


def length_batches(lengths: Sequence[int], rows: Callable[[int], int]) -> Iterator[list[int]]:
    """Yield indices of equal length, the longest first, at most `rows(length)` at a time.

    >>> list(length_batches([3, 1, 3, 3], rows=lambda length: 2))
    [[0, 2], [3], [1]]
    """
    of_length: dict[int, list[int]] = defaultdict(list)
    for index, length in enumerate(lengths):
        of_length[length].append(index)
    for length in sorted(of_length, reverse=True):
        size, chosen = rows(length), of_length[length]
        for start in range(0, len(chosen), size):
            yield chosen[start : start + size]
