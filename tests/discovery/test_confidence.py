"""Confidence measured against the stream."""

import numpy as np
import pytest

from scstory.discovery.assign import View
from scstory.discovery.confidence import StandardConfidence


def view(name, cosines):
    """Return a view with the given cosines: unit articles, unit stories."""
    cosines = np.asarray(cosines, dtype=float)
    articles, stories = cosines.shape
    return View(name, cosines, np.eye(articles), np.ones(stories))


def test_before_anything_is_seen_the_assumed_values_count():
    confidence = StandardConfidence([0.5, 0.5])
    learned, lexical = confidence.parts([np.array([0.05]), np.array([0.02 + 0.03 * 4])])
    assert learned == pytest.approx(0)
    assert lexical == pytest.approx(2)


def test_half_is_half_and_confidence_never_leaves_its_range():
    confidence = StandardConfidence([1.0])
    half = confidence.HALF
    found = confidence.of(np.array([-1e9, -half, 0, half, 3 * half, 1e9]))
    np.testing.assert_allclose(found, [-1, -0.5, 0, 0.5, 0.75, 1], atol=1e-6)
    assert (np.diff(confidence.of(np.linspace(-50, 50, 200))) > 0).all()


def test_observing_leaves_out_the_nearest_stories():
    confidence = StandardConfidence([1.0])
    confidence.observe([view("learned", [[0.9, 0.1, 0.2, 0.8], [0.0, 0.7, 0.3, 0.6]])])
    number, total, squares = confidence.state()[0]
    assert number == 4
    assert total == pytest.approx(0.1 + 0.2 + 0.0 + 0.3)
    assert squares == pytest.approx(0.01 + 0.04 + 0.09)


def test_few_stories_say_nothing_of_the_unrelated():
    confidence = StandardConfidence([1.0])
    confidence.observe([view("learned", [[0.9, 0.1]])])
    assert confidence.state().sum() == 0


def test_much_observing_outweighs_what_was_assumed():
    confidence = StandardConfidence([1.0])
    rng = np.random.default_rng(0)
    for _ in range(50):
        confidence.observe([view("learned", rng.normal(0.4, 0.05, (20, 40)).clip(-1, 1))])
    (part,) = confidence.parts([np.array([0.4])])
    assert abs(part[0]) < 0.5  # the nearest tenth is left out: the mean is a little lower
    (part,) = confidence.parts([np.array([0.6])])
    assert part[0] > 3


def test_restored_it_says_the_same():
    one, two = StandardConfidence([1.0]), StandardConfidence([1.0])
    one.observe([view("learned", np.random.default_rng(0).uniform(0, 0.3, (5, 9)))])
    two.restore(one.state())
    assert one.parts([np.array([0.3])]) == two.parts([np.array([0.3])])
