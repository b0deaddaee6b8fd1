"""The running mean of the stream's sentence vectors, which is subtracted from each of them.

Sentence vectors of one language share a large common component that tells nothing of the story. The
mean starts at zero and counts as if a number of zero vectors had been seen first, so that the first
few articles are not compared by what little differs between them.
"""

import numpy as np
from numpy.typing import NDArray

from scstory.types import Vectors


class RunningMean:
    """Mean of all sentence vectors so far, shrunk towards zero while there are few."""

    def __init__(self, dim: int, prior: int) -> None:
        self.total: NDArray[np.float64] = np.zeros(dim)
        self.count = 0
        self._prior = prior

    def update(self, vectors: Vectors) -> None:
        """Count the sentences of an article."""
        self.total += vectors.sum(axis=0, dtype=np.float64)
        self.count += len(vectors)

    def value(self) -> Vectors:
        """Return the mean."""
        return (self.total / max(self.count + self._prior, 1)).astype(np.float32)
