"""The running mean of the stream's sentence vectors.

Sentence vectors of one language share a large common component that tells nothing of the story.
The mean of the past is subtracted before M sees a sentence. It starts at zero and counts as if
`PRIOR` sentences of no direction had been seen, so that the first few articles are not compared
by what little differs between them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scstory.types import Vectors

PRIOR = 500


class RunningMean:
    """Mean of all sentence vectors so far, shrunk towards zero while there are few."""

    def __init__(self, dim: int) -> None:
        self.total: NDArray[np.float64] = np.zeros(dim)
        self.count = 0

    def update(self, vectors: Vectors) -> None:
        """Count sentences that have been decided on."""
        self.total += vectors.sum(axis=0, dtype=np.float64)
        self.count += len(vectors)

    def value(self) -> Vectors:
        """Return the mean."""
        return (self.total / (self.count + PRIOR)).astype(np.float32)
