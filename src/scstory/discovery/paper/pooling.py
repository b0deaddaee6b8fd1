"""Eq. 4: attentive pooling of the sentences into one article vector.

α   = softmax(V_aᵀ tanh(C W_a + w_a))
R_d = Σ_j α_j c_j
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn


class Embedding(NamedTuple):
    """What M makes of articles, (articles, h), and of their sentences, (sentences,)."""

    articles: Tensor
    """R_d of each article."""
    pooling: Tensor
    """α: how much of R_d each sentence makes."""
    received: Tensor
    """The attention each sentence receives from the sentences of its article."""
    shares: Tensor
    """What each sentence contributes to R_d: α_j c_j·R_d / |R_d|². The shares of an article add up
    to 1; that of a sentence that points elsewhere is negative."""


class AttentivePooling(nn.Module):
    """The weights of Eq. 4, W_a, w_a and V_a."""

    def __init__(self, dim: int, *, width: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(dim, width)
        self.score = nn.Linear(width, 1, bias=False)

    def forward(self, indicative: Tensor) -> Tensor:
        """Return what goes into the softmax of α, one number for each sentence."""
        score: Tensor = self.score(torch.tanh(self.hidden(indicative)))
        return score


def pool(indicative: Tensor, score: Tensor, received: Tensor, lengths: Sequence[int]) -> Embedding:
    """Pool the sentences of articles that stand below each other, (sentences, h)."""
    known = torch.tensor(lengths, device=indicative.device)

    def reduced(values: Tensor, how: str) -> Tensor:
        return torch.segment_reduce(values, how, lengths=known)

    def spread(values: Tensor) -> Tensor:
        return values.repeat_interleave(known, dim=0)

    raised = torch.exp(score - spread(reduced(score.detach(), "max")))
    pooling = raised / spread(reduced(raised, "sum"))
    weighted = pooling.unsqueeze(-1) * indicative
    articles = reduced(weighted, "sum")
    with torch.no_grad():
        along = (weighted * spread(articles)).sum(-1)
        shares = along / spread(reduced(along, "sum").clamp(min=1e-12))
    return Embedding(articles, pooling, received, shares)


def mean(sentences: Tensor, lengths: Sequence[int], *, weights: Tensor | None = None) -> Embedding:
    """Return what stands in for M where there is none: the mean of each article's sentences."""
    score = sentences.new_zeros(len(sentences)) if weights is None else weights.log()
    found = pool(sentences, score, score, lengths)
    return found._replace(received=found.pooling)
