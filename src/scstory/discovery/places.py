"""Places in two dimensions, similar vectors near each other. Equal data, equal places."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

MIN_TSNE = 8
"""With fewer vectors, their principal directions are shown instead of t-SNE."""


def place(vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return a place for each vector: t-SNE that starts from the principal directions."""
    wide = vectors.astype(np.float64)
    wide /= np.maximum(np.linalg.norm(wide, axis=1, keepdims=True), 1e-12)
    points = _principal(wide)
    if len(wide) >= MIN_TSNE:
        begin = points / max(float(points[:, 0].std()), 1e-12) * 1e-4
        points = load_tsne()(
            perplexity=min(15.0, (len(wide) - 1) / 3),
            init=begin.astype(np.float32),
            learning_rate="auto",
            method="exact" if len(wide) < 200 else "barnes_hut",
            max_iter=500,
            random_state=0,
            n_jobs=1,
        ).fit_transform(wide)
    points = points - (points.max(axis=0) + points.min(axis=0)) / 2
    scaled: NDArray[np.float64] = points / max(float(np.abs(points).max()), 1e-12)
    return scaled


def load_tsne() -> Any:
    """Return scikit-learn's t-SNE, which takes a second and 50 MB to load."""
    from sklearn.manifold import TSNE

    return TSNE


def _principal(wide: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the two principal directions, each with its largest component positive."""
    centred = wide - wide.mean(axis=0)
    left, size, _ = np.linalg.svd(centred, full_matrices=False)
    points = np.zeros((len(wide), 2))
    known = min(2, len(size))
    points[:, :known] = left[:, :known] * size[:known]
    largest = np.abs(points).argmax(axis=0)
    signs = np.sign(points[largest, [0, 1]])
    return points * np.where(signs == 0, 1.0, signs)
