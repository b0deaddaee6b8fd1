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
from scstory.discovery.calibrated.language_norms import LanguageNorms
from scstory.discovery.calibrated.languages import Languages
from scstory.discovery.calibrated.leave_one_out import LeaveOneOut
from scstory.discovery.calibrated.mean_encoder import mean_encoder
from scstory.discovery.calibrated.open_slide import Choice, OpenSlide
from scstory.discovery.calibrated.pair_posteriors import PairPosteriors
from scstory.discovery.calibrated.posterior import sigmoid
from scstory.discovery.calibrated.regrouping import Regrouping
from scstory.discovery.calibrated.repeats import OWN
from scstory.discovery.calibrated.second_look import second_look
from scstory.discovery.calibrated.settings import CalibratedSettings
from scstory.discovery.calibrated.weighing import SentenceWeights, weight_columns
from scstory.discovery.corrections import Correction, place
from scstory.discovery.method import Decision, Method, MethodState, Scope, prefixed, unprefixed
from scstory.discovery.paper.article_encoder import ArticleEncoder
from scstory.discovery.paper.assignment import choose
from scstory.discovery.paper.embedding import begin_embedding, embed, model_columns
from scstory.discovery.paper.training_samples import Sampler
from scstory.discovery.paper.update import model_arrays, restore_model, update
from scstory.discovery.window import Column, Floats, Ints, Window

ALL = slice(None)


class CalibratedMethod(Method):
    """Story discovery with a confidence that calibrates itself on the stream."""

    name: ClassVar[str] = "calibrated"

    def __init__(self, settings: CalibratedSettings, dim: int, device: torch.device) -> None:
        self.settings: CalibratedSettings = settings
        self._dim = dim
        self.model = mean_encoder(dim, settings).to(device)
        self._optimiser = Adam(self.model.parameters(), settings.learning_rate)
        self._rng = np.random.default_rng(settings.seed)
        self._reader = FeatureReader(settings.compared)
        self._posterior = PairPosteriors(settings)
        self._norms = LanguageNorms(dim, settings.centring_prior, self._posterior.languages)
        self._archive = Archive(settings, dim)
        self._sentences = SentenceWeights(settings)
        self._corrected = Corrected()
        self._slide: OpenSlide | None = None

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
        embedded = begin_embedding(
            self._used_model, window, new, self._norms.centre(window), weighed_by=OWN
        )
        slide = self._open_slide(scope, int(new[0]))
        embedded()
        decisions = []
        newcomers = slide.newcomers(self._features(scope, window, new), window.times[new].tolist())
        for i, newcomer in zip(new.tolist(), newcomers, strict=True):
            choice, story = slide.decide(newcomer, scope.new_story)
            window.story[i], window.confidence[i] = story, choice.confidence
            decisions.append(_decision(i, choice, story))
        return decisions

    def predict(self, scope: Scope, alone: Window) -> Decision:
        """Say which story an article would join."""
        everything = len(scope.window)
        self._sentences.weigh(scope, alone, np.arange(1), self._norms.of, end=everything)
        embed(self._used_model, alone, np.arange(1), self._norms.centre(alone), weighed_by=OWN)
        slide = self._open_slide(scope, len(scope.window))
        (newcomer,) = slide.newcomers(self._features(scope, alone, ALL), alone.times.tolist())
        choice = slide.predict(newcomer)
        return _decision(0, choice, scope.next_story if choice.story is None else choice.story)

    def explain(self, scope: Scope, rows: Ints) -> list[Decision]:
        """Return the present stories of some rows, each article compared as if it were left out."""
        fit = self._leave_one_out(scope, ALL)
        own, evidence = fit.own_confidence(self._posterior), fit.own_evidence(self._posterior)
        everything = np.arange(len(fit.ids))
        elsewhere = sigmoid(
            fit.log_odds_in(everything, self._posterior, fit.rows[rows], fit.times[rows])
        )
        decisions = []
        for rated, i in zip(elsewhere, rows.tolist(), strict=True):
            column = int(fit.column[i])
            others = np.flatnonzero(everything != column)
            _, _, runners_up = choose(fit.ids[others].tolist(), rated[others], np.inf)
            named = zip(self._posterior.names, evidence[:, i].tolist(), strict=True)
            decisions.append(
                Decision(
                    i,
                    int(fit.ids[column]),
                    float(own[i]),
                    runners_up=runners_up,
                    evidence={} if fit.alone[i] else dict(named),
                )
            )
        return decisions

    def _open_slide(self, scope: Scope, end: int) -> OpenSlide:
        """Return the stories as the first `end` articles of the window left them."""
        if self._slide is None:
            window = scope.window
            end_of_slide = -np.inf if scope.slide is None else scope.end()
            start = end_of_slide - self.settings.slide_length.total_seconds()
            before = int(np.searchsorted(window.times[:end] >= start, True))
            self._slide = OpenSlide(
                window.story[:end],
                window.times[:end].tolist(),
                self._features(scope, window, slice(0, end)),
                before,
                archive=self._archive,
                strangers_before=end_of_slide - 2 * self.settings.window_length.total_seconds(),
                posteriors=self._posterior,
                settings=self.settings,
            )
        return self._slide

    def correct(self, scope: Scope, correction: Correction) -> list[Decision]:
        """Move articles, hold them where a person placed them, and keep stories apart."""
        self._slide = None
        moved, held = place(scope.window, correction)
        for old, new in correction.merged.items():
            self._archive.rename(old, new)
        self._corrected.add(scope.window, correction, held)
        return [Decision(row, int(scope.window.story[row])) for row in moved.tolist()]

    # -- when a slide closes ------------------------------------------------------------------

    def review(self, scope: Scope, new: Ints) -> list[Decision]:
        """Fit the posterior, then let articles move to where they fit clearly better."""
        self._slide = None
        if not len(new):
            return []
        self._posterior.fit(self._sentences.model.foreign_share)
        window = scope.window
        before = window.story.copy()
        for _ in range(self.settings.second_look):
            if not self._look_again(scope, new):
                break
            self._rate(scope, ALL)
        self._regroup(scope, new)
        moved = np.flatnonzero(window.story != before)
        return self.explain(scope, moved) if len(moved) else []

    def _look_again(self, scope: Scope, new: Ints) -> bool:
        """Let articles move that are new, alone or not certain; say whether any did."""
        window = scope.window
        _, column, sizes = np.unique(window.story, return_inverse=True, return_counts=True)
        certain = window.confidence >= self.settings.second_look_certain
        looked_at = (sizes[column] == 1) | ~certain
        looked_at[new] = True
        # A leave-one-out comparison needs all articles of their stories.
        some = np.flatnonzero((np.bincount(column, looked_at) > 0)[column])
        story, free = window.story[some], ~self._corrected.held(len(window))
        scope.next_story = second_look(
            story,
            window.times[some],
            self._features(scope, window, some),
            np.searchsorted(some, new),
            self._posterior,
            self.settings,
            next_story=scope.next_story,
            looked_at=np.flatnonzero((looked_at & free)[some]),
        )
        looked, before = window.story.copy(), window.story.copy()
        looked[some] = story
        self._corrected.send_back(looked, before)
        window.story[:] = looked
        return not np.array_equal(looked, before)

    def _regroup(self, scope: Scope, new: Ints) -> None:
        """Divide stories that grew where they are two, and join those that are one."""
        window, settings = scope.window, self.settings
        if not settings.regroup:
            return
        before = window.story.copy()
        rows = self._features(scope, window, ALL)
        groups = Regrouping(
            window.story, window.times, rows, self._posterior, settings, self._corrected
        )
        scope.next_story = groups.split(np.unique(window.story[new]), next_story=scope.next_story)
        groups.merge(np.unique(window.story[new]))
        if not np.array_equal(window.story, before):
            self._rate(scope, ALL)

    def document_weights(self, scope: Scope, new: Ints) -> Floats:
        """Let the n-th article of a story count 1/n: an affair's own words stay telling."""
        languages = scope.window["language"]
        story = scope.window.story
        order = np.argsort(story, kind="stable")
        _, first, column = np.unique(story[order], return_index=True, return_inverse=True)
        number = np.empty(len(story))
        number[order] = np.arange(1, len(story) + 1) - first[column]
        weights = np.asarray(number[new] ** -self.settings.frequency_fading)
        self._norms.documents.add(languages[new], weights)
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
            self._update(window)
        self._sentences.learn(scope, new, self._norms.of, self._rng)
        for i in new:
            self._norms.means.update(window.members[i].vectors, int(window["language"][i]))
        if 0 < settings.refresh < len(window):
            oldest = np.argsort(window["embedded_in"], kind="stable")[: settings.refresh]
            self._embed(scope, oldest)
            self._rate(scope, np.flatnonzero(np.isin(window.story, window.story[new])))
        else:
            self._embed_all(scope)

    def evict(self, scope: Scope, gone: Window) -> None:
        """Add what left the window to the archive; remove what is too old to resume."""
        self._slide = None
        self._corrected.evict(
            len(gone), {*scope.window.story.tolist(), *gone.story.tolist(), *self.resumable()}
        )
        if not self.settings.resume:
            return
        if len(gone):
            self._archive.add(gone.story, gone.times, self._features(scope, gone, ALL))
        self._archive.drop(scope.end() - self.settings.resume_length.total_seconds())

    def resumable(self) -> Collection[int]:
        """Return the stories of the archive."""
        return set(self._archive.stories.tolist())

    def _update(self, window: Window) -> None:
        settings = self.settings
        sampler = Sampler(settings.batch_size, settings.delta, settings.max_sentences)
        update(
            self.model,
            self._optimiser,
            window,
            sampler,
            batches=min(len(window) // settings.batch_size + 1, settings.max_batches),
            temperature=settings.temperature,
            rng=self._rng,
            scope=np.arange(len(window)),
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
        self._rate(scope, ALL)

    def _rate(self, scope: Scope, chosen: Ints | slice) -> None:
        """Set the confidence of all articles of some stories to that in their own story."""
        fit = self._leave_one_out(scope, chosen)
        window = scope.window
        window.confidence[chosen] = fit.own_confidence(self._posterior)
        window.confidence[self._corrected.held(len(window))] = 1.0

    def _leave_one_out(self, scope: Scope, chosen: Ints | slice) -> LeaveOneOut:
        window = scope.window
        story, times = window.story[chosen], window.times[chosen]
        rows = self._features(scope, window, chosen)
        return LeaveOneOut.of(story, times, rows, coherence=self.settings.coherence)

    def _features(self, scope: Scope, window: Window, chosen: Ints | slice) -> Features:
        languages = window["language"][chosen]
        return self._reader.read(
            window,
            chosen,
            centre=self._norms.means.values(languages),
            statistics=scope.statistics,
            documents=self._norms.documents.of(languages),
        )

    @property
    def _used_model(self) -> ArticleEncoder | None:
        return self.model if self.settings.learned else None

    # -- stopping and going on ----------------------------------------------------------------

    def state(self) -> MethodState:
        """Return M, the optimiser's moments, the fit, the mean vector and the archive."""
        arrays = {
            **model_arrays(self.model, self._optimiser),
            **prefixed("posterior", self._posterior.state()),
            **prefixed("archive", self._archive.state()),
            **prefixed("sentences", self._sentences.state()),
            **prefixed("norms", self._norms.state()),
            **prefixed("corrected", self._corrected.state()),
        }
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


def _decision(row: int, choice: Choice, story: int) -> Decision:
    return Decision(
        row, story, choice.confidence, choice.story is None, choice.runners_up, choice.evidence
    )
