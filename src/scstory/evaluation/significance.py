"""Whether two systems differ on a stream: a paired bootstrap over its windows.

Both systems are scored on the same windows, so the differences are resampled, one for each window.
Windows overlap: a window of 7 days that is slid by a day shares most articles with the next one,
and scores of neighbours are far from independent. Resampling single windows would make intervals
much too narrow. So blocks of consecutive windows are drawn (the moving-block bootstrap), each as
long as two windows: windows that are one length apart have no article in common. Blocks wrap
around from the last window to the first, so that every window is drawn equally often.

A stream has room for few blocks, and quantiles of resamples are too narrow then. They are widened
as for the mean of k blocks: by √(k / (k − 1)), and by Student's t instead of the normal. Where days
are independent and windows have 7 days, 93 to 94 of 100 such intervals of 70 to 360 windows contain
the truth (600 simulated streams each), and 79 to 89 of 100 with blocks of one window and without
widening.

The interval says how much the difference depends on which weeks the stream happens to have. It
says nothing about other streams or about seeds, whose mean is taken first, and is not corrected for
the number of systems compared.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

RESAMPLES = 10_000
LEVEL = 0.95
SEED = 0
BLOCK_WINDOWS = 2
"""The length of a block, in lengths of the window."""
MIN_BLOCKS = 5
"""Blocks that a stream must have room for; an interval from fewer would mean little."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The mean difference of two systems over windows, with its 95 % interval."""

    mean: float
    interval: tuple[float, float] | None
    """None if the stream is too short for one."""
    block: int
    """Consecutive windows that are drawn together."""

    @property
    def significant(self) -> bool:
        """Whether there is an interval, and zero is not in it."""
        return self.interval is not None and not self.interval[0] <= 0 <= self.interval[1]


def block_length(window: timedelta, slide: timedelta) -> int:
    """Return how many consecutive windows a block has.

    Windows that are scored are at least a slide apart.

    >>> block_length(timedelta(days=7), timedelta(days=1))
    14
    """
    return BLOCK_WINDOWS * math.ceil(window / slide)


def compare(ours: Sequence[float], theirs: Sequence[float], *, block: int) -> Difference:
    """Return by how much our scores are higher than theirs on the same windows."""
    if len(ours) != len(theirs):
        raise ValueError(f"{len(ours)} windows against {len(theirs)}")
    differences = np.array(ours, dtype=np.float64) - np.array(theirs, dtype=np.float64)
    mean = float(differences.mean())
    if len(differences) < MIN_BLOCKS * block:
        return Difference(mean, None, block)
    means = block_bootstrap(differences, block, np.random.default_rng(SEED))
    tails = [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
    low, high = mean + widening(len(differences) / block) * (np.quantile(means, tails) - mean)
    return Difference(mean, (float(low), float(high)), block)


def widening(blocks: float) -> float:
    """Return by how much quantiles of resamples of so many blocks are too narrow.

    >>> round(widening(5), 3), round(widening(1000), 3)
    (1.584, 1.002)
    """
    upper = (1 + LEVEL) / 2
    student, normal = stdtrit(blocks - 1, upper), ndtri(upper)
    return float(math.sqrt(blocks / (blocks - 1)) * student / normal)


def block_bootstrap(
    values: NDArray[np.float64], block: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return the means of resamples, each of as many values as there are, drawn in blocks.

    The last block of a resample is cut where the resample is full.
    """
    count = len(values)
    sums = np.cumsum(np.concatenate([[0.0], values, values[:block]]))
    totals = np.zeros(RESAMPLES)
    for drawn in range(0, count, block):
        starts = rng.integers(count, size=RESAMPLES)
        totals += sums[starts + min(block, count - drawn)] - sums[starts]
    return totals / count
