"""The posterior probability that an article and a story are the same, fitted to the stream.

How similar two articles of one story are differs from stream to stream: short texts share few
terms, texts on one subject many, and how soon a story's articles follow each other differs as well.
No fixed threshold fits. But a stream shows both kinds of pairs without a label:

* An article and a story that ended long before are different, whatever they share, except for a few
  stories that resume. These *strangers* show how similar a look-alike can be. As long as there are
  few of them, second best matches in the window stand in: an article tells one story.
* The best match of an article in the window is the same story, or once more the best look-alike.

So best matches x (similarities by feature) are a mixture, π · same + (1 − π) · different, whose
second component is also observed by itself. With Gaussians of one covariance Σ, fitted by
expectation maximisation,

    log-odds = log π/(1 − π) + Σ_f w_f (x_f − m_f) + log T(near) + log T(far)

    w = Σ⁻¹ (μ_same − μ_different),   m = (μ_same + μ_different) / 2

T is the likelihood ratio of a time gap (`gaps.py`). Before anything was seen, assumed
values stand in; afterwards they count as a few articles.

A fit feeds on its own decisions: once foreign matches count as the same story, the stories grow
vague, more foreign matches follow, and in the end one story holds everything. On the way there the
two Gaussians approach each other. So a fit whose Gaussians do not part is made again from the
assumed values, which count for more and more until they do.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scstory.discovery.calibrated.features import Features
from scstory.discovery.calibrated.gaps import GapEvidence, Gaps
from scstory.discovery.calibrated.settings import DENSE, CalibratedSettings
from scstory.discovery.window import Floats, Ints
from scstory.text import field_of

FITTED = ("same", "different", "covariance")
MORE_PRIOR, MOST_PRIOR = 1.5, 1e5
"""Each time the kinds of pairs do not part, the assumed values count so many times as much, until
they count as so many pairs."""


class Posterior:
    """A mixture of two Gaussians over similarities, and the evidence of time."""

    def __init__(self, settings: CalibratedSettings) -> None:
        self._settings = settings
        self.names = (*settings.compared, "time", "prior")
        self._lexical = np.array([name not in DENSE for name in settings.compared])
        assumed = np.array([settings.assumptions[name] for name in settings.compared])
        self._assumed_same, self._assumed_different, deviation = assumed.T.copy()
        correlation, count = settings.assumed_correlation, len(assumed)
        correlations = correlation + (1 - correlation) * np.eye(count)
        self._assumed_covariance = np.outer(deviation, deviation) * correlations
        nothing: Floats = np.empty((0, count))
        self._seen: dict[str, NDArray[Any]] = {
            "matches": nothing,
            "match_gaps": np.empty((0, 2), dtype=np.int64),
            "strangers": nothing,
            "second_best": nothing,
        }
        """The latest pairs, which the mixture is fitted to."""
        self._noted: dict[str, list[NDArray[Any]]] = {name: [] for name in self._seen}
        self._start_again()
        self._gaps = GapEvidence(settings)
        self._prepare()
        self._least_separation = settings.least_separation * self.separation

    # -- what an article and a story say ------------------------------------------------------

    def evidence(self, cosines: Floats, gaps: Gaps) -> Floats:
        """Return the log-odds of each feature, of time, and of the prior, one below the other."""
        return self._with_prior(cosines, self._gaps.log_ratio(self._gaps.bins(gaps)))

    def resumption_evidence(self, cosines: Floats, quiet: Floats) -> Floats:
        """Return the same for stories that have left the window, and for how long they were quiet.

        The longer the time, the more stories there are of which one may look alike by chance.
        """
        settings = self._settings
        longer = np.log(np.maximum(quiet / settings.resume_soon_length.total_seconds(), 1))
        margin = settings.resume_margin + settings.resume_fading * longer
        return self._with_prior(cosines, self._gaps.leaving() - margin)

    def pairs(self, rows: Features) -> Floats:
        """Return the evidence of the texts alone that articles are in one story, two by two."""
        dense = rows.dense @ rows.dense.transpose(0, 2, 1)
        fields = [field_of(rows.terms, n) for n in range(rows.fields)]
        terms = [(some @ some.T).toarray() for some in fields]
        similarity = self._similarity(np.concatenate([dense, terms]))
        return np.asarray(self._text_evidence(similarity).sum(axis=0))

    def _with_prior(self, cosines: Floats, time: Floats) -> Floats:
        text = self._text_evidence(self._similarity(cosines))
        return np.stack([*text, time, np.full_like(time, self._prior)])

    def _similarity(self, cosines: Floats) -> Floats:
        """Return cosines on a scale on which both kinds of pairs vary about as much."""
        lexical = self._lexical.reshape(-1, *(1,) * (cosines.ndim - 1))
        return np.where(lexical, np.sqrt(np.maximum(cosines, 0)), cosines)

    def _text_evidence(self, similarity: Floats) -> Floats:
        shape = (-1, *(1,) * (similarity.ndim - 1))
        weight, middle = self._weight.reshape(shape), self._middle.reshape(shape)
        return np.asarray(weight * (similarity - middle))

    # -- what the stream says -----------------------------------------------------------------

    def note(self, cosines: Floats, gaps: Gaps, strangers: Floats) -> None:
        """Take note of an article's best matches in the window, its best stranger, and gaps.

        The best is the best by text alone: chosen by time as well, the best matches would always
        be close in time, and closeness would seem to mean ever more.
        """
        if strangers.shape[1]:
            similarity = self._similarity(strangers)
            best = int(self._text_evidence(similarity).sum(axis=0).argmax())
            self._noted["strangers"].append(similarity[:, best].copy())
        if not cosines.shape[1]:
            return
        settings, similarity = self._settings, self._similarity(cosines)
        order = np.argsort(-self._text_evidence(similarity).sum(axis=0), kind="stable")
        bins = self._gaps.bins(gaps)
        best = int(order[0])
        # Copies: a view of a column would keep its whole matrix in memory.
        self._noted["matches"].append(similarity[:, best].copy())
        self._noted["match_gaps"].append(bins[:, best].copy())
        self._noted["second_best"].extend(similarity[:, order[1:2]].T)
        related = int(np.ceil(settings.related_share * len(order)))
        self._gaps.note_unrelated(bins[:, order[max(settings.related_least, related) :]])
        if len(self._noted["matches"]) >= settings.fit_matches:
            self._remember()

    def _remember(self) -> None:
        """Add what was noted to what was seen, and keep the latest of it."""
        for name, noted in self._noted.items():
            if noted:
                both = np.vstack([self._seen[name], *noted])
                self._seen[name] = both[-self._settings.fit_matches :]
                noted.clear()

    def fit(self) -> None:
        """Fit the mixture to what was noted, starting from where it is."""
        self._remember()
        settings = self._settings
        x, gaps, known, second_best = self._seen.values()
        if not len(x):
            return
        self._gaps.begin_fit(gaps)
        lacking = settings.fit_matches - len(known)
        strangers = np.vstack([known, second_best[max(len(second_best) - lacking, 0) :]])
        # In a small stream second best matches are the best of too few, and too dissimilar.
        weight = np.ones(len(strangers))
        weight[len(known) :] = min(1.0, len(x) / settings.second_best_from)
        prior = settings.prior_weight
        self._expect_and_maximise(x, gaps, strangers, weight, prior)
        enough = len(x) >= settings.separation_from
        while enough and self.separation < self._least_separation and prior < MOST_PRIOR:
            prior *= MORE_PRIOR
            self._start_again()
            self._expect_and_maximise(x, gaps, strangers, weight, prior)

    @property
    def separation(self) -> float:
        """How far the two kinds of pairs are apart: a squared distance, in deviations."""
        return float(self._weight @ (self._same - self._different))

    def _start_again(self) -> None:
        """Forget the fit of the mixture."""
        self._same, self._different = self._assumed_same.copy(), self._assumed_different.copy()
        self._covariance = self._assumed_covariance.copy()
        self._share = 0.5

    def _expect_and_maximise(
        self, x: Floats, gaps: Ints, strangers: Floats, weight: Floats, prior: float
    ) -> None:
        """Fit the mixture, the assumed values counting as `prior` pairs."""
        settings = self._settings
        for _ in range(settings.fit_rounds):
            self._prepare()
            time = self._gaps.log_ratio(gaps.T)
            same = sigmoid(self._text_evidence(x.T).sum(axis=0) + time + self._prior)
            different = settings.doubtful_weight * (1 - same)
            resumed = self._text_evidence(strangers.T).sum(axis=0)
            strange = weight * (1 - sigmoid(resumed + log_odds(settings.resumed_share)))
            self._gaps.fit(gaps, same)
            self._maximise(x, same, different, strangers, strange, prior)
        self._prepare()

    def _maximise(
        self,
        x: Floats,
        same: Floats,
        different: Floats,
        strangers: Floats,
        strange: Floats,
        prior: float,
    ) -> None:
        """Set means, covariance and share to the best ones for the weights of all pairs."""
        one, other = same.sum(), different.sum() + strange.sum()
        self._same = (same @ x + prior * self._assumed_same) / (one + prior)
        total = different @ x + strange @ strangers + prior * self._assumed_different
        self._different = total / (other + prior)
        self._covariance = (
            _scatter(x - self._same, same)
            + _scatter(x - self._different, different)
            + _scatter(strangers - self._different, strange)
            + 2 * prior * self._assumed_covariance
        ) / (one + other + 2 * prior)
        self._share = float((one + prior / 2) / (len(x) + prior))

    def _prepare(self) -> None:
        """Compute weights and log ratios from the fit as it is."""
        self._weight = np.linalg.solve(self._covariance, self._same - self._different)
        self._middle = (self._same + self._different) / 2
        self._prior = log_odds(self._share)
        self._gaps.prepare()

    # -- stopping and going on ----------------------------------------------------------------

    def state(self) -> dict[str, NDArray[Any]]:
        """Return what was noted and the fit."""
        self._remember()
        return {
            **self._seen,
            **{name: getattr(self, f"_{name}") for name in FITTED},
            "share": np.array(self._share),
            **self._gaps.state(),
        }

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go back to what `state` returned."""
        for noted in self._noted.values():
            noted.clear()
        self._seen = {name: state[name].copy() for name in self._seen}
        for name in FITTED:
            setattr(self, f"_{name}", state[name].copy())
        self._share = float(state["share"])
        if not 0 < self._share < 1:
            raise ValueError(f"a share of {self._share}")
        self._gaps.restore(state)
        self._prepare()


def sigmoid(log_odds: Floats) -> Floats:
    """Return log-odds as a probability."""
    return np.asarray(1 / (1 + np.exp(-np.clip(log_odds, -40, 40))))


def log_odds(probability: float) -> float:
    """Return a probability as log-odds."""
    return float(np.log(probability / (1 - probability)))


def _scatter(deviations: Floats, weights: Floats) -> Floats:
    return np.asarray((deviations * weights[:, None]).T @ deviations)
