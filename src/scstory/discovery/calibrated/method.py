"""The default method: weighed sentences, calibrated posteriors over several features, resumption.

The sentences of each article are weighed first. The article then joins the story with the highest
posterior probability if that is at least δ, resumes a story that has left the window, or founds
one. When a slide closes, the posterior is fitted to what was seen, articles may move to where they
fit clearly better, stories are divided and joined, and M learns: from few batches as in the paper,
and from inserted sentences which ones are an article's own.
"""

from collections.abc import Collection, Sequence
from functools import partial
from typing import ClassVar

import numpy as np
import torch

from scstory.discovery.adam import Adam
from scstory.discovery.calibrated.archive import Archive
from scstory.discovery.calibrated.corrected import Corrected
from scstory.discovery.calibrated.features import FeatureReader
from scstory.discovery.calibrated.known_pairs import KnownPairs
from scstory.discovery.calibrated.language_norms import LanguageNorms
from scstory.discovery.calibrated.languages import Languages
from scstory.discovery.calibrated.large_window import LargeWindow
from scstory.discovery.calibrated.mean_encoder import mean_encoder
from scstory.discovery.calibrated.open_slide import OpenSlide
from scstory.discovery.calibrated.pair_posteriors import PairPosteriors
from scstory.discovery.calibrated.repeats import OWN
from scstory.discovery.calibrated.settings import CalibratedSettings
from scstory.discovery.calibrated.weighing import SentenceWeights, weight_columns
from scstory.discovery.calibrated.whole_window import WholeWindow
from scstory.discovery.calibrated.window_stories import ALL, Evidence, WindowStories
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
        self._posterior = PairPosteriors(settings)
        self._norms = LanguageNorms(dim, settings.centring_prior, self._posterior.languages)
        self._sentences = SentenceWeights(settings)
        self._corrected = Corrected()
        self._known = KnownPairs(settings)
        self._start()

    def _start(self) -> None:
        """Start with nothing, compared by what the languages of the encoder let tell."""
        features = self._posterior.features
        self._archive = Archive(self.settings, self._dim, features)
        self._evidence = Evidence(
            self.settings,
            self._posterior,
            self._norms,
            self._archive,
            self._corrected,
            FeatureReader(features),
        )
        self._stories: WindowStories[OpenSlide] = WholeWindow(self._evidence)

    def columns(self) -> Sequence[Column]:
        """Return the features of articles, and when each vector of M was made."""
        return (
            *model_columns(self._dim, np.float16),
            Column("embedded_in", np.int64),
            *weight_columns(self._dim),
            self._posterior.languages.column(),
        )

    def serve(self, languages: Collection[str] | None) -> None:
        """Compare articles in other languages by their words alone."""
        known = Languages.of(languages, cross_lingual=self.settings.cross_lingual)
        self._posterior.languages = self._norms.languages = known
        self._start()

    # -- deciding -----------------------------------------------------------------------------

    def assign(self, scope: Scope, new: Ints) -> list[Decision]:
        """Let each article join, resume or found a story, in order."""
        window = scope.window
        window["embedded_in"][new] = scope.slide
        self._sentences.weigh(scope, window, new, self._norms.of, end=0)
        centre = self._norms.centre(window)
        embedded = begin_embedding(self._used_model, window, new, centre, weighed_by=OWN)
        slide = self._stories.slide(scope, int(new[0]))
        embedded()
        decisions = []
        newcomers = slide.newcomers(
            self._stories.features(scope, window, new),
            window.times[new].tolist(),
            window.term_table("term_counts", new),
        )
        for i, newcomer in zip(new.tolist(), newcomers, strict=True):
            choice, story = slide.decide(newcomer, scope.new_story)
            window.story[i], window.confidence[i] = story, choice.confidence
            self._stories.decided(window, i)
            decisions.append(choice.decided(i, story))
        return decisions

    def predict(self, scope: Scope, alone: Window) -> Decision:
        """Say which story an article would join."""
        everything = len(scope.window)
        self._sentences.weigh(scope, alone, np.arange(1), self._norms.of, end=everything)
        embed(self._used_model, alone, np.arange(1), self._norms.centre(alone), weighed_by=OWN)
        slide = self._stories.slide(scope, everything)
        features = self._stories.features(scope, alone, ALL)
        (newcomer,) = slide.newcomers(features, alone.times.tolist(), alone.terms)
        choice = slide.predict(newcomer)
        return choice.decided(0, scope.next_story if choice.story is None else choice.story)

    def correct(self, scope: Scope, correction: Correction) -> list[Decision]:
        """Move articles, hold them where a person placed them, and keep stories apart."""
        self._stories.forget_slide()
        before = scope.window.story.copy()
        moved, held = place(scope.window, correction)
        if len(moved) and not correction.retracts:
            self._learn_from(scope, correction, before, moved)
        self._stories.moved(scope.window, moved, before[moved])
        for old, new in correction.merged.items():
            self._archive.rename(old, new)
        self._corrected.add(scope.window, correction, held)
        return [Decision(row, int(scope.window.story[row])) for row in moved.tolist()]

    def _learn_from(self, scope: Scope, correction: Correction, before: Ints, moved: Ints) -> None:
        """Take note of the pairs that a correction shows."""
        now = scope.window.story
        some = np.flatnonzero(np.isin(before, before[moved]) | np.isin(now, now[moved]))
        rows = self._stories.features(scope, scope.window, some)
        there = np.searchsorted(some, moved)
        self._known.learn(rows, before[some], now[some], there, self._posterior.within, correction)

    # -- when a slide closes ------------------------------------------------------------------

    def review(self, scope: Scope, new: Ints) -> list[Decision]:
        """Fit the posterior, then let articles move to where they fit clearly better."""
        decisions = []
        if len(new):
            self._posterior.fit(self._sentences.model.foreign_share, self._known)
            decisions = self._stories.review(scope, new)
        self._stories.forget_slide()
        return decisions

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
                self._stories.renew(scope, ALL, partial(self._embed, scope))
            self._update(window, new)
        self._sentences.learn(scope, new, self._norms.of, self._rng)
        for i in new:
            self._norms.means.update(window.members.vectors(int(i)), int(window["language"][i]))
        self._stories.renew(scope, new, partial(self._embed, scope))
        self._stories = self._choose_stories(scope)

    def _choose_stories(self, scope: Scope) -> WindowStories[OpenSlide]:
        """Return the stories as they are compared from now on: whether they are many or few."""
        window, present = scope.window, self._stories
        if len(window.rows_of) < self.settings.candidates_from or self._several_kinds(window):
            return present if isinstance(present, WholeWindow) else WholeWindow(self._evidence)
        if isinstance(present, LargeWindow) and not present.sums.is_old(scope.statistics):
            return present
        return LargeWindow.of(self._evidence, scope)

    def _several_kinds(self, window: Window) -> bool:
        """Say whether pairs are of several kinds: sums are not divided by language."""
        languages = window["language"]
        return self._posterior.languages.kinds(int(languages[0]), languages) is not None

    def evict(self, scope: Scope, gone: Window) -> None:
        """Add what left the window to the archive; remove what is too old to resume."""
        self._stories.forget_slide()
        known = {*scope.window.rows_of, *gone.story.tolist(), *self.resumable()}
        self._corrected.evict(len(gone), known)
        if len(gone):
            self._stories.left(gone, scope.window)
        if len(gone) and self.settings.resume:
            features = self._stories.features(scope, gone, ALL)
            self._archive.add(gone.story, gone.times, features)
        if self.settings.resume:
            self._archive.drop(scope.end() - self.settings.resume_length.total_seconds())

    def resumable(self) -> Collection[int]:
        """Return the stories of the archive."""
        return set(self._archive.stories.tolist())

    def explain(self, scope: Scope, rows: Ints) -> list[Decision]:
        """Return the present stories of some rows, each article compared as if it were left out."""
        return self._stories.explain(scope, rows)

    def _update(self, window: Window, new: Ints) -> None:
        settings, size = self.settings, self.settings.batch_size
        placed = np.repeat(self._corrected.placed(size), settings.correction_draws)
        rows = self._stories.to_learn_from(window, new, self._rng)
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
        arrays |= self._stories.state()
        return MethodState({"rng": self._rng.bit_generator.state}, arrays)

    def restore(self, scope: Scope, state: MethodState) -> None:
        """Go back to what `state` returned."""
        self._rng.bit_generator.state = state.meta["rng"]
        self._norms.restore(unprefixed("norms", state.arrays))
        restore_model(self.model, self._optimiser, state.arrays)
        self._posterior.restore(unprefixed("posterior", state.arrays))
        self._archive.restore(unprefixed("archive", state.arrays))
        self._sentences.restore(scope.window, unprefixed("sentences", state.arrays))
        self._corrected.restore(unprefixed("corrected", state.arrays))
        self._known.restore(unprefixed("known", state.arrays))
        self._stories = (
            LargeWindow.restored(self._evidence, scope, state.arrays)
            if "reference.centre" in state.arrays
            else WholeWindow(self._evidence)
        )
