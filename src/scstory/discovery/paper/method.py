"""The paper's method: Algorithm 1 without the loop over slides, which is the engine's.

The first window is held back and clustered (cold start). From then on each article joins the most
similar story or founds one (Eqs. 5 and 6); after every slide M is updated (Eqs. 7 to 10) and the
vectors and confidences in the window are computed again.
"""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import torch

from scstory.discovery.adam import Adam
from scstory.discovery.corrections import Correction, place
from scstory.discovery.method import Decision, Method, MethodState, Scope, prefixed, unprefixed
from scstory.discovery.paper.article_encoder import ArticleEncoder
from scstory.discovery.paper.assignment import ActiveStories, choose, own_confidences
from scstory.discovery.paper.cold_start import seed_stories
from scstory.discovery.paper.embedding import embed, model_columns
from scstory.discovery.paper.settings import ContinualSettings
from scstory.discovery.paper.training_samples import Sampler
from scstory.discovery.paper.update import model_arrays, restore_model, update
from scstory.discovery.window import Column, Floats, Ints, Window


class PaperMethod(Method):
    """SCStory as published."""

    name: ClassVar[str] = "paper"

    def __init__(
        self,
        settings: ContinualSettings,
        dim: int,
        device: torch.device,
        encoder: type[ArticleEncoder] = ArticleEncoder,
        *,
        pretrained: bool = False,
    ) -> None:
        self.settings: ContinualSettings = settings
        self._dim = dim
        self.model = encoder(
            dim, heads=settings.heads, pooling_width=settings.pooling_width, seed=settings.seed
        ).to(device)
        self._optimiser = Adam(self.model.parameters(), settings.learning_rate)
        self._rng = np.random.default_rng(settings.seed)
        self._memory = Window(self.columns())
        """Articles that have left the window and can still be replayed."""
        self._stories: ActiveStories | None = None
        self._waiting = True
        """Whether the first window is still being collected."""
        self._just_seeded = False
        self._pretrained = pretrained
        """Whether M, which is loaded or restored then, was learned on another stream."""

    @property
    def cold(self) -> bool:
        """Whether the first window is still being collected, or has just been decided."""
        return self._waiting or self._just_seeded

    def columns(self) -> Sequence[Column]:
        """Return what goes into M and what comes out."""
        return model_columns(self._dim)

    # -- deciding -----------------------------------------------------------------------------

    def assign(self, scope: Scope, new: Ints) -> list[Decision]:
        """Let each article join the most similar story or found one, in order."""
        if self._waiting:
            return []
        window = scope.window
        embed(self._used_model, window, new)
        stories = self._active(scope, int(new[0]))
        decisions = []
        for i in new.tolist():
            vector = window["vectors"][i].astype(np.float64)
            decision = self._decide(i, vector, stories, scope.next_story)
            scope.next_story += decision.new
            stories.join(decision.story, vector)
            window.story[i], window.confidence[i] = decision.story, decision.confidence
            decisions.append(decision)
        return decisions

    def predict(self, scope: Scope, alone: Window) -> Decision:
        """Say which story an article would join."""
        embed(self._used_model, alone, np.arange(1))
        stories = self._active(scope, 0 if self._waiting else len(scope.window))
        vector = alone["vectors"][0].astype(np.float64)
        return self._decide(0, vector, stories, scope.next_story)

    def _decide(self, row: int, vector: Floats, stories: ActiveStories, new_story: int) -> Decision:
        rated = stories.confidences(vector)
        story, confidence, runners_up = choose(stories.ids, rated, self.settings.delta)
        if story is None:
            return Decision(row, new_story, confidence, True, runners_up)
        return Decision(row, story, confidence, False, runners_up, {"learned": confidence})

    def explain(self, scope: Scope, rows: Ints) -> list[Decision]:
        """Return the present stories of some rows, with the confidence in each."""
        window = scope.window
        own = own_confidences(window["vectors"], window.story)
        stories = ActiveStories(window.story, window["vectors"])
        decisions = []
        for i in rows.tolist():
            story = int(window.story[i])
            rated = stories.confidences(window["vectors"][i].astype(np.float64))
            others = [k for k, number in enumerate(stories.ids) if number != story]
            _, _, runners_up = choose([stories.ids[k] for k in others], rated[others], np.inf)
            evidence = {"learned": float(own[i])}
            decisions.append(Decision(i, story, float(own[i]), False, runners_up, evidence))
        return decisions

    def _active(self, scope: Scope, end: int) -> ActiveStories:
        """Return the stories of the first `end` rows, and of what joined since."""
        if self._stories is None:
            window = scope.window
            self._stories = ActiveStories(window.story[:end], window["vectors"][:end])
        return self._stories

    # -- when a slide closes ------------------------------------------------------------------

    def review(self, scope: Scope, new: Ints) -> list[Decision]:
        """Decide on the first window when it is complete; later decisions stand."""
        self._stories = None
        if self._waiting and self._first_window_is_complete(scope):
            return self._seed(scope)
        return []

    def correct(self, scope: Scope, correction: Correction) -> list[Decision]:
        """Move articles; no later step of the paper's moves them again."""
        self._stories = None
        moved, _ = place(scope.window, correction)
        return [Decision(row, int(scope.window.story[row])) for row in moved.tolist()]

    def finish(self, scope: Scope) -> list[Decision]:
        """Decide on the first window even if it is not complete."""
        if not self._waiting or not len(scope.window):
            return []
        decisions = self._seed(scope)
        self._just_seeded = False
        return decisions

    def learn(self, scope: Scope, new: Ints) -> None:
        """Update M on the window, then compute vectors and confidences again."""
        cold, self._just_seeded = self.cold, False
        if cold or not len(scope.window):
            return
        for epoch in range(self.settings.epochs if self._is_time_to_learn(scope) else 0):
            if epoch:
                self.embed(scope.window)
            self._update(scope, new)
        self.embed(scope.window)

    def evict(self, scope: Scope, gone: Window) -> None:
        """Remember what left the window for as long as it can be replayed."""
        self._stories = None
        if self.settings.memory_length > self.settings.window_length:
            self._memory = self._memory.joined(gone)
            self._memory.evict(scope.end() - self.settings.memory_length.total_seconds())

    def _first_window_is_complete(self, scope: Scope) -> bool:
        assert scope.slide is not None
        assert scope.first_slide is not None
        slides = -(-self.settings.window_length // self.settings.slide_length)
        return scope.slide >= scope.first_slide + slides - 1

    def _seed(self, scope: Scope) -> list[Decision]:
        """Cold start: cluster the first window, train M on the clusters, cluster once more.

        An M that was learned before is not trained here, and there is nothing to cluster twice.
        """
        window, settings = scope.window, self.settings
        everything = np.arange(len(window))
        self._waiting, self._just_seeded, self._stories = False, True, None

        def cluster() -> None:
            found = seed_stories(window["vectors"], seed_size=settings.seed_size, rng=self._rng)
            window.story[:] = scope.next_story + found

        if not self._pretrained:
            window["vectors"][:] = [member.vectors.mean(axis=0) for member in window.members]
            cluster()
            for _ in range(settings.warm_epochs if settings.learned else 0):
                self.embed(window)
                self._update(scope, everything)
        embed(self._used_model, window, everything)
        cluster()
        self.embed(window)
        scope.next_story = int(window.story.max()) + 1
        return self.explain(scope, everything)

    def _is_time_to_learn(self, scope: Scope) -> bool:
        settings = self.settings
        if not settings.learned or settings.update == "first":
            return False
        return settings.update_share >= 1 or bool(self._rng.random() < settings.update_share)

    def _update(self, scope: Scope, new: Ints) -> None:
        """Train M for one epoch of ⌊|W| / batch size⌋ + 1 batches."""
        settings, window = self.settings, scope.window
        if len(self._memory):
            new = new + len(self._memory)
            window = self._memory.joined(window)
            self.embed(window)
        rows = np.arange(len(window))
        if settings.memory_length < settings.window_length:
            since = scope.end() - settings.memory_length.total_seconds()
            rows = np.flatnonzero(window.times >= since)
        sampler = Sampler(
            settings.batch_size,
            max(settings.delta, settings.replay_from),
            settings.max_sentences,
            settings.augmentation,
            None if settings.replay == "confidence" else new,
        )
        update(
            self.model,
            self._optimiser,
            window,
            sampler,
            batches=len(rows) // settings.batch_size + 1,
            temperature=settings.temperature,
            rng=self._rng,
            scope=rows,
        )

    def embed(self, window: Window, rows: Ints | None = None) -> None:
        """Compute the vectors of some rows, or all, again, and every confidence in the window."""
        embed(self._used_model, window, np.arange(len(window)) if rows is None else rows)
        window.confidence[:] = own_confidences(window["vectors"], window.story)

    @property
    def _used_model(self) -> ArticleEncoder | None:
        return self.model if self.settings.learned else None

    # -- stopping and going on ----------------------------------------------------------------

    def state(self) -> MethodState:
        """Return M, the optimiser's moments, the generator and the memory."""
        meta = {"waiting": self._waiting, "rng": self._rng.bit_generator.state}
        arrays = {
            **model_arrays(self.model, self._optimiser),
            **prefixed("memory", self._memory.arrays()),
        }
        return MethodState(meta, arrays, tuple(self._memory.members))

    def restore(self, scope: Scope, state: MethodState) -> None:
        """Go back to what `state` returned."""
        self._stories, self._just_seeded = None, False
        self._waiting = bool(state.meta["waiting"])
        self._rng.bit_generator.state = state.meta["rng"]
        restore_model(self.model, self._optimiser, state.arrays)
        self._memory.restore(state.members, unprefixed("memory", state.arrays))
