"""The fit of the mixture: from the scores of best matches and of strangers to means and shares.

Expectation maximisation starts anew from the assumed values for each fit, once for each scale that
they may have, and the most plausible outcome is taken. Three outcomes are possible:

1. The two kinds of pairs part: the fit is used as it is.
2. They do not, but they part once the share of strangers that are the same story is fitted as well.
   This share is assumed to be small. It is not where stories are long and were broken up: the
   pieces that ended are strangers of the pieces that go on, they score as high as matches do, and a
   fit that takes them for look-alikes becomes so strict that more stories break up.
3. They do not part at all: the assumed values are used, and only the share of best matches that are
   the same story is fitted, and only downwards.
"""

from typing import NamedTuple

import numpy as np

from scstory.discovery.calibrated.gaps import GapEvidence
from scstory.discovery.calibrated.log_odds import log_odds, sigmoid
from scstory.discovery.calibrated.mixture import Mixture, PriorCounts, Sample
from scstory.discovery.calibrated.settings import CalibratedSettings
from scstory.discovery.window import Floats, Ints


class Seen(NamedTuple):
    """What a stream has shown, as scores."""

    matches: Floats
    """Those of best matches."""
    gaps: Ints
    """The bins of their time gaps, (n, 2)."""
    strangers: Sample
    """Pairs that are taken to be different."""
    together: Sample
    """Pairs that people put together."""
    apart: Sample
    """Pairs that people told apart."""


class Fitted(NamedTuple):
    """A mixture, how plausible it is, and what it was fitted from."""

    plausible: float
    mixture: Mixture
    assumed: Mixture
    gaps: Floats
    """The time gaps within stories."""


class MixtureFit:
    """Fits the mixture and the evidence of time gaps together."""

    def __init__(self, settings: CalibratedSettings, assumed: Mixture, gaps: GapEvidence) -> None:
        self._settings, self._assumed, self._gaps = settings, assumed, gaps
        self._counts = PriorCounts(
            settings.same_prior,
            settings.different_prior,
            settings.share_prior,
            settings.resumed_prior,
        )

    def fit(self, seen: Seen) -> Mixture:
        """Return the mixture of what was seen, and set the evidence of gaps accordingly."""
        self._gaps.begin_fit(seen.gaps)
        settings, found = self._settings, self._most_plausible(seen, resumed=False)
        if found.mixture.separation >= settings.least_separation:
            return self._use(found)
        if len(seen.matches) >= settings.resumed_from:
            broken = self._most_plausible(seen, resumed=True)
            if broken.mixture.separation >= settings.least_separation_resumed:
                return self._use(broken)
        self._use(found)
        return self._fit_share(found.assumed, seen)

    def _use(self, found: Fitted) -> Mixture:
        """Set the evidence of gaps to that of a fit, and return its mixture."""
        self._gaps.same = found.gaps
        self._gaps.prepare()
        return found.mixture

    def expected(self, mixture: Mixture, seen: Seen) -> tuple[Floats, Floats]:
        """Return how probably matches are the same story, and how much strangers count."""
        time = self._gaps.log_ratio(seen.gaps.T)
        same = sigmoid(mixture.evidence(seen.matches) + time + mixture.prior)
        resumed = mixture.evidence(seen.strangers.scores) + log_odds(mixture.resumed)
        return same, seen.strangers.weights * (1 - sigmoid(resumed))

    def _most_plausible(self, seen: Seen, *, resumed: bool) -> Fitted:
        """Return the most plausible fit, whatever the scale of the assumed values it started from.

        The share of strangers that are the same story is fitted only if they may have `resumed`.
        """
        settings = self._settings
        scores, weights = seen.strangers
        strangers = Sample(scores, np.maximum(weights, settings.scale_second_best))
        found = []
        for scale in settings.possible_scales:
            assumed = self._assumed.scaled(scale)
            fitted = self._expect_and_maximise(assumed, seen, resumed=resumed)
            time = self._gaps.log_ratio(seen.gaps.T)
            plausible = (
                fitted.log_likelihood(seen.matches, time, strangers)
                + fitted.log_prior(assumed, self._counts)
                - np.square(np.log(scale) / settings.scale_deviation) / 2
            )
            found.append(Fitted(plausible, fitted, assumed, self._gaps.same))
        return max(found, key=lambda one: one.plausible)

    def _expect_and_maximise(self, assumed: Mixture, seen: Seen, *, resumed: bool) -> Mixture:
        """Fit the mixture and the evidence of gaps, starting from assumed values."""
        settings, mixture = self._settings, assumed
        if resumed:
            mixture = assumed._replace(resumed=settings.resumed_start)
        matches, strangers, together, apart = seen.matches, *seen[2:]
        count = len(matches) + together.size + apart.size
        self._gaps.same = np.zeros_like(self._gaps.same)  # time says nothing at first
        for _ in range(settings.resumed_rounds if resumed else settings.fit_rounds):
            self._gaps.prepare()
            same, strange = self.expected(mixture, seen)
            self._gaps.fit(seen.gaps, same)
            scores = np.concatenate([matches, strangers.scores, apart.scores])
            doubtful = settings.doubtful_weight * (1 - same)
            weights = np.concatenate([doubtful, strange, apart.weights])
            alike = np.concatenate([matches, together.scores])
            same = np.concatenate([same, together.weights])
            mixture = assumed.maximised(
                Sample(alike, same), Sample(scores, weights), count, self._counts
            )
            if resumed:
                some = strangers.size - float(strange.sum())
                share = assumed.resumed_share(some, strangers.size, self._counts)
                mixture = mixture._replace(resumed=min(share, settings.resumed_most))
        self._gaps.prepare()
        return mixture

    def _fit_share(self, assumed: Mixture, seen: Seen) -> Mixture:
        """Return the assumed values, with a smaller share where the matches show that."""
        mixture, time = assumed, self._gaps.log_ratio(seen.gaps.T)
        for _ in range(self._settings.fit_rounds):
            same = sigmoid(mixture.evidence(seen.matches) + time + mixture.prior)
            some = Sample(seen.matches, same)
            mixture = assumed.with_share_of(some, len(seen.matches), self._counts)
        return mixture
