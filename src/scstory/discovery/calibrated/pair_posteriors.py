"""The posteriors of the three kinds of pairs: within a language, across, and by words alone.

`languages.py` has the mathematics. Where all pairs are of the first kind, this is the posterior of
that kind and nothing else.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scstory.discovery.calibrated.features import Features, pair_cosines
from scstory.discovery.calibrated.gaps import Gaps
from scstory.discovery.calibrated.languages import ACROSS, APART, NEVER, WITHIN, WORDS, Languages
from scstory.discovery.calibrated.names import DENSE, SOUNDS
from scstory.discovery.calibrated.posterior import Posterior
from scstory.discovery.calibrated.settings import CalibratedSettings
from scstory.discovery.method import prefixed, unprefixed
from scstory.discovery.window import Floats, Ints

if TYPE_CHECKING:
    from scstory.discovery.calibrated.known_pairs import KnownPairs

Kinds = NDArray[np.int8]
NAMES = {ACROSS: "across", WORDS: "words"}


class _Other(NamedTuple):
    """A posterior over some of the features, and which these are."""

    posterior: Posterior
    features: Ints

    @property
    def rows(self) -> Ints:
        """The rows of its evidence among that of all features, of time and of the prior."""
        return np.concatenate([self.features, [-2, -1]])


class PairPosteriors:
    """A posterior for each kind of pairs; all but the first are made when they are needed."""

    def __init__(self, settings: CalibratedSettings, languages: Languages | None = None) -> None:
        self.within = Posterior(settings)
        self.languages = languages or Languages.of(None, cross_lingual=settings.cross_lingual)
        self._settings = settings
        self._others: dict[int, _Other] = {}

    @property
    def features(self) -> tuple[str, ...]:
        """What articles and stories are compared by; how names sound last, if at all."""
        within = self.within.names[:-2]
        return (*within, SOUNDS) if self.languages.several else within

    @property
    def names(self) -> tuple[str, ...]:
        """The kinds of evidence."""
        return (*self.features, "time", "prior")

    def evidence(self, cosines: Floats, gaps: Gaps, kinds: Kinds | None = None) -> Floats:
        """Return the log-odds of each feature, of time, and of the prior, one below the other."""
        found = self._with_sounds(self.within.evidence(self._words(cosines), gaps))
        for kind, there in self._split(kinds):
            some = Gaps(gaps.near[there], gaps.far[there])
            if kind == APART:
                self._set_apart(found, there)
            else:
                posterior, features = other = self._other(kind)
                own = posterior.evidence(cosines[features][:, there], some)
                self._set(found, there, other, own)
        return found

    def resumption_evidence(
        self, cosines: Floats, quiet: Floats, kinds: Kinds | None = None
    ) -> Floats:
        """Return the same for stories that have left the window."""
        found = self._with_sounds(self.within.resumption_evidence(self._words(cosines), quiet))
        for kind, there in self._split(kinds):
            if kind == APART:
                self._set_apart(found, there)
            else:
                posterior, features = other = self._other(kind)
                own = posterior.resumption_evidence(cosines[features][:, there], quiet[there])
                self._set(found, there, other, own)
        return found

    def pairs(self, rows: Features) -> Floats:
        """Return the evidence of the texts alone that articles are in one story, two by two."""
        kinds = self.languages.kinds(rows.language[:, None], rows.language)
        cosines = pair_cosines(rows)
        found = self.within.text_evidence(self._words(cosines)).sum(axis=0)
        for kind, there in self._split(kinds):
            if kind == APART:
                found[there] = NEVER
            else:
                posterior, features = self._other(kind)
                found[there] = posterior.text_evidence(cosines[features][:, there]).sum(axis=0)
        return np.asarray(found)

    def note(
        self,
        cosines: Floats,
        gaps: Gaps,
        strangers: Floats,
        unrelated: Gaps | None = None,
        kinds: Kinds | None = None,
        strange_kinds: Kinds | None = None,
    ) -> None:
        """Take note of an article's best matches of each kind, its best strangers, and gaps."""
        if kinds is None and strange_kinds is None:
            self.within.note(self._words(cosines), gaps, self._words(strangers), unrelated)
            return
        kinds = _all_within(cosines) if kinds is None else kinds
        strange = _all_within(strangers) if strange_kinds is None else strange_kinds
        for kind in (WITHIN, *NAMES):
            there, stranger = kinds == kind, strange == kind
            if kind == WITHIN and there.sum() < self._settings.fewest_in_language:
                continue
            if kind != WITHIN and not (self._telling(kind) and (there.any() or stranger.any())):
                continue
            every = np.arange(len(self.within.names) - 2)
            posterior, features = (self.within, every) if kind == WITHIN else self._other(kind)
            some = Gaps(gaps.near[there], gaps.far[there])
            posterior.note(cosines[features][:, there], some, strangers[features][:, stranger])

    def order(self, cosines: Floats) -> Ints:
        """Return the order of stories by text, the best first, all within the language."""
        return self.within.order(self._words(cosines))

    def fit(self, foreign: float = 0.0, known: "KnownPairs | None" = None) -> None:
        """Fit each posterior to what was noted. `foreign` is the share of foreign sentences."""
        self.within.fit(foreign, known)
        for other in self._others.values():
            other.posterior.fit(foreign)

    def state(self) -> dict[str, NDArray[Any]]:
        """Return what was noted and the fits."""
        others = {
            name: value
            for kind, other in self._others.items()
            for name, value in prefixed(NAMES[kind], other.posterior.state()).items()
        }
        return {**self.within.state(), **others}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go back to what `state` returned."""
        self.within.restore(state)
        self._others = {}
        for kind, name in NAMES.items():
            if own := unprefixed(name, state):
                self._other(kind).posterior.restore(own)

    def _words(self, cosines: Floats) -> Floats:
        """Return the cosines of what tells within a language: all but how names sound."""
        return cosines[: len(self.within.names) - 2]

    def _with_sounds(self, evidence: Floats) -> Floats:
        """Return the evidence of pairs within a language, to which how names sound adds nothing."""
        if not self.languages.several:
            return evidence
        silent = np.zeros((1, *evidence.shape[1:]))
        return np.concatenate([evidence[:-2], silent, evidence[-2:]])

    def _other(self, kind: int) -> _Other:
        if kind not in self._others:
            settings, dense, names = self._settings, kind == ACROSS, self._telling(kind)
            changes: dict[str, Any] = {"features": ", ".join(names)}
            if dense:
                changes |= {
                    "assumed": settings.assumed_across,
                    "least_separation": settings.separation_across,
                }
            posterior = Posterior(replace(settings, **changes), all_rooted=dense)
            features = np.array([self.features.index(name) for name in names], dtype=np.int64)
            self._others[kind] = _Other(posterior, features)
        return self._others[kind]

    def _telling(self, kind: int) -> list[str]:
        """Return the features that tell of pairs of a kind; none may be among those compared."""
        telling = (*DENSE, SOUNDS)
        return [name for name in self.features if (name in telling) == (kind == ACROSS)]

    def _split(self, kinds: Kinds | None) -> list[tuple[int, NDArray[np.bool_]]]:
        """Return which pairs are of each kind but the first, if there are any.

        Pairs are apart if no feature tells of them.
        """
        if kinds is None:
            return []
        for kind in NAMES:
            if not self._telling(kind):
                kinds = np.where(kinds == kind, np.int8(APART), kinds)
        some = [(kind, kinds == kind) for kind in (*NAMES, APART)]
        return [(kind, there) for kind, there in some if there.any()]

    @staticmethod
    def _set(found: Floats, there: NDArray[np.bool_], other: _Other, own: Floats) -> None:
        """Set the evidence of some pairs; that of the time is the same in all kinds."""
        time = found[-2][there]
        found[:, there] = 0
        for row, evidence in zip(other.rows.tolist(), own, strict=True):
            found[row][there] = evidence
        found[-2][there] = time

    @staticmethod
    def _set_apart(found: Floats, there: NDArray[np.bool_]) -> None:
        found[:, there] = 0
        found[-1][there] = NEVER


def _all_within(cosines: Floats) -> Kinds:
    return np.full(cosines.shape[1:], WITHIN, dtype=np.int8)
