"""Posteriors that have seen something."""

from __future__ import annotations

import numpy as np

from scstory.discovery.calibrated.gaps import Gaps
from scstory.discovery.calibrated.names import FEATURES
from scstory.discovery.calibrated.pair_posteriors import PairPosteriors
from scstory.discovery.calibrated.posterior import Posterior
from scstory.discovery.calibrated.settings import CalibratedSettings

DAY = 86_400.0
SETTINGS = CalibratedSettings()
COHERENCE = SETTINGS.coherence
FOUR = ("learned", "opening", "terms", "names")
"""As many features as `make_rows` makes, two of them lexical."""


def make_posterior(features=FEATURES, **changes) -> Posterior:
    return Posterior(SETTINGS.with_changes({"features": ", ".join(features), **changes}))


def paired(posterior: Posterior) -> PairPosteriors:
    """Return a posterior as that of pairs within a language."""
    pairs = PairPosteriors(SETTINGS)
    pairs.within = posterior
    return pairs


def fitted() -> Posterior:
    """Return a posterior that has seen something, so that time and all features count."""
    rng = np.random.default_rng(5)
    posterior = make_posterior(FOUR)
    for _ in range(30):
        gaps = Gaps(rng.uniform(0, 3, 8) * DAY, rng.uniform(3, 7, 8) * DAY)
        posterior.note(rng.uniform(0, 1, (4, 8)), gaps, rng.uniform(0, 0.6, (4, 5)))
    posterior.fit()
    return posterior


FITTED = fitted()
PAIRED = paired(FITTED)
