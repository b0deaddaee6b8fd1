"""A mixture of two Gaussians over scores, worked out by hand."""

import numpy as np
import pytest
from scipy.stats import norm

from scstory.discovery.calibrated.mixture import Mixture, PriorCounts, Sample

MIXTURE = Mixture(same=5.0, different=1.0, variance=2.0, share=0.2, resumed=0.1)
COUNTS = PriorCounts(same=1.0, different=2.0, share=4.0, resumed=5.0)
NONE = PriorCounts(0.0, 0.0, 0.0, 0.0)


def sample(*scores, weights=None):
    return Sample(np.array(scores, float), np.ones(len(scores)) if weights is None else weights)


def test_a_sample_counts_each_score_by_its_weight():
    some = sample(1, 4, weights=np.array([0.5, 2]))
    assert some.size == 2.5
    assert some.total == 8.5
    assert some.scatter(2) == 0.5 * 1 + 2 * 4


def test_log_odds_are_a_straight_line_through_the_middle():
    assert MIXTURE.middle == 3
    assert MIXTURE.slope == 2
    assert MIXTURE.separation == 8
    assert MIXTURE.prior == pytest.approx(-np.log(4))
    assert MIXTURE.evidence(np.array([3, 4, 1])).tolist() == [0, 2, -4]


def test_log_odds_are_those_of_two_densities():
    scores, deviation = np.linspace(-2, 8, 7), np.sqrt(2)
    expected = norm(5, deviation).logpdf(scores) - norm(1, deviation).logpdf(scores)
    np.testing.assert_allclose(MIXTURE.evidence(scores), expected)


def test_scores_of_another_scale_are_told_apart_the_same_way():
    half = MIXTURE.scaled(0.5)
    assert half == Mixture(2.5, 0.5, 0.5, 0.2, 0.1)
    assert half.separation == MIXTURE.separation
    scores = np.array([0.0, 2, 3.5])
    np.testing.assert_allclose(half.evidence(scores / 2), MIXTURE.evidence(scores))


def test_the_best_mixture_by_hand():
    """Means (3 + 7 + 5) / 3 and (0 + 2 + 2 · 1) / 4, around which scores scatter by 8 and 2."""
    found = MIXTURE.maximised(sample(3, 7), sample(0, 2), matches=6, counts=COUNTS)
    assert found.same == 5
    assert found.different == 1
    assert found.variance == pytest.approx((8 + 2 + 3 * 2) / (2 + 2 + 3))
    assert found.share == pytest.approx((2 + 4 * 0.2) / (6 + 4))


def test_assumed_values_count_as_so_many_pairs():
    same, different = sample(9, 9), sample(2, 2)
    found = MIXTURE.maximised(same, different, matches=2, counts=COUNTS)
    assert found.same == pytest.approx((18 + 5) / 3)
    assert found.different == pytest.approx((4 + 2 * 1) / 4)
    nothing = sample()
    assert MIXTURE.maximised(nothing, nothing, matches=0, counts=COUNTS) == pytest.approx(MIXTURE)


def test_a_score_counts_by_its_weight_in_the_best_mixture():
    twice = sample(1, 4, weights=np.array([1.0, 2.0]))
    one = MIXTURE.maximised(twice, sample(0, 1), matches=5, counts=COUNTS)
    other = MIXTURE.maximised(sample(1, 4, 4), sample(0, 1), matches=5, counts=COUNTS)
    assert one == pytest.approx(other)


def test_the_share_of_strangers_that_are_the_same_story_by_hand():
    """Three of ten are, and the assumed tenth counts for five more."""
    assert MIXTURE.resumed_share(3, 10, COUNTS) == pytest.approx((3 + 5 * 0.1) / 15)


def test_the_likelihood_is_that_of_the_densities_up_to_a_constant():
    matches, time = np.array([0.0, 4.5]), np.array([0.3, -1.0])
    strangers = sample(0.5, 2, weights=np.array([1, 0.5]))
    deviation = np.sqrt(2)
    one, other = norm(5, deviation), norm(1, deviation)
    either = np.log(0.2 * np.exp(time) * one.pdf(matches) + 0.8 * other.pdf(matches))
    known = 0.1 * one.pdf(strangers.scores) + 0.9 * other.pdf(strangers.scores)
    expected = either.sum() + strangers.weights @ np.log(known)
    constant = 3.5 * np.log(2 * np.pi) / 2
    assert MIXTURE.log_likelihood(matches, time, strangers) == pytest.approx(expected + constant)


def test_the_likelihood_is_highest_for_the_mixture_that_made_the_scores():
    rng = np.random.default_rng(0)
    same = rng.random(4000) < 0.2
    matches = rng.normal(np.where(same, 5, 1), np.sqrt(2))
    resumed = rng.random(2000) < 0.1
    known = sample(*rng.normal(np.where(resumed, 5, 1), np.sqrt(2)))

    def plausible(**changes):
        return MIXTURE._replace(**changes).log_likelihood(matches, np.zeros(4000), known)

    for name, values in (("same", (4, 6)), ("different", (0.5, 1.5)), ("variance", (1, 3)),
                         ("share", (0.1, 0.4)), ("resumed", (0.05, 0.2))):  # fmt: skip
        for value in values:
            assert plausible(**{name: value}) < plausible()


def test_assumed_values_are_as_plausible_as_the_pairs_they_stand_for():
    """At the assumed values each pair counts −1/2; a distance of 2 adds −2² / (2 · 2) for each."""
    assert MIXTURE.log_prior(MIXTURE, COUNTS) == pytest.approx(-3 / 2)
    further = MIXTURE._replace(same=7.0)
    assert further.log_prior(MIXTURE, COUNTS) == pytest.approx(-3 / 2 - 1)
    further = MIXTURE._replace(different=3.0)
    assert further.log_prior(MIXTURE, COUNTS) == pytest.approx(-3 / 2 - 2)
    wider = MIXTURE._replace(variance=4.0)
    assert wider.log_prior(MIXTURE, COUNTS) == pytest.approx(3 * (np.log(1 / 2) / 2 - 1 / 4))
    assert further.log_prior(MIXTURE, NONE) == 0


def test_how_plausible_assumed_values_are_does_not_depend_on_their_scale():
    further = MIXTURE._replace(same=6.0, variance=3.0)
    expected = further.log_prior(MIXTURE, COUNTS)
    assert further.scaled(0.4).log_prior(MIXTURE.scaled(0.4), COUNTS) == pytest.approx(expected)
