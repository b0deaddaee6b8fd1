"""What each feature counts for: the weights of a score, and how a stream may change them.

The score of a pair is the sum of its similarities, each times a weight. The weights of a linear
discriminant are w = Σ⁻¹ (μ_same − μ_different). They differ less from stream to stream than the
level of the scores does. A stream shows its own only through pairs whose kind is already known; on
pages with many foreign sentences even these mislead, because different stories of the same days
share such sentences. So the assumed values count for more, the more foreign sentences there are.
"""

from typing import NamedTuple, Self

import numpy as np

from scstory.discovery.window import Floats


class Pairs(NamedTuple):
    """The similarities of pairs, (pairs, features), and how much each pair counts."""

    rows: Floats
    weights: Floats

    def scatter(self, mean: Floats) -> Floats:
        """Return the weighted sum of squared distances from a mean, for any two features."""
        away = self.rows - mean
        return np.asarray((away * self.weights[:, None]).T @ away)


class Direction(NamedTuple):
    """The means of both kinds of pairs, and their covariance."""

    same: Floats
    different: Floats
    covariance: Floats

    @property
    def weights(self) -> Floats:
        """The weights of the linear discriminant."""
        return np.asarray(np.linalg.solve(self.covariance, self.same - self.different))

    @property
    def middle(self) -> Floats:
        """The similarities that speak for neither kind."""
        return np.asarray((self.same + self.different) / 2)

    def scaled(self, same: float, different: float, variance: float) -> Self:
        """Return the direction with its means and its covariance multiplied."""
        return type(self)(same * self.same, different * self.different, variance * self.covariance)

    def learned(self, same: Pairs, different: Pairs, prior: float) -> Self:
        """Return the direction of pairs of both kinds; this one counts as `prior` of each."""
        one, other = same.weights.sum() + prior, different.weights.sum() + prior
        mean = (same.weights @ same.rows + prior * self.same) / one
        away = (different.weights @ different.rows + prior * self.different) / other
        scatter = same.scatter(mean) + different.scatter(away) + 2 * prior * self.covariance
        return type(self)(mean, away, scatter / (one + other))
