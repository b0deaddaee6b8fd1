"""M, the story-indicative article encoder: sentence vectors in, one article vector out.

Self-attention relates the sentences of an article to each other, attentive pooling weighs them:

    MHS(E) = [H_1 … H_n] W_O,   H_j = softmax(E W_Q (E W_K)ᵀ / √(w/n)) E W_V
    C      = tanh(LN(MHS(E) + E) W_c + b_c)
    α      = softmax(V_aᵀ tanh(C W_a + w_a))
    R_d    = Σ_j α_j c_j

w, the columns of all heads together, is h in the paper.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from scstory.errors import ConfigError

IDENTITY_SCALE = 0.1
"""At a tenth of a standard deviation tanh is all but linear, so the start changes no cosine."""

BLOCK = 128
"""Sentences that go through a layer at once where bits count."""


class Embedding(NamedTuple):
    """What M says of articles: of a batch, (batch, L), or of sentences below each other."""

    articles: Tensor
    """R_d, (batch, h)."""
    pooling: Tensor
    """α, (batch, L): how much of R_d each sentence makes. Zero where there is no sentence."""
    received: Tensor
    """Attention each sentence receives from its article's sentences, averaged over heads,
    (batch, L): the column sums of the attention matrix."""
    shares: Tensor
    """What each sentence brings to R_d, (batch, L): α_j c_j·R_d / |R_d|². They add up to 1; that
    of a sentence that points elsewhere is negative. A sentence may have it by its weight α, or by
    being close to what the article as a whole is about."""


class ArticleEncoder(nn.Module):
    """The paper's M, at h_c = h_e = `dim`.

    Attention has `width` columns in all its heads together: `dim`, as in the paper, unless given.
    """

    def __init__(
        self,
        dim: int,
        *,
        heads: int = 4,
        width: int = 0,
        pooling_width: int = 1,
        start: Literal["random", "identity"] = "random",
        seed: int = 0,
    ) -> None:
        super().__init__()
        width = width or dim
        if width % heads:
            raise ConfigError(
                f"{heads} heads: must divide the attention's width ({width}); set heads or "
                "attention_width"
            )
        self.heads = heads
        self.query = nn.Linear(dim, width, bias=False)
        self.key = nn.Linear(dim, width, bias=False)
        self.value = nn.Linear(dim, width, bias=False)
        self.output = nn.Linear(width, dim, bias=False)
        self.norm = nn.LayerNorm(dim)
        self.sentence = nn.Linear(dim, dim)
        self.pool_hidden = nn.Linear(dim, pooling_width)
        self.pool_score = nn.Linear(pooling_width, 1, bias=False)
        self._initialise(torch.Generator().manual_seed(seed), start)

    @torch.no_grad()
    def _initialise(self, generator: torch.Generator, start: str) -> None:
        for layer in (self.query, self.key, self.value, self.output):
            nn.init.xavier_uniform_(layer.weight, generator=generator)
        for linear in (self.sentence, self.pool_hidden, self.pool_score):
            bound = 1 / math.sqrt(linear.in_features)
            linear.weight.uniform_(-bound, bound, generator=generator)
            if linear.bias is not None:
                linear.bias.uniform_(-bound, bound, generator=generator)
        if start == "identity":
            self.output.weight.zero_()
            self.sentence.weight.copy_(IDENTITY_SCALE * torch.eye(self.sentence.in_features))
            self.sentence.bias.zero_()
            self.pool_score.weight.zero_()

    @property
    def device(self) -> torch.device:
        """Where M computes."""
        return self.norm.weight.device

    def forward(self, sentences: Tensor, mask: Tensor) -> Embedding:
        """Embed articles of shape (batch, L, h); `mask` is True where there is a sentence."""
        return self._pool(*self.relate(sentences, sentences, mask), mask)

    def each(self, sentences: Tensor, lengths: Sequence[int]) -> Embedding:
        """Embed articles whose sentences stand below each other, each as if it were alone.

        What an article gets does not depend, bit for bit, on which others come with it. α,
        attention and shares stand below each other as the sentences do.
        """
        count, sizes = len(sentences), list(lengths)
        weights = self._projection()
        projected = _in_blocks(lambda rows: functional.linear(rows, weights), sentences)
        query, key, value = projected.view(count, 3, self.heads, -1).permute(1, 2, 0, 3)
        query = query / math.sqrt(query.shape[-1])
        heads, received = [], []
        for own in zip(*(part.split(sizes, dim=1) for part in (query, key, value)), strict=True):
            attention = (own[0] @ own[1].mT).softmax(-1)
            heads.append(attention @ own[2])
            received.append(attention.mean(0).sum(0))
        context = torch.cat(heads, dim=1).transpose(0, 1).reshape(count, -1)
        indicative = torch.tanh(_in_blocks(self._indicate, context, sentences))
        score = _in_blocks(self._score, indicative).squeeze(-1)
        return _of_each(indicative, score, torch.cat(received), sizes)

    def relate(self, source: Tensor, sentences: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return what goes into the tanh of C, and the attention each sentence receives.

        The attention is over `source`, which M takes to be the sentences themselves.
        """
        projected = functional.linear(source, self._projection())
        context, received = self._attend(projected, mask)
        return self._indicate(context, sentences), received

    def _projection(self) -> Tensor:
        """Return the weights of queries, keys and values as one matrix."""
        return torch.cat([layer.weight for layer in (self.query, self.key, self.value)])

    def _attend(self, projected: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return the heads side by side, (batch, L, width), and the attention received."""
        batch, length, _ = projected.shape
        split = projected.view(batch, length, 3, self.heads, -1)
        query, key, value = split.permute(2, 0, 3, 1, 4)
        scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
        attention = scores.masked_fill(~mask[:, None, None, :], -math.inf).softmax(-1)
        with torch.no_grad():
            received = (attention.mean(1) * mask.unsqueeze(-1)).sum(1)
        return (attention @ value).transpose(1, 2).reshape(batch, length, -1), received

    def _indicate(self, context: Tensor, sentences: Tensor) -> Tensor:
        """Return what goes into the tanh of C."""
        related: Tensor = self.sentence(self.norm(self.output(context) + sentences))
        return related

    def _score(self, indicative: Tensor) -> Tensor:
        """Return what goes into the softmax of α."""
        score: Tensor = self.pool_score(torch.tanh(self.pool_hidden(indicative)))
        return score

    def _pool(self, related: Tensor, received: Tensor, mask: Tensor) -> Embedding:
        indicative = torch.tanh(related)
        score = self._score(indicative).squeeze(-1)
        pooling = score.masked_fill(~mask, -math.inf).softmax(-1)
        return _embedding(indicative, pooling, received)


def _in_blocks(layer: Callable[..., Tensor], *tables: Tensor) -> Tensor:
    """Apply a layer to rows, always to as many at once: of fewer, a product may differ in bits."""
    count = len(tables[0])
    *full, rest = zip(*(torch.split(table, BLOCK) for table in tables), strict=True)
    filled = [functional.pad(part, (0, 0, 0, BLOCK - len(part))) for part in rest]
    return torch.cat([layer(*blocks) for blocks in (*full, filled)])[:count]


def mean_of_each(sentences: Tensor, lengths: Sequence[int]) -> Embedding:
    """Return what stands in for M where there is none: the mean of each article's sentences."""
    even = sentences.new_zeros(len(sentences))
    found = _of_each(sentences, even, even, lengths)
    return found._replace(received=found.pooling)


def _of_each(
    sentences: Tensor, score: Tensor, received: Tensor, lengths: Sequence[int]
) -> Embedding:
    """Pool the sentences of each article, by the softmax of their scores in it."""
    known = torch.tensor(lengths, device=sentences.device)

    def reduced(values: Tensor, how: str) -> Tensor:
        return torch.segment_reduce(values, how, lengths=known)

    def spread(values: Tensor) -> Tensor:
        return values.repeat_interleave(known, dim=0)

    raised = torch.exp(score - spread(reduced(score, "max")))
    pooling = raised / spread(reduced(raised, "sum"))
    weighted = pooling.unsqueeze(-1) * sentences
    articles = reduced(weighted, "sum")
    along = (weighted * spread(articles)).sum(-1)
    shares = along / spread(reduced(along, "sum").clamp(min=1e-12))
    return Embedding(articles, pooling, received, shares)


def _embedding(sentences: Tensor, pooling: Tensor, received: Tensor) -> Embedding:
    weighted = pooling.unsqueeze(-1) * sentences
    articles = weighted.sum(1)
    with torch.no_grad():
        along = (weighted * articles.unsqueeze(1)).sum(-1)
        shares = along / along.sum(1, keepdim=True).clamp(min=1e-12)
    return Embedding(articles, pooling, received, shares)
