"""MiniLM's forward pass, written once: ONNX in 32 bits, ONNX in 8 bits and torch run this formula.

The model is a BERT of six blocks. Each block mixes the tokens by attention and then transforms each
token by itself; both results are added to what went in, and the sum is normalised. A sentence's
vector is the mean of its tokens, as a unit vector.
"""

from typing import Protocol, TypeVar

BLOCKS, HEADS, DIM, EPSILON = 6, 12, 384, 1e-12
PRODUCTS = {"out": "attention.output.dense", "up": "intermediate.dense", "down": "output.dense"}
"""The matrix products of a block, beside the attention's own (`qkv`), and their weights' names."""
T = TypeVar("T")


class Operators(Protocol[T]):
    """The operators of the forward pass, as one library computes them."""

    def embedding(self) -> T:
        """Return the token vectors that go into the first block."""

    def attention(self, x: T, block: int) -> T:
        """Return the tokens mixed by the block's self-attention."""

    def expanded(self, x: T, block: int) -> T:
        """Return GELU of the block's product `up`."""

    def add_and_normalise(self, x: T, y: T, block: int, product: str) -> T:
        """Return x plus a product of y, normalised."""

    def unit_mean(self, x: T) -> T:
        """Return the mean over a sentence's tokens as a unit vector."""


def forward(operators: Operators[T]) -> T:
    """Return the sentence vectors."""
    x = operators.embedding()
    for block in range(BLOCKS):
        x = operators.add_and_normalise(x, operators.attention(x, block), block, "out")
        x = operators.add_and_normalise(x, operators.expanded(x, block), block, "down")
    return operators.unit_mean(x)


def dense_name(block: int, product: str) -> str:
    """Return the name of a product's weights.

    >>> dense_name(3, "up")
    'encoder.layer.3.intermediate.dense'
    """
    return f"encoder.layer.{block}.{PRODUCTS[product]}"


def norm_name(block: int, product: str) -> str:
    """Return the name of the weights that normalise a product's sum."""
    return dense_name(block, product).removesuffix("dense") + "LayerNorm"


def attention_names(block: int) -> list[str]:
    """Return the names of the weights of query, key and value."""
    return [f"encoder.layer.{block}.attention.self.{part}" for part in ("query", "key", "value")]
