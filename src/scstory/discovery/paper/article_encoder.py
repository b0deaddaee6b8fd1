"""M, the story-indicative article encoder: Eqs. 2 to 4 together."""

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from scstory.discovery.paper.attention import SelfAttention
from scstory.discovery.paper.indicative import IndicativeSentences
from scstory.discovery.paper.pooling import AttentivePooling, Embedding, pool

BLOCK_ROWS = 128
"""Sentences that go through a layer at once where every bit must be reproducible."""


class ArticleEncoder(nn.Module):
    """The paper's M, at h_c = h_e = `dim`.

    `width` is the number of columns of all attention heads together: `dim`, as in the paper, if 0.
    With a `pooling_width` of 0, M has no pooling weights of its own: α is given with the sentences.
    """

    def __init__(
        self, dim: int, *, heads: int = 4, width: int = 0, pooling_width: int = 1, seed: int = 0
    ) -> None:
        super().__init__()
        self.attention = SelfAttention(dim, heads=heads, width=width or dim)
        self.indicative = IndicativeSentences(dim)
        self.pooling = AttentivePooling(dim, width=pooling_width) if pooling_width else None
        self._initialise(torch.Generator().manual_seed(seed))

    @torch.no_grad()
    def _initialise(self, generator: torch.Generator) -> None:
        """Start as torch's own layers do; the attention, as `torch.nn.MultiheadAttention` does.

        That draws queries, keys and values by Xavier's rule for one matrix of all three, and the
        output like any linear layer.
        """
        attention = self.attention
        together = (attention.query, attention.key, attention.value)
        rows = sum(layer.out_features for layer in together)
        xavier = math.sqrt(6 / (rows + attention.query.in_features))
        for layer in together:
            layer.weight.uniform_(-xavier, xavier, generator=generator)
        pooling = (self.pooling.hidden, self.pooling.score) if self.pooling else ()
        for linear in (attention.output, self.indicative.linear, *pooling):
            bound = 1 / math.sqrt(linear.in_features)
            linear.weight.uniform_(-bound, bound, generator=generator)
            if linear.bias is not None:
                linear.bias.uniform_(-bound, bound, generator=generator)

    @property
    def device(self) -> torch.device:
        """Where M computes."""
        return self.indicative.norm.weight.device

    def forward(
        self,
        sentences: Tensor,
        lengths: Sequence[int],
        *,
        weights: Tensor | None = None,
        exact: bool = False,
    ) -> Embedding:
        """Embed articles whose sentences stand below each other, (sentences, h).

        Where `weights` are given, sentences are pooled by them and not by Eq. 4. If `exact`, what
        an article gets does not depend, bit for bit, on which others come with it.
        """
        related, received = self.relate(sentences, sentences, lengths, exact=exact)
        return self.pool(related, received, lengths, weights=weights, exact=exact)

    def relate(
        self, source: Tensor, sentences: Tensor, lengths: Sequence[int], *, exact: bool
    ) -> tuple[Tensor, Tensor]:
        """Return what goes into the tanh of C, and the attention each sentence receives.

        The attention is over `source`, which in M is the sentences themselves.
        """
        attention, apply = self.attention, _in_blocks if exact else _at_once
        projected = apply(attention.project, source)
        context, received = attention(projected, lengths, exact=exact)
        related = apply(
            lambda rows, own: self.indicative(attention.output(rows), own), context, sentences
        )
        return related, received

    def pool(
        self,
        related: Tensor,
        received: Tensor,
        lengths: Sequence[int],
        *,
        weights: Tensor | None,
        exact: bool,
    ) -> Embedding:
        """Pool sentences, for what goes into the tanh of C."""
        indicative = torch.tanh(related)
        if weights is not None:
            return pool(indicative, weights.log(), received, lengths)
        assert self.pooling is not None, "M has no pooling weights, and none are given"
        score = (_in_blocks if exact else _at_once)(self.pooling, indicative).squeeze(-1)
        return pool(indicative, score, received, lengths)


def _at_once(layer: Callable[..., Tensor], *tables: Tensor) -> Tensor:
    return layer(*tables)


def _in_blocks(layer: Callable[..., Tensor], *tables: Tensor) -> Tensor:
    """Apply a layer to blocks of equal size: the bits of a product depend on its number of rows."""
    count = len(tables[0])
    *full, rest = zip(*(torch.split(table, BLOCK_ROWS) for table in tables), strict=True)
    filled = [functional.pad(part, (0, 0, 0, BLOCK_ROWS - len(part))) for part in rest]
    return torch.cat([layer(*blocks) for blocks in (*full, filled)])[:count]
