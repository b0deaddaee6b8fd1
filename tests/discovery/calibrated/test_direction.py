"""What each feature counts for, worked out by hand."""

import numpy as np
import pytest

from scstory.discovery.calibrated.direction import Direction, Pairs

DIRECTION = Direction(np.array([0.6, 0.5]), np.array([0.2, 0.1]), np.diag([0.04, 0.01]))


def pairs(*rows, weights=None):
    rows = np.array(rows, float).reshape(-1, 2)
    return Pairs(rows, np.ones(len(rows)) if weights is None else np.array(weights))


def test_weights_are_those_of_a_linear_discriminant():
    """Without correlation: the distance of the means by the variance."""
    np.testing.assert_allclose(DIRECTION.weights, [0.4 / 0.04, 0.4 / 0.01])
    np.testing.assert_allclose(DIRECTION.middle, [0.4, 0.3])


def test_what_two_features_have_in_common_counts_once():
    """Σ⁻¹ of [[1, r], [r, 1]] times (1, 1) is 1 / (1 + r) each."""
    both = Direction(np.ones(2), np.zeros(2), np.array([[1, 0.6], [0.6, 1]]))
    np.testing.assert_allclose(both.weights, [1 / 1.6, 1 / 1.6])


def test_scatter_counts_each_pair_by_its_weight():
    some = pairs([1, 0], [0, 2], weights=[1, 0.5])
    found = some.scatter(np.array([0.0, 1.0]))
    # (1, −1) once and (0, 1) half.
    np.testing.assert_allclose(found, [[1, -1], [-1, 1 + 0.5]])


def test_scaled_by_hand():
    same, different, covariance = DIRECTION.scaled(0.5, 2, 3)
    np.testing.assert_allclose(same, [0.3, 0.25])
    np.testing.assert_allclose(different, [0.4, 0.2])
    np.testing.assert_allclose(covariance, np.diag([0.12, 0.03]))


def test_learned_by_hand():
    """Two pairs of the same story, one of different ones; what was assumed counts for one each."""
    found = DIRECTION.learned(pairs([0.9, 0.8], [0.9, 0.2]), pairs([0.4, 0.3]), prior=1)
    np.testing.assert_allclose(found.same, [2.4 / 3, 1.5 / 3])
    np.testing.assert_allclose(found.different, [0.3, 0.2])
    scatter = np.array([[0.02, 0], [0, 0.18]]) + 0.01 * np.ones((2, 2)) + np.diag([0.08, 0.02])
    np.testing.assert_allclose(found.covariance, scatter / 5)


def test_a_pair_counts_by_its_weight():
    other = pairs([0.1, 0.2])
    one = DIRECTION.learned(pairs([0.9, 0.8], [0.7, 0.4], weights=[1, 2]), other, prior=3)
    two = DIRECTION.learned(pairs([0.9, 0.8], [0.7, 0.4], [0.7, 0.4]), other, prior=3)
    for found, expected in zip(one, two, strict=True):
        np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("prior", [0.5, 30])
def test_nothing_seen_leaves_it_as_it_is(prior):
    found = DIRECTION.learned(pairs(), pairs(), prior)
    for value, expected in zip(found, DIRECTION, strict=True):
        np.testing.assert_allclose(value, expected)


def test_the_more_what_was_assumed_counts_the_nearer_it_stays():
    rng = np.random.default_rng(0)
    same, different = pairs(*rng.normal(0.9, 0.1, (50, 2))), pairs(*rng.normal(0.3, 0.1, (50, 2)))
    away = [
        np.linalg.norm(DIRECTION.learned(same, different, prior).weights - DIRECTION.weights)
        for prior in (1, 30, 1000, 1e9)
    ]
    assert away == sorted(away, reverse=True)
    assert away[0] > 1
    assert away[-1] < 1e-4


def test_a_feature_that_tells_nothing_comes_to_weigh_nothing():
    rng = np.random.default_rng(0)
    same = rng.normal([0.6, 0.3], 0.1, (2000, 2))
    different = rng.normal([0.2, 0.3], 0.1, (2000, 2))
    found = DIRECTION.learned(pairs(*same), pairs(*different), prior=1).weights
    assert found[0] == pytest.approx(40, rel=0.1)
    assert abs(found[1]) < 2
