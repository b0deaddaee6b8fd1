"""HRSTORY (KDD'25): SCStory with a sequential branch in M, review, and sentences masked for good.

What differs from the paper's SCStory: δ = 0.45, replay from 0.55; an LSTM reads the sentences in
order beside the attention; after each slide four passes release the window's articles below 0.85
and assign them again; then the lowest-weighted quarter of the new articles' sentences (a fifth of
long ones) is dropped.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from scstory.discovery import StoryDiscovery
from scstory.discovery.attention import ArticleEncoder
from scstory.vectors import Encoder

LONG = 30
"""Sentences from which an article counts as long."""


class HrStory(StoryDiscovery):
    """SCStory with hierarchical review."""

    name: ClassVar[str] = "hrstory"

    def __init__(self, *, encoder: Encoder | None = None, **overrides: Any) -> None:
        own = {"delta": 0.45, "replay_from": 0.55, "review": 4, "review_below": 0.85}
        super().__init__("paper", encoder=encoder, **{**own, **overrides})

    def _make_model(self) -> ArticleEncoder:
        parameters = self.parameters
        return SequentialEncoder(
            self.encoder.dim,
            heads=parameters.heads,
            pooling_width=parameters.pooling_width,
            seed=parameters.seed,
        )

    def _after_slide(self, new: NDArray[np.int64]) -> None:
        for i in new.tolist():
            weights = self._window.pooling[i]
            count = len(weights)
            dropped = count // (5 if count >= LONG else 4)
            if dropped:
                kept = np.sort(np.argsort(weights, kind="stable")[dropped:])
                self._window.keep_sentences(i, kept)


class SequentialEncoder(ArticleEncoder):
    """M with an LSTM beside the self-attention; both are added to the sentences."""

    def __init__(self, dim: int, *, heads: int, pooling_width: int, seed: int) -> None:
        super().__init__(dim, heads=heads, pooling_width=pooling_width, seed=seed)
        self.sequence = nn.LSTM(dim, dim, batch_first=True)
        generator = torch.Generator().manual_seed(seed + 1)
        bound = 1 / math.sqrt(dim)
        with torch.no_grad():
            for parameter in self.sequence.parameters():
                parameter.uniform_(-bound, bound, generator=generator)

    def beside(self, sentences: Tensor) -> Tensor:
        """Return what the LSTM makes of the sentences read in order; padding comes last."""
        read: Tensor = self.sequence(sentences)[0]
        return read
