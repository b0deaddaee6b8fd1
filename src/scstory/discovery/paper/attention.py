"""Eq. 2: multi-head self-attention, which relates the sentences of an article to each other.

    MHS(E) = [H_1 … H_n] W_O,   H_j = softmax(E W_Q (E W_K)ᵀ / √(w/n)) E W_V

w, the columns of all heads together, is h_e in the paper.
"""

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from scstory.errors import ConfigError


class SelfAttention(nn.Module):
    """The projections of MHS, without biases; `attend` is what happens between them."""

    def __init__(self, dim: int, *, heads: int, width: int) -> None:
        super().__init__()
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

    def project(self, sentences: Tensor) -> Tensor:
        """Return queries, keys and values of all heads, side by side."""
        weights = [layer.weight for layer in (self.query, self.key, self.value)]
        return functional.linear(sentences, torch.cat(weights))

    def forward(
        self, projected: Tensor, lengths: Sequence[int], *, exact: bool
    ) -> tuple[Tensor, Tensor]:
        """Return the heads side by side, (sentences, w), and the attention each sentence receives.

        Articles stand below each other. The attention received, averaged over heads, is the column
        sum of the attention matrix. If `exact`, the bits of an article do not depend on the others.
        """
        count = len(projected)
        parts = projected.view(count, 3, self.heads, -1).permute(1, 2, 0, 3)
        context, received = (_one_by_one if exact else _padded)(parts, list(lengths))
        return context.transpose(0, 1).reshape(count, -1), received


def _one_by_one(parts: Tensor, lengths: list[int]) -> tuple[Tensor, Tensor]:
    heads, received = [], []
    for own in zip(*(part.split(lengths, dim=1) for part in parts), strict=True):
        context, attention = attend(*own)
        heads.append(context)
        received.append(attention.mean(0).sum(0))
    return torch.cat(heads, dim=1), torch.cat(received)


def _padded(parts: Tensor, lengths: list[int]) -> tuple[Tensor, Tensor]:
    """Attend within all articles at once, padded to the longest."""
    known = torch.tensor(lengths, device=parts.device)
    place = torch.arange(max(lengths), device=parts.device)
    mask = place < known[:, None]
    table = torch.where(mask, (known.cumsum(0) - known)[:, None] + place, 0)
    query, key, value = parts[:, :, table]
    context, attention = attend(query, key, value, mask[:, None, :])
    with torch.no_grad():
        received = (attention.mean(0) * mask.unsqueeze(-1)).sum(1)
    return context[:, mask], received[mask]


def attend(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Return H of every head, and the attention of each sentence to each other."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    attention = scores.softmax(-1)
    return attention @ value, attention
