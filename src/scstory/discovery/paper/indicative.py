"""Eq. 3: story-indicative sentence representations.

C = tanh(LN(MHS(E) + E) W_c + b_c)
"""

from torch import Tensor, nn


class IndicativeSentences(nn.Module):
    """The layer normalisation and the linear layer of Eq. 3; the caller applies the tanh."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.linear = nn.Linear(dim, dim)

    def forward(self, attended: Tensor, sentences: Tensor) -> Tensor:
        """Return what goes into the tanh, for MHS(E) and E."""
        related: Tensor = self.linear(self.norm(attended + sentences))
        return related
