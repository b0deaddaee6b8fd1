"""The part of M that weighs sentences: does a sentence tell the article's story, or another one?

No label says so, but a sentence of another article, put in on purpose, is foreign for certain. So M
learns from the stream itself to tell the sentences an article has from ones that were inserted, by
how each relates to the rest (`relations.py`). With L the likelihood ratio of what an own and a
foreign sentence look like, φ the share of the stream's own sentences that are foreign already, and
ρ the number of inserted sentences for each one that was there,

    log L = b·x,   P(own | x, was there) = (1 − φ) L / ((1 − φ) L + φ)

This is a logistic regression in which the sentences that were there count as own by their present
probability (expectation maximisation). φ is read off the sentences that look most foreign: if
nothing foreign were there, hardly any of those that were there would look like the inserted ones.
On clean pages φ is small and nearly all weights are close to 1. The fit of the slides before,
forgotten little by little, is the prior of each.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scstory.discovery.calibrated.log_odds import log_odds, sigmoid
from scstory.discovery.calibrated.names import RELATIONS
from scstory.discovery.calibrated.relations import Sentences, relations
from scstory.discovery.calibrated.settings import CalibratedSettings
from scstory.discovery.window import Floats, Ints
from scstory.text import TermStatistics

NEWTON_STEPS = 4
HALVINGS = 10
"""How often a step is halved, at most."""
BLOCKS = 0.75
"""How often inserted sentences come in one block."""
FITTED = ("coefficients", "precision")


class SentenceModel:
    """A logistic regression that goes on learning which sentences are an article's own."""

    def __init__(self, settings: CalibratedSettings) -> None:
        self._settings = settings
        assumed = settings.assumed_relations
        self.coefficients: Floats = np.array([assumed[name] for name in (*RELATIONS, "constant")])
        self.precision: Floats = settings.relations_prior * np.eye(len(self.coefficients))
        self._foreign = settings.foreign_prior * np.array([settings.assumed_foreign, 1.0])
        """Sentences that look foreign: those that were there, as a share, and those put in."""

    @property
    def foreign_share(self) -> float:
        """φ: the share of sentences that are foreign, of those that were not put in."""
        found, possible = self._foreign
        least, most = self._settings.foreign_bounds
        return float(np.clip(found / possible, least, most))

    def weights(
        self, sentences: Sentences, statistics: TermStatistics, documents: float | None = None
    ) -> NDArray[np.float32]:
        """Return how probably each sentence is the article's own, sharpened: what decides next
        multiplies many weak similarities with foreign sentences."""
        score = _with_constant(relations(sentences, statistics, documents)) @ self.coefficients
        doubt = log_odds(self.foreign_share) + self._settings.own_margin
        return sigmoid(self._settings.sharpness * (score - doubt)).astype(np.float32)

    def fit(self, x: Floats, there: NDArray[np.bool_]) -> None:
        """Learn from sentences by their relations; `there` says which were not put in."""
        settings = self._settings
        x = _with_constant(x)
        known, memory = self.coefficients, settings.relations_memory
        least = settings.relations_prior * np.eye(len(known))
        precision = memory * self.precision + (1 - memory) * least
        before = memory * self._foreign
        inserted = (~there).sum() / there.sum()
        for _ in range(settings.relations_rounds):
            score = x @ self.coefficients
            self._count_foreign(before, score[there], score[~there])
            share = self.foreign_share
            own = np.where(there, sigmoid(score - log_odds(share)), 0.0)
            offset = np.log((1 - share) / (share + inserted))
            self.coefficients, self.precision = _logistic_regression(
                x, own, offset, self.coefficients, known, precision
            )

    def _count_foreign(self, before: Floats, there: Floats, inserted: Floats) -> None:
        """Compare how many sentences, there and put in, look as foreign as the most foreign."""
        most = self._settings.foreign_quantile
        seen = (there <= np.quantile(inserted, most)).mean()
        self._foreign = before + len(there) * np.array([seen, most])

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the fit."""
        fitted = {name: getattr(self, name) for name in FITTED}
        return {**fitted, "foreign": self._foreign}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go back to what `state` returned."""
        for name in FITTED:
            setattr(self, name, state[name].copy())
        self._foreign = state["foreign"].copy()


def insert(
    sentences: Sentences, others: Sequence[Sentences], share: float, rng: np.random.Generator
) -> tuple[Sentences, NDArray[np.bool_]]:
    """Put sentences of other articles into one, `share` times as many as it has.

    They come in one block, as teasers and tickers do, or one by one. Returns the sentences and
    which of them were there before. The title stays first, and no other title is put in.
    """
    count, more = len(sentences), max(1, round(share * len(sentences)))
    chosen = [others[i] for i in rng.integers(len(others), size=more)]
    single = [(other, int(rng.integers(min(1, len(other) - 1), len(other)))) for other in chosen]
    place = rng.integers(1, count + 1, size=1 if rng.random() < BLOCKS else more)
    place = np.sort(np.broadcast_to(place, more))
    order: Ints = np.argsort(np.concatenate([np.arange(count) + 0.5, place]), kind="stable")
    return sentences.joined(single, order), order < count


def _logistic_regression(
    x: Floats, y: Floats, offset: float, start: Floats, prior: Floats, precision: Floats
) -> tuple[Floats, Floats]:
    """Return coefficients after a few Newton steps, and their precision.

    The prior is a Gaussian. A step that would not lower the loss is made shorter.
    """

    def loss(coefficients: Floats) -> float:
        z, moved = x @ coefficients + offset, coefficients - prior
        return float((np.logaddexp(0, z) - y * z).sum() + moved @ precision @ moved / 2)

    found, reached = start, loss(start)
    for _ in range(NEWTON_STEPS):
        probability = sigmoid(x @ found + offset)
        slope = x.T @ (probability - y) + precision @ (found - prior)
        curvature = (x * (probability * (1 - probability))[:, None]).T @ x + precision
        step = np.linalg.solve(curvature, slope)
        for _ in range(HALVINGS):
            if (shorter := loss(found - step)) <= reached:
                found, reached = found - step, shorter
                break
            step = step / 2
    return found, curvature


def _with_constant(x: Floats) -> Floats:
    return np.concatenate([x, np.ones((len(x), 1))], axis=1)
