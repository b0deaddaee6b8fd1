"""HRSTORY (KDD'25): SCStory with a sequential branch in M, review, and sentences masked for good.

What differs from the paper's SCStory: δ = 0.45, replay from 0.55; beside the attention over the
sentences there is one over what an LSTM read in order; before learning, four passes release the
window's articles below 0.85 and assign them again; afterwards the lowest-weighted quarter of the
new articles' sentences (a fifth of long ones, none of the shortest) is dropped for good, and what
is left of them is what articles are compared by from then on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from scstory.discovery import StoryDiscovery
from scstory.discovery.attention import ArticleEncoder, Embedding
from scstory.vectors import Encoder

SHORT, LONG = 5, 30
"""Sentences below which nothing is dropped, and from which an article counts as long."""


class HrStory(StoryDiscovery):
    """SCStory with hierarchical review."""

    name: ClassVar[str] = "hrstory"

    def __init__(self, *, encoder: Encoder | None = None, **overrides: Any) -> None:
        own = {"delta": 0.45, "replay_from": 0.55, "review": 4, "review_frozen": True}
        super().__init__("paper", encoder=encoder, **{**own, **overrides})

    def _make_model(self) -> ArticleEncoder:
        parameters = self.parameters
        return SequentialEncoder(
            self.encoder.dim,
            heads=parameters.heads,
            pooling_width=parameters.pooling_width,
            seed=parameters.seed,
        )

    def _learn(self, new: Sequence[int] | NDArray[np.int64] = ()) -> None:
        """Learn after slides that brought something; an empty one only moves the window."""
        if len(new):
            super()._learn(new)
            self._mask(np.asarray(new))
            self._embed(np.asarray(new))
        elif len(self._window):
            self._embed(np.arange(len(self._window)))

    def _mask(self, new: NDArray[np.int64]) -> None:
        """Drop the new articles' sentences of the lowest weight."""
        for i in new.tolist():
            weights = self._window.pooling[i]
            count = len(weights)
            if count >= SHORT:
                dropped = count // (5 if count >= LONG else 4)
                kept = np.sort(np.argsort(weights, kind="stable")[dropped:])
                self._window.keep_sentences(i, kept)


class SequentialEncoder(ArticleEncoder):
    """M with a second branch, whose attention is over what an LSTM read; both are averaged."""

    def __init__(self, dim: int, *, heads: int, pooling_width: int, seed: int) -> None:
        super().__init__(dim, heads=heads, pooling_width=pooling_width, seed=seed)
        self.order = ArticleEncoder(dim, heads=heads, seed=seed + 1)
        del self.order.pool_hidden, self.order.pool_score  # the branches are pooled together
        self.reader = nn.LSTM(dim, dim, batch_first=True)
        generator = torch.Generator().manual_seed(seed + 2)
        bound = 1 / math.sqrt(dim)
        with torch.no_grad():
            for parameter in self.reader.parameters():
                parameter.uniform_(-bound, bound, generator=generator)
            for branch in (self, self.order):
                # As torch.nn.MultiheadAttention begins, which the authors use: the projections as
                # if they were one matrix of three times the height, the output as any other layer.
                for layer in (branch.query, branch.key, branch.value):
                    layer.weight.mul_(math.sqrt(1 / 2))
                branch.output.weight.mul_(math.sqrt(1 / 3))

    def forward(self, sentences: Tensor, mask: Tensor) -> Embedding:
        """Embed articles; padding comes last, so the LSTM has read all sentences before it."""
        related, received = self.relate(sentences, sentences, mask)
        read = self.reader(sentences)[0]
        ordered, received_in_order = self.order.relate(read, sentences, mask)
        return self._pool((related + ordered) / 2, received + received_in_order, mask)

    def each(self, sentences: Tensor, lengths: Sequence[int]) -> Embedding:
        """Embed articles one by one: an LSTM's bits depend on how many it reads at once."""
        found = [
            self(own[None], torch.ones(1, len(own), dtype=torch.bool, device=own.device))
            for own in torch.split(sentences, list(lengths))
        ]
        articles, *of_sentences = zip(*found, strict=True)
        return Embedding(torch.cat(articles), *(torch.cat(part, 1)[0] for part in of_sentences))
