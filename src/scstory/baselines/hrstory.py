"""HRSTORY (KDD'25): SCStory with a sequential branch in M, review, and sentences masked for good.

What differs from the paper's SCStory: δ = 0.45, replay from 0.55; beside the attention over the
sentences there is one over what an LSTM read in order; before learning, four passes release the
window's articles below 0.85 and assign them again; afterwards the lowest-weighted quarter of the
new articles' sentences (a fifth of long ones, none of the shortest) is dropped for good, and what
is left of them is what articles are compared by from then on.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from scstory.discovery.method import Decision, Method, MethodState, Scope
from scstory.discovery.paper.article_encoder import ArticleEncoder
from scstory.discovery.paper.assignment import ActiveStories, choose, own_confidences
from scstory.discovery.paper.method import PaperMethod
from scstory.discovery.paper.pooling import Embedding
from scstory.discovery.paper.settings import ContinualSettings
from scstory.discovery.settings import number
from scstory.discovery.window import UNDECIDED, Column, Ints, Window


@dataclass(frozen=True, kw_only=True)
class HrStorySettings(ContinualSettings):
    """What HRSTORY is run with."""

    delta: float = number(0.45, -1, 1)
    """δ: the confidence from which an article joins a story rather than founds one."""
    replay_from: float = number(0.55, -1, 1)
    """The confidence from which an article is replayed."""
    review_passes: int = number(4, 0, 100)
    """Passes over the window after every slide."""
    review_below: float = number(0.85, -1, 1)
    """The confidence below which an article is released and assigned again."""
    mask_from: int = number(5, 1, 10_000)
    """Sentences from which on an article loses a quarter of them."""
    mask_less_from: int = number(30, 1, 10_000)
    """Sentences from which on an article loses only a fifth of them."""


class HrStory(Method):
    """The paper's method with a review of doubtful articles and masked sentences."""

    name: ClassVar[str] = "hrstory"

    def __init__(self, settings: HrStorySettings, dim: int, device: torch.device) -> None:
        self.settings: HrStorySettings = settings
        self._paper = PaperMethod(settings, dim, device, SequentialEncoder)

    def columns(self) -> Sequence[Column]:
        """Return the columns of the paper's method."""
        return self._paper.columns()

    def assign(self, scope: Scope, new: Ints) -> list[Decision]:
        """Assign as the paper does."""
        return self._paper.assign(scope, new)

    def predict(self, scope: Scope, alone: Window) -> Decision:
        """Predict as the paper does."""
        return self._paper.predict(scope, alone)

    def explain(self, scope: Scope, rows: Ints) -> list[Decision]:
        """Explain as the paper does."""
        return self._paper.explain(scope, rows)

    def evict(self, scope: Scope, gone: Window) -> None:
        """Remember what left the window as the paper does."""
        self._paper.evict(scope, gone)

    def finish(self, scope: Scope) -> list[Decision]:
        """Decide on the first window even if it is not complete."""
        return self._paper.finish(scope)

    def review(self, scope: Scope, new: Ints) -> list[Decision]:
        """Release the doubtful articles and assign them again, several times."""
        held_back = self._paper.review(scope, new)
        if self._paper.cold or not len(new):
            return held_back
        window, settings = scope.window, self.settings
        before = window.story.copy()
        for _ in range(settings.review_passes):
            doubtful = np.flatnonzero(window.confidence < settings.review_below)
            if not len(doubtful):
                break
            release(scope, doubtful, delta=settings.delta)
        changed = np.flatnonzero(window.story != before)
        return self._paper.explain(scope, changed) if len(changed) else []

    def learn(self, scope: Scope, new: Ints) -> None:
        """Learn from a slide that brought articles, then mask sentences of these."""
        if self._paper.cold or len(new):
            warm = not self._paper.cold
            self._paper.learn(scope, new)
            if warm:
                scope.window.keep_sentences(self._kept(scope.window, new), self.settings.reader())
                self._paper.embed(scope.window, new)
        elif len(scope.window):
            self._paper.embed(scope.window)

    def _kept(self, window: Window, new: Ints) -> NDArray[np.bool_]:
        """Return which sentences stay: the new articles lose those of low weight."""
        kept = np.ones(len(window["pooling"]), dtype=bool)
        for i in new:
            rows = window.sentence_rows(np.array([i]))
            count = len(rows)
            if count >= self.settings.mask_from:
                dropped = count // (5 if count >= self.settings.mask_less_from else 4)
                kept[rows[np.argsort(window["pooling"][rows], kind="stable")[:dropped]]] = False
        return kept

    def state(self) -> MethodState:
        """Return the state of the paper's method."""
        return self._paper.state()

    def restore(self, scope: Scope, state: MethodState) -> None:
        """Go back to what `state` returned."""
        self._paper.restore(scope, state)


def release(scope: Scope, doubtful: Ints, *, delta: float) -> None:
    """Assign doubtful articles again, to the stories without them, whose vectors stay fixed.

    A story that was released whole keeps its number. From then on an article's confidence is that
    in the story without the released ones: what it was assigned with, 1 if it founded one, and for
    the others the confidence among themselves.
    """
    window = scope.window
    story, confidence = window.story, window.confidence
    was = story[doubtful].tolist()
    story[doubtful] = UNDECIDED
    core = np.flatnonzero(story != UNDECIDED)
    vectors = window["vectors"]
    confidence[core] = own_confidences(vectors[core], story[core])
    stories = ActiveStories(story, vectors)
    for i, old in zip(doubtful.tolist(), was, strict=True):
        vector = vectors[i].astype(np.float64)
        chosen, confidence[i], _ = choose(stories.ids, stories.confidences(vector), delta)
        if chosen is None:
            chosen = scope.new_story() if old in stories.ids else old
            stories.join(chosen, vector)
        story[i] = chosen


class SequentialEncoder(ArticleEncoder):
    """M with a second branch, whose attention is over what an LSTM read; both are averaged."""

    def __init__(self, dim: int, *, heads: int, pooling_width: int, seed: int) -> None:
        super().__init__(dim, heads=heads, pooling_width=pooling_width, seed=seed)
        self.order = ArticleEncoder(dim, heads=heads, seed=seed + 1)
        del self.order.pooling  # the branches are pooled together
        self.reader = nn.LSTM(dim, dim, batch_first=True)
        generator = torch.Generator().manual_seed(seed + 2)
        bound = 1 / math.sqrt(dim)
        with torch.no_grad():
            for parameter in self.reader.parameters():
                parameter.uniform_(-bound, bound, generator=generator)

    def forward(
        self,
        sentences: Tensor,
        lengths: Sequence[int],
        *,
        weights: Tensor | None = None,
        exact: bool = False,
    ) -> Embedding:
        """Embed articles whose sentences stand below each other."""
        read = self._read_one_by_one if exact else self._read_padded
        related, received = self.relate(sentences, sentences, lengths, exact=exact)
        ordered, received_in_order = self.order.relate(
            read(sentences, list(lengths)), sentences, lengths, exact=exact
        )
        both = (related + ordered) / 2
        received = received + received_in_order
        return self.pool(both, received, lengths, weights=weights, exact=exact)

    def _read_one_by_one(self, sentences: Tensor, lengths: list[int]) -> Tensor:
        """Read articles alone: an LSTM's bits depend on how many it reads at once."""
        return torch.cat([self.reader(own)[0] for own in torch.split(sentences, lengths)])

    def _read_padded(self, sentences: Tensor, lengths: list[int]) -> Tensor:
        """Read articles together; padding comes last, so the LSTM has read all before it."""
        parts = list(torch.split(sentences, lengths))
        read = self.reader(nn.utils.rnn.pad_sequence(parts, batch_first=True))[0]
        return torch.cat([own[:length] for own, length in zip(read, lengths, strict=True)])
