"""The posterior probability that an article and a story are the same, fitted to the stream.

How alike an article and a story are is one number, the score: the similarities of all features,
each times a weight (`direction.py`). What a score means differs from stream to stream: short texts
share few terms, texts on one subject many, and how soon a story's articles follow each other
differs as well. No fixed threshold fits. But a stream shows both kinds of pairs without a label:

* An article and a story that ended long before are different, whatever they share, except for a few
  stories that resume. These *strangers* show how high a look-alike scores. As long as there are few
  of them, second best matches in the window stand in: an article tells one story.
* The best match of an article in the window is the same story, or once more the best look-alike.

So the scores of best matches are a mixture, π · same + (1 − π) · different, whose second component
is also observed by itself. Two Gaussians of one variance are fitted to the scores by the assumed
weights (`mixture.py`). The pairs, each by its probability of being the same story, then show the
weights of this stream,

    log-odds = log π/(1 − π) + Σ_f w_f (x_f − m_f) + log T(near) + log T(far)

    w = Σ⁻¹ (μ_same − μ_different),   m = (μ_same + μ_different) / 2

T is the likelihood ratio of a time gap (`gaps.py`). Before anything was seen, assumed values stand
in; afterwards they count as a few articles. They are known up to a scale, so the fit starts from
several scales and takes the most plausible one.

A fit feeds on its own decisions: once foreign matches count as the same story, the stories grow
vague, more foreign matches follow, and in the end one story holds everything. So each fit starts
anew from the assumed values, whatever the fits before it were. Which pairs are the same story is
judged by the assumed weights and not by those of the fit, which would otherwise come to prefer
whatever the accepted matches have in common, such as a teaser. And where the two Gaussians do not
part, the assumed ones take their place (`mixture_fit.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from scstory.discovery.calibrated.direction import Direction, Pairs
from scstory.discovery.calibrated.features import Features, pair_cosines
from scstory.discovery.calibrated.gaps import GapEvidence, Gaps
from scstory.discovery.calibrated.mixture import Mixture, Sample
from scstory.discovery.calibrated.mixture_fit import MixtureFit, Seen
from scstory.discovery.calibrated.names import DENSE
from scstory.discovery.calibrated.settings import CalibratedSettings
from scstory.discovery.window import Floats, Ints

if TYPE_CHECKING:
    from scstory.discovery.calibrated.known_pairs import KnownPairs


class Posterior:
    """A mixture of two Gaussians over scores, and the evidence of time.

    Similarities of which the two kinds of pairs vary by about as much after their roots are taken
    are `rooted`: those of words, and across languages those of vectors.
    """

    def __init__(self, settings: CalibratedSettings, *, all_rooted: bool = False) -> None:
        self._settings = settings
        self.names = (*settings.compared, "time", "prior")
        self._rooted = np.array([all_rooted or name not in DENSE for name in settings.compared])
        same, different, deviation = np.array(
            [settings.assumptions[name] for name in settings.compared]
        ).T
        correlation, features = settings.assumed_correlation, len(self._rooted)
        correlations = correlation + (1 - correlation) * np.eye(features)
        self._assumed_direction = Direction(
            same, different, np.outer(deviation, deviation) * correlations
        )
        self._weight = self._assumed_direction.weights
        self._assumed = Mixture(
            float(self._weight @ same),
            float(self._weight @ different),
            float(self._weight @ (same - different)),
            settings.assumed_share,
            settings.resumed_share,
        )
        self._seen: dict[str, NDArray[Any]] = {
            "matches": np.empty((0, features)),
            "match_gaps": np.empty((0, 2), dtype=np.int64),
            "strangers": np.empty((0, features)),
            "second_best": np.empty((0, features)),
            "contemporaries": np.empty((0, features)),
        }
        """The similarities of the latest pairs, which everything is fitted to."""
        self._noted: dict[str, list[NDArray[Any]]] = {name: [] for name in self._seen}
        nothing = Pairs(np.empty((0, features)), np.empty(0))
        self._known = [nothing, nothing]
        """What people put together and told apart."""
        self._gaps = GapEvidence(settings)
        self._fit = MixtureFit(settings, self._assumed, self._gaps)
        self.mixture, self.direction = self._assumed, self._assumed_direction
        self._prepare()

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
        return np.asarray(self.text_evidence(pair_cosines(rows)).sum(axis=0))

    def _with_prior(self, cosines: Floats, time: Floats) -> Floats:
        text = self.text_evidence(cosines)
        return np.stack([*text, time, np.full_like(time, self.mixture.prior)])

    def text_evidence(self, cosines: Floats) -> Floats:
        """Return the log-odds of each feature."""
        shape = (-1, *(1,) * (cosines.ndim - 1))
        weights, middle, least = (
            part.reshape(shape) for part in (self._weights, self._middle, self._least)
        )
        return np.asarray(weights * (np.maximum(self._similarity(cosines), least) - middle))

    def _similarity(self, cosines: Floats) -> Floats:
        """Return cosines on a scale on which both kinds of pairs vary about as much."""
        rooted = self._rooted.reshape(-1, *(1,) * (cosines.ndim - 1))
        return np.where(rooted, np.sqrt(np.maximum(cosines, 0)), cosines)

    # -- what the stream says -----------------------------------------------------------------

    def note(
        self, cosines: Floats, gaps: Gaps, strangers: Floats, unrelated: Gaps | None = None
    ) -> None:
        """Take note of an article's best matches in the window, its best strangers, and gaps.

        The gaps to the stories farthest from it are those of unrelated pairs, unless others are
        given.

        The best is the best by text alone: chosen by time as well, the best matches would always
        be close in time, and closeness would seem to mean ever more.
        """
        settings, noted = self._settings, self._noted
        strange, nearest = self._ordered(strangers)
        # Copies: a view of a column would keep its whole matrix in memory.
        noted["strangers"].extend(strange[:, nearest[:1]].T.copy())
        if not cosines.shape[1]:
            return
        similarity, order = self._ordered(cosines)
        bins = self._gaps.bins(gaps)
        noted["matches"].append(similarity[:, order[0]].copy())
        noted["match_gaps"].append(bins[:, order[0]].copy())
        noted["second_best"].extend(similarity[:, order[1:2]].T.copy())
        some = settings.contemporaries
        if some and len(order) >= some + 2 and len(nearest) > some:
            # The second best may be the same story, broken up.
            here, there = similarity[:, order[2 : some + 2]], strange[:, nearest[1 : some + 1]]
            noted["contemporaries"].append(here.mean(axis=1) - there.mean(axis=1))
        if unrelated is None:
            related = int(np.ceil(settings.related_share * len(order)))
            far = bins[:, order[max(settings.related_least, related) :]]
        else:
            far = self._gaps.bins(unrelated)
        self._gaps.note_unrelated(far)
        if len(noted["matches"]) >= settings.fit_matches:
            self._remember()

    def order(self, cosines: Floats) -> Ints:
        """Return the order of stories by text, the best first."""
        return self._ordered(cosines)[1]

    def _ordered(self, cosines: Floats) -> tuple[Floats, Ints]:
        """Return the similarities of stories, and their order by text, the best first."""
        similarity = self._similarity(cosines)
        return similarity, np.argsort(-(self._weights @ similarity), kind="stable")

    def _remember(self) -> None:
        """Add what was noted to what was seen, and keep the latest of it."""
        for name, noted in self._noted.items():
            if noted:
                both = np.vstack([self._seen[name], *noted])
                self._seen[name] = both[-self._settings.fit_matches :]
                noted.clear()

    def similarity(self, cosines: Floats) -> Floats:
        """Return the cosines of pairs, (pairs, features), as the similarities that are fitted."""
        return self._similarity(cosines.T).T

    def fit(self, foreign: float = 0.0, known: KnownPairs | None = None) -> None:
        """Fit everything to what was noted, and to what people know.

        `foreign` is the share of foreign sentences.
        """
        self._remember()
        if known is not None:
            some, weight = (known.same, known.different), self._settings.correction_weight
            self._known = [Pairs(rows, np.full(len(rows), weight)) for rows in some]
        gaps = self._seen["match_gaps"]
        if not len(gaps):
            return
        matches, different = self._seen["matches"], self._known_different()
        seen = Seen(matches @ self._weight, gaps, *map(self._scored, (different, *self._known)))
        self.mixture = self._fit.fit(seen)
        same, strange = self._fit.expected(self.mixture, seen)
        self.direction = self._fit_direction(
            matches, same, different._replace(weights=strange), foreign
        )
        self._prepare()

    def _scored(self, pairs: Pairs) -> Sample:
        """Return the scores of pairs by the assumed weights."""
        return Sample(pairs.rows @ self._weight, pairs.weights)

    def _fit_direction(
        self, matches: Floats, same: Floats, different: Pairs, foreign: float
    ) -> Direction:
        """Return the direction of best matches, by the probability of each, and strangers."""
        settings, mixture, assumed = self._settings, self.mixture, self._assumed
        more = max(1.0, foreign / settings.assumed_foreign) ** settings.direction_caution
        at_level = self._assumed_direction.scaled(
            mixture.same / assumed.same,
            mixture.different / assumed.different,
            mixture.variance / assumed.variance,
        )
        together, apart = self._known
        rows = np.concatenate([matches, different.rows, apart.rows])
        weights = np.concatenate([1 - same, different.weights, apart.weights])
        alike = np.concatenate([matches, together.rows])
        same = np.concatenate([same, together.weights])
        prior = settings.direction_prior * more
        return at_level.learned(Pairs(alike, same), Pairs(rows, weights), prior)

    def _known_different(self) -> Pairs:
        """Return strangers, and second best matches as long as there are few of them."""
        settings = self._settings
        known, second_best = (self._seen[name] for name in ("strangers", "second_best"))
        lacking = settings.fit_matches - len(known)
        stand_in = second_best[max(len(second_best) - lacking, 0) :]
        # In a small stream second best matches are the best of too few, and too dissimilar.
        weight = min(1.0, len(self._seen["matches"]) / settings.second_best_from)
        weights = np.repeat([1.0, weight], [len(known), len(stand_in)])
        return Pairs(np.concatenate([known + self._likeness(), stand_in]), weights)

    def _likeness(self) -> Floats:
        """Return how much more alike different stories of the same days are than strangers."""
        more, prior = self._seen["contemporaries"], self._settings.contemporaries_prior
        return np.asarray(np.maximum(more.sum(axis=0) / (len(more) + prior), 0))

    def _prepare(self) -> None:
        direction = self.direction
        self._weights, self._middle = direction.weights, direction.middle
        deviation = np.sqrt(np.diag(direction.covariance))
        self._least = direction.different - self._settings.similarity_floor * deviation

    # -- stopping and going on ----------------------------------------------------------------

    def state(self) -> dict[str, NDArray[Any]]:
        """Return what was noted and the fit."""
        self._remember()
        fitted = {"mixture": np.array(self.mixture), **self.direction._asdict()}
        return {**self._seen, **fitted, **self._gaps.state()}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go back to what `state` returned."""
        for noted in self._noted.values():
            noted.clear()
        self._seen = {name: state[name].copy() for name in self._seen}
        self.mixture = Mixture(*map(float, state["mixture"]))
        for share in (self.mixture.share, self.mixture.resumed):
            if not 0 < share < 1:
                raise ValueError(f"a share of {share}")
        self.direction = Direction(*(state[name].copy() for name in Direction._fields))
        self._gaps.restore(state)
        self._prepare()
