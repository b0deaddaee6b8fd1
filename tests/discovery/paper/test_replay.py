"""Replay draws in proportion to confidence, and only what is confident."""

import numpy as np

from scstory.discovery.paper.replay import replay


def draw(confidence, count=20000, delta=0.5):
    rng = np.random.default_rng(0)
    return replay(np.array(confidence), delta=delta, count=count, rng=rng)


def test_draws_in_proportion_to_confidence():
    drawn = draw([0.9, 0.6, 0.5])
    shares = np.bincount(drawn) / len(drawn)
    np.testing.assert_allclose(shares, [0.45, 0.3, 0.25], atol=0.02)


def test_leaves_out_what_is_below_delta():
    assert set(draw([0.9, 0.499, -0.3, 0.5])) == {0, 3}


def test_draws_nothing_when_nothing_is_confident():
    assert len(draw([0.4, 0.1])) == 0
    assert len(draw([])) == 0


def test_negative_confidence_is_never_drawn_even_if_delta_allows():
    assert set(draw([-0.5, 0.2], delta=-1.0)) == {1}
