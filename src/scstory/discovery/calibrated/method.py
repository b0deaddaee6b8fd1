"""The default method: weighed sentences, calibrated posteriors over several features, resumption.

The sentences of each article are weighed first. The article then joins the story with the highest
posterior probability if that is at least δ, resumes a story that has left the window, or founds
one. When a slide closes, the posterior is fitted to what was seen, articles may move to where they
fit clearly better, stories are divided and joined, and M learns: from few batches as in the paper,
and from inserted sentences which ones are an article's own.
"""

from collections.abc import Collection, Sequence
from typing import ClassVar

import numpy as np
import torch

from scstory.discovery.adam import Adam
from scstory.discovery.calibrated.archive import Archive
from scstory.discovery.calibrated.corrected import Corrected
from scstory.discovery.calibrated.features import FeatureReader, Features
from scstory.discovery.calibrated.known_pairs import KnownPairs
from scstory.discovery.calibrated.language_norms import LanguageNorms
from scstory.discovery.calibrated.languages import Languages
from scstory.discovery.calibrated.large_review import LargeReview
from scstory.discovery.calibrated.large_slide import LargeSlide
from scstory.discovery.calibrated.large_window import LargeWindow
from scstory.discovery.calibrated.mean_encoder import mean_encoder
from scstory.discovery.calibrated.open_slide import OpenSlide
from scstory.discovery.calibrated.pair_posteriors import PairPosteriors
from scstory.discovery.calibrated.repeats import OWN
from scstory.discovery.calibrated.settings import CalibratedSettings
from scstory.discovery.calibrated.weighing import SentenceWeights, weight_columns
from scstory.discovery.calibrated.whole_window import ALL, WholeWindow
from scstory.discovery.corrections import Correction, place
from scstory.discovery.method import Decision, Method, MethodState, Scope, prefixed, unprefixed
from scstory.discovery.paper.embedding import begin_embedding, embed, model_columns
from scstory.discovery.paper.training_samples import Sampler
from scstory.discovery.paper.update import model_arrays, restore_model, update
from scstory.discovery.window import Column, Floats, Ints, Window


class CalibratedMethod(Method):
    """Story discovery with a confidence that calibrates itself on the stream."""

    name: ClassVar[str] = "calibrated"

    def __init__(self, settings: CalibratedSettings, dim: int, device: torch.device) -> None:
        self.settings: CalibratedSettings = settings
        self._dim = dim
        self.model = mean_encoder(dim, settings).to(device)
        self._used_model = self.model if settings.learned else None
        self._optimiser = Adam(self.model.parameters(), settings.learning_rate)
        self._rng = np.random.default_rng(settings.seed)
        self._reader = FeatureReader(settings.compared)
        self._posterior = PairPosteriors(settings)
        self._norms = LanguageNorms(dim, settings.centring_prior, self._posterior.languages)
        self._archive = Archive(settings, dim)
        self._sentences = SentenceWeights(settings)
        self._corrected = Corrected()
        self._known = KnownPairs(settings)
        self._slide: OpenSlide | None = None
        self._whole = WholeWindow(
            settings,
            self._posterior,
            self._corrected,
            lambda scope, rows: self._features(scope, scope.window, rows),
        )
        self._large: LargeWindow | None = None
        """The sums of the stories, while there are many."""

    def columns(self) -> Sequence[Column]:
        """Return the features of articles, and when each vector of M was made."""
        return (
            *model_columns(self._dim),
            Column("embedded_in", np.int64),
            *weight_columns(self._dim),
            self._posterior.languages.column(),
        )

    def serve(self, languages: Collection[str] | None) -> None:
        """Compare articles in other languages by their words alone."""
        known = Languages.of(languages, cross_lingual=self.settings.cross_lingual)
        self._posterior.languages = self._norms.languages = known

    # -- deciding -----------------------------------------------------------------------------

    def assign(self, scope: Scope, new: Ints) -> list[Decision]:
        """Let each article join, resume or found a story, in order."""
        window = scope.window
        window["embedded_in"][new] = scope.slide
        self._sentences.weigh(scope, window, new, self._norms.of, end=0)
        centre = self._norms.centre(window)
        embedded = begin_embedding(self._used_model, window, new, centre, weighed_by=OWN)
        slide = self._open_slide(scope, int(new[0]))
        embedded()
        decisions = []
        newcomers = slide.newcomers(
            self._features(scope, window, new),
            window.times[new].tolist(),
            window.term_table("term_counts", new),
        )
        for i, newcomer in zip(new.tolist(), newcomers, strict=True):
            choice, story = slide.decide(newcomer, scope.new_story)
            window.story[i], window.confidence[i] = story, choice.confidence
            if self._large:
                self._large.telling.add(window, i)
            decisions.append(choice.decided(i, story))
        return decisions

    def predict(self, scope: Scope, alone: Window) -> Decision:
        """Say which story an article would join."""
        everything = len(scope.window)
        self._sentences.weigh(scope, alone, np.arange(1), self._norms.of, end=everything)
        embed(self._used_model, alone, np.arange(1), self._norms.centre(alone), weighed_by=OWN)
        slide = self._open_slide(scope, len(scope.window))
        features = self._features(scope, alone, ALL)
        (newcomer,) = slide.newcomers(features, alone.times.tolist(), alone.terms)
        choice = slide.predict(newcomer)
        return choice.decided(0, scope.next_story if choice.story is None else choice.story)

    def _open_slide(self, scope: Scope, end: int) -> OpenSlide:
        """Return the stories as the first `end` articles of the window left them."""
        if self._slide is None:
            window = scope.window
            end_of_slide = -np.inf if scope.slide is None else scope.end()
            start = end_of_slide - self.settings.slide_length.total_seconds()
            long_ago = end_of_slide - 2 * self.settings.window_length.total_seconds()
            if large := self._large:
                self._slide = large.open_slide(scope, start, long_ago, self._archive)
                return self._slide
            before = int(np.searchsorted(window.times[:end] >= start, True))
            self._slide = OpenSlide(
                window.story[:end],
                window.times[:end].tolist(),
                self._features(scope, window, slice(0, end)),
                before,
                archive=self._archive,
                strangers_before=long_ago,
                posterior=self._posterior,
                settings=self.settings,
            )
        return self._slide

    def correct(self, scope: Scope, correction: Correction) -> list[Decision]:
        """Move articles, hold them where a person placed them, and keep stories apart."""
        self._slide = None
        before = scope.window.story.copy()
        moved, held = place(scope.window, correction)
        if len(moved) and not correction.retracts:
            self._learn_from(scope, correction, before, moved)
        if self._large:
            self._large.moved(scope.window, moved, before[moved])
        for old, new in correction.merged.items():
            self._archive.rename(old, new)
        self._corrected.add(scope.window, correction, held)
        return [Decision(row, int(scope.window.story[row])) for row in moved.tolist()]

    def _learn_from(self, scope: Scope, correction: Correction, before: Ints, moved: Ints) -> None:
        """Take note of the pairs that a correction shows."""
        now = scope.window.story
        some = np.flatnonzero(np.isin(before, before[moved]) | np.isin(now, now[moved]))
        rows, there = self._features(scope, scope.window, some), np.searchsorted(some, moved)
        self._known.learn(rows, before[some], now[some], there, self._posterior.within, correction)

    # -- when a slide closes ------------------------------------------------------------------

    def review(self, scope: Scope, new: Ints) -> list[Decision]:
        """Fit the posterior, then let articles move to where they fit clearly better."""
        if not len(new):
            self._slide = None
            return []
        self._posterior.fit(self._sentences.model.foreign_share, self._known)
        large = self._large_review(scope)
        decisions = large.review(new) if large else self._whole.review(scope, new)
        self._slide = None
        return decisions

    def _large_review(self, scope: Scope) -> LargeReview | None:
        if not self._large:
            return None
        slide = self._open_slide(scope, len(scope.window))
        assert isinstance(slide, LargeSlide)
        return LargeReview(self._large, scope, slide)

    def document_weights(self, scope: Scope, new: Ints) -> Floats:
        """Let the n-th article of a story count 1/n: an affair's own words stay telling."""
        rows_of, story = scope.window.rows_of, scope.window.story[new].tolist()
        number = [
            1 + int(np.searchsorted(rows_of.of(own), row))
            for own, row in zip(story, new.tolist(), strict=True)
        ]
        weights = np.array(number, dtype=np.float64) ** -self.settings.frequency_fading
        self._norms.documents.add(scope.window["language"][new], weights)
        return weights

    def learn(self, scope: Scope, new: Ints) -> None:
        """Update M, then renew the oldest vectors and the confidences in stories that grew.

        The mean vector grows between the two: the update compares vectors as they were decided on.
        """
        window, settings = scope.window, self.settings
        if not len(window):
            return
        for epoch in range(settings.epochs if settings.learned else 0):
            if epoch:
                self._embed_all(scope)
            self._update(window, new)
        self._sentences.learn(scope, new, self._norms.of, self._rng)
        for i in new:
            self._norms.means.update(window.members[i].vectors, int(window["language"][i]))
        if self._large or 0 < settings.refresh < len(window):
            oldest = np.argsort(window["embedded_in"], kind="stable")[: settings.refresh]
            self._renew(scope, oldest, new)
        else:
            self._embed_all(scope)
        self._large = self._large_window(scope)

    def _renew(self, scope: Scope, oldest: Ints, new: Ints) -> None:
        """Renew some vectors, and the confidences in the stories that grew."""
        window = scope.window
        if self._large:
            self._large.take_out(window, oldest)
            self._embed(scope, oldest)
            self._large.put_in(window, oldest)
            self._large.rate(window, np.unique(window.story[new]).tolist())
        else:
            self._embed(scope, oldest)
            self._whole.rate(scope, np.flatnonzero(np.isin(window.story, window.story[new])))

    def _large_window(self, scope: Scope) -> LargeWindow | None:
        """Return the sums of the stories, if they are many."""
        window = scope.window
        if len(window.rows_of) < self.settings.candidates_from:
            return None
        languages = window["language"]
        if self._posterior.languages.kinds(int(languages[0]), languages) is not None:
            return None  # the sums of a large window are not divided by language
        if self._large and not self._large.is_old(scope.statistics):
            return self._large
        large = self._new_large(scope)
        large.build(window)
        return large

    def _new_large(self, scope: Scope) -> LargeWindow:
        return LargeWindow(
            self.settings,
            self._posterior,
            self._reader,
            self._corrected,
            self._norms.means.values(scope.window["language"][:1]),
            scope.statistics,
        )

    def evict(self, scope: Scope, gone: Window) -> None:
        """Add what left the window to the archive; remove what is too old to resume."""
        self._slide = None
        known = {*scope.window.rows_of, *gone.story.tolist(), *self.resumable()}
        self._corrected.evict(len(gone), known)
        if len(gone) and self._large:
            self._large.leave(gone, scope.window)
        if len(gone) and self.settings.resume:
            self._archive.add(gone.story, gone.times, self._features(scope, gone, ALL))
        if self.settings.resume:
            self._archive.drop(scope.end() - self.settings.resume_length.total_seconds())

    def resumable(self) -> Collection[int]:
        """Return the stories of the archive."""
        return set(self._archive.stories.tolist())

    def explain(self, scope: Scope, rows: Ints) -> list[Decision]:
        """Return the present stories of some rows, each article compared as if it were left out."""
        large = self._large_review(scope)
        return large.explain(rows) if large else self._whole.explain(scope, rows)

    def _update(self, window: Window, new: Ints) -> None:
        settings, size = self.settings, self.settings.batch_size
        placed = np.repeat(self._corrected.placed(size), settings.correction_draws)
        large, everything = self._large, np.arange(len(window))
        rows = large.to_learn_from(window, new, self._rng) if large else everything
        sampler = Sampler(size, settings.delta, settings.max_sentences, placed=placed)
        update(
            self.model,
            self._optimiser,
            window,
            sampler,
            batches=min(len(window) // size + 1, settings.max_batches),
            temperature=settings.temperature,
            rng=self._rng,
            scope=rows,
            known=rows,
            centre=self._norms.centre(window),
            weighed_by=OWN,
        )

    def _embed(self, scope: Scope, chosen: Ints) -> None:
        scope.window["embedded_in"][chosen] = scope.slide
        window = scope.window
        self._sentences.weigh(scope, window, chosen, self._norms.of, end=len(window))
        embed(self._used_model, window, chosen, self._norms.centre(window), weighed_by=OWN)

    def _embed_all(self, scope: Scope) -> None:
        self._embed(scope, np.arange(len(scope.window)))
        self._whole.rate(scope, ALL)

    def _features(self, scope: Scope, window: Window, chosen: Ints | slice) -> Features:
        if self._large:
            return self._large.features(window, chosen)
        languages = window["language"][chosen]
        return self._reader.read(
            window,
            chosen,
            centre=self._norms.means.values(languages),
            statistics=scope.statistics,
            documents=self._norms.documents.of(languages),
        )

    # -- stopping and going on ----------------------------------------------------------------

    def state(self) -> MethodState:
        """Return M, the optimiser's moments, the fit, the mean vector and the archive."""
        arrays = {
            **model_arrays(self.model, self._optimiser),
            **prefixed("posterior", self._posterior.state()),
            **prefixed("archive", self._archive.state()),
            **prefixed("sentences", self._sentences.state()),
            **prefixed("corrected", self._corrected.state()),
            **prefixed("known", self._known.state()),
            **prefixed("norms", self._norms.state()),
        }
        if self._large:
            arrays |= prefixed("reference", self._large.state())
        return MethodState({"rng": self._rng.bit_generator.state}, arrays)

    def restore(self, scope: Scope, state: MethodState) -> None:
        """Go back to what `state` returned."""
        self._slide = None
        self._rng.bit_generator.state = state.meta["rng"]
        self._norms.restore(unprefixed("norms", state.arrays))
        restore_model(self.model, self._optimiser, state.arrays)
        self._posterior.restore(unprefixed("posterior", state.arrays))
        self._archive.restore(unprefixed("archive", state.arrays))
        self._sentences.restore(scope.window, unprefixed("sentences", state.arrays))
        self._corrected.restore(unprefixed("corrected", state.arrays))
        self._known.restore(unprefixed("known", state.arrays))
        self._large = None
        if reference := unprefixed("reference", state.arrays):
            self._large = self._new_large(scope)
            self._large.restore(scope.window, reference)
