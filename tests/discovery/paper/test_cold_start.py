"""Cold start: spherical k-means."""

import numpy as np
import pytest

from scstory.discovery.paper.cold_start import seed_stories, spherical_kmeans


def bundles(count, size, dim=16, noise=0.05, seed=0):
    rng = np.random.default_rng(seed)
    centres = np.linalg.qr(rng.standard_normal((dim, dim)))[0][:count]
    points = np.repeat(centres, size, axis=0) + noise * rng.standard_normal((count * size, dim))
    return points.astype(np.float32)


def test_finds_well_separated_bundles():
    labels = seed_stories(bundles(3, 8), seed_size=8, rng=np.random.default_rng(0))
    assert labels.tolist() == [0] * 8 + [1] * 8 + [2] * 8


@pytest.mark.parametrize(("count", "k"), [(1, 1), (7, 1), (8, 1), (15, 1), (16, 2), (40, 5)])
def test_number_of_clusters(count, k):
    vectors = np.random.default_rng(1).standard_normal((count, 16)).astype(np.float32)
    labels = seed_stories(vectors, seed_size=8, rng=np.random.default_rng(0))
    assert 1 <= labels.max() + 1 <= k


def test_length_of_vectors_does_not_matter():
    points = bundles(2, 8)
    scaled = points * np.linspace(0.1, 50, 16, dtype=np.float32)[:, None]
    first = seed_stories(points, seed_size=8, rng=np.random.default_rng(0))
    second = seed_stories(scaled, seed_size=8, rng=np.random.default_rng(0))
    assert first.tolist() == second.tolist()


def test_identical_articles_and_zero_vectors_are_survived():
    same = np.ones((20, 4), dtype=np.float32)
    for vectors in (same, np.zeros_like(same)):
        labels = seed_stories(vectors, seed_size=4, rng=np.random.default_rng(0))
        assert set(labels) == {0}


def test_every_round_improves_until_nothing_moves():
    points = bundles(4, 10, noise=0.4).astype(np.float64)
    unit = points / np.linalg.norm(points, axis=1, keepdims=True)
    labels = spherical_kmeans(unit, 4, rng=np.random.default_rng(0))
    sums = np.array([unit[labels == k].sum(axis=0) for k in range(4)])
    centres = sums / np.linalg.norm(sums, axis=1, keepdims=True)
    assert ((unit @ centres.T).argmax(axis=1) == labels).all()
