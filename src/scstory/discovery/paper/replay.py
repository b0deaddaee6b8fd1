"""Eq. 7: confidence-aware memory replay, which draws the articles that M learns from.

p(d | S) ∝ conf(d, S)   for d in W, S its story, conf ≥ δ
"""

import numpy as np
from numpy.typing import NDArray


def replay(
    confidence: NDArray[np.float64], *, delta: float, count: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Draw `count` articles, with replacement, in proportion to their confidence.

    Returns their numbers; none at all if no article is confident enough.
    """
    weights = np.where(confidence >= delta, np.maximum(confidence, 0), 0)
    total = weights.sum()
    if total <= 0:
        return np.empty(0, dtype=np.int64)
    return rng.choice(len(confidence), size=count, p=weights / total)
