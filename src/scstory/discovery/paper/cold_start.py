"""Cold start: the stories of the first window, found by spherical k-means."""

import numpy as np
from numpy.typing import NDArray

MAX_ROUNDS = 100


def seed_stories(
    vectors: NDArray[np.float32], *, seed_size: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return a cluster number for every article: k = max(1, ⌊n / seed_size⌋) clusters.

    Clusters are numbered in the order of their first article, and none is empty.
    """
    unit = _unit(vectors.astype(np.float64))
    k = max(1, len(unit) // seed_size)
    return _in_order_of_appearance(spherical_kmeans(unit, k, rng=rng))


def spherical_kmeans(
    unit: NDArray[np.float64], k: int, *, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Cluster unit vectors by cosine, from k-means++ seeds, until nothing moves."""
    from sklearn.cluster import kmeans_plusplus

    seed = int(rng.integers(2**31))
    centres, _ = kmeans_plusplus(unit, k, random_state=seed)
    labels = np.full(len(unit), -1)
    for _ in range(MAX_ROUNDS):
        moved = (unit @ centres.T).argmax(axis=1)
        if (moved == labels).all():
            break
        labels = moved
        sums = np.zeros_like(centres)
        np.add.at(sums, labels, unit)
        # A cluster that lost its last article keeps its centre and may win some back.
        filled = np.bincount(labels, minlength=k) > 0
        centres[filled] = _unit(sums[filled])
    return labels


def _unit(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-12))


def _in_order_of_appearance(labels: NDArray[np.int64]) -> NDArray[np.int64]:
    _, first, compact = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))
    return rank[compact]
