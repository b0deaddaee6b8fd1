"""Features that a test can make, and the plain matrices they stand for."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from scstory.discovery.calibrated.features import Features, TermIndex
from scstory.text import BUCKETS

PLACES = np.array([0, 7, 4_242, BUCKETS - 1])
"""The buckets that terms fall into."""


def make_rows(rng, count, *, dense=2, fields=2, dim=3):
    """Return random rows, and each of their features as a matrix. Some rows have no terms."""
    vectors = rng.standard_normal((dense, count, dim))
    terms = np.abs(rng.standard_normal((fields, count, len(PLACES))))
    terms[rng.random(terms.shape) < 0.5] = 0
    return from_views([*vectors, *terms], dense=dense, rng=rng)


def from_views(views, *, dense, rng=None):
    """Return rows and the matrices they were made of; terms stand in no order, if by chance."""
    views = [np.asarray(view, dtype=np.float64) for view in views]
    count, fields = len(views[0]), len(views) - dense
    data, indices, ends = [], [], [0]
    for row in range(count):
        stored = [
            (field * BUCKETS + place, views[dense + field][row, k])
            for field in range(fields)
            for k, place in enumerate(PLACES)
            if views[dense + field][row, k]
        ]
        order = rng.permutation(len(stored)) if rng is not None else range(len(stored))
        indices += [stored[k][0] for k in order]
        data += [stored[k][1] for k in order]
        ends.append(len(data))
    parts = np.array(data), np.array(indices, dtype=np.int64), np.array(ends)
    terms = csr_array(parts, shape=(count, fields * BUCKETS))
    return Features(np.stack(views[:dense]), terms, np.zeros(count, dtype=np.int64)), views


def unit(views):
    """Return every row of every view at unit length, or zeros."""
    return [v / np.maximum(np.linalg.norm(v, axis=1, keepdims=True), 1e-12) for v in views]


def products(rows, other):
    """Return the inner products of rows with others, (views, n, m)."""
    dense = rows.dense @ other.dense.transpose(0, 2, 1)
    return np.concatenate([dense, TermIndex(other).products(rows.terms)])


def cosine(one, other, size=1, coherence=0.0):
    """Return the cosine with the sum of `size` vectors, whose mean is not to count as too short."""
    lengths = np.linalg.norm(one) * max(np.linalg.norm(other), size * coherence**0.5)
    return one @ other / lengths if lengths > 1e-12 else 0.0
