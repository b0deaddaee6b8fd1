"""A mixture of two Gaussians over scores: pairs of the same story, and of different ones.

Both have one variance, so the log-odds of a score are a straight line. The assumed values are known
up to a scale: short texts have less in common than long ones, in every pair.
"""

from typing import NamedTuple, Self

import numpy as np

from scstory.discovery.window import Floats


class Sample(NamedTuple):
    """Scores, and how much each of them counts."""

    scores: Floats
    weights: Floats

    @property
    def size(self) -> float:
        """The sum of the weights."""
        return float(self.weights.sum())

    @property
    def total(self) -> float:
        """The weighted sum of the scores."""
        return float(self.weights @ self.scores)

    def scatter(self, mean: float) -> float:
        """Return the weighted sum of squared distances from a mean."""
        return float(self.weights @ np.square(self.scores - mean))


class PriorCounts(NamedTuple):
    """How many pairs the assumed values count for."""

    same: float
    different: float
    share: float
    resumed: float


class Mixture(NamedTuple):
    """Two means, their variance, and the shares of pairs that are the same story."""

    same: float
    different: float
    variance: float
    share: float
    """The share of best matches."""
    resumed: float
    """The share of strangers: stories that ended long ago and are taken to be different."""

    def scaled(self, scale: float) -> Self:
        """Return the mixture of scores that are so many times as high."""
        return self._replace(
            same=scale * self.same,
            different=scale * self.different,
            variance=scale**2 * self.variance,
        )

    @property
    def slope(self) -> float:
        """What a unit of score adds to the log-odds."""
        return (self.same - self.different) / self.variance

    @property
    def middle(self) -> float:
        """The score that speaks for neither."""
        return (self.same + self.different) / 2

    @property
    def prior(self) -> float:
        """The log-odds before a score is known."""
        return float(np.log(self.share / (1 - self.share)))

    @property
    def separation(self) -> float:
        """How far the means are apart: a squared distance, in deviations."""
        return (self.same - self.different) ** 2 / self.variance

    def evidence(self, scores: Floats) -> Floats:
        """Return the log-odds of scores, without the prior."""
        return np.asarray(self.slope * (scores - self.middle))

    def maximised(
        self, same: Sample, different: Sample, matches: float, counts: PriorCounts
    ) -> Self:
        """Return the best mixture for weighted scores; this one counts as so many pairs.

        `matches` is the number of best matches, of which the share is that of the same story.
        """
        one = (same.total + counts.same * self.same) / (same.size + counts.same)
        other = (different.total + counts.different * self.different) / (
            different.size + counts.different
        )
        assumed = counts.same + counts.different
        scatter = same.scatter(one) + different.scatter(other) + assumed * self.variance
        share = self._fitted_share(same, matches, counts)
        variance = scatter / (same.size + different.size + assumed)
        return self._replace(same=one, different=other, variance=variance, share=share)

    def resumed_share(self, same: float, strangers: float, counts: PriorCounts) -> float:
        """Return the share of strangers that are the same story, of which so many seem to be.

        That of this mixture counts as so many strangers.
        """
        return (same + counts.resumed * self.resumed) / (strangers + counts.resumed)

    def with_share_of(self, same: Sample, matches: float, counts: PriorCounts) -> Self:
        """Return this mixture with the best share for weighted best matches, but no larger one."""
        return self._replace(share=min(self.share, self._fitted_share(same, matches, counts)))

    def _fitted_share(self, same: Sample, matches: float, counts: PriorCounts) -> float:
        return (same.size + counts.share * self.share) / (matches + counts.share)

    def log_likelihood(self, matches: Floats, time: Floats, strangers: Sample) -> float:
        """Return that of best matches, their evidence of time given, and of strangers.

        It is up to a constant.
        """
        either = np.logaddexp(
            np.log(self.share) + time + self._log_density(matches, self.same),
            np.log(1 - self.share) + self._log_density(matches, self.different),
        )
        any_of_both = np.logaddexp(
            np.log(self.resumed) + self._log_density(strangers.scores, self.same),
            np.log(1 - self.resumed) + self._log_density(strangers.scores, self.different),
        )
        return float(either.sum() + strangers.weights @ any_of_both)

    def log_prior(self, assumed: Self, counts: PriorCounts) -> float:
        """Return the log-likelihood of the pairs that assumed values stand for, in their units."""
        pairs = (
            (counts.same, self.same - assumed.same),
            (counts.different, self.different - assumed.different),
        )
        units = np.log(assumed.variance / self.variance) / 2
        return float(
            sum(
                count * (units - (distance**2 + assumed.variance) / (2 * self.variance))
                for count, distance in pairs
            )
        )

    def _log_density(self, scores: Floats, mean: float) -> Floats:
        squares = np.square(scores - mean) / self.variance
        return np.asarray(-(np.log(self.variance) + squares) / 2)
