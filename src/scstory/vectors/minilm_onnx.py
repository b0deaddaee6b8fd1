"""MiniLM as an ONNX graph, written operator by operator from its weights (`onnx_graph.py`)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from scstory.vectors.minilm_forward import (
    DIM,
    EPSILON,
    HEADS,
    attention_names,
    dense_name,
    forward,
    norm_name,
)
from scstory.vectors.onnx_graph import FUSED, GraphBuilder


class Graph(GraphBuilder):
    """The operators in 32 bits; each adds nodes and returns the name of its output."""

    def __init__(self, weights: dict[str, Any]) -> None:
        super().__init__()
        self.weights = weights

    def serialised(self) -> bytes:
        """Return the finished graph."""
        return self.finished("minilm", forward(self), DIM)

    def embedding(self) -> str:
        """Add words and positions, normalised."""
        words = self.node("Gather", self.weight("embeddings.word_embeddings.weight"), "tokens")
        # There is one segment only: its embedding goes into the positions'.
        table = (
            self.weights["embeddings.position_embeddings.weight"]
            + self.weights["embeddings.token_type_embeddings.weight"][0]
        )
        length = self.node("Shape", "tokens", start=1, end=2)
        zero = self.constant(np.array([0], dtype=np.int64))
        positions = self.node("Slice", self.constant(table), zero, length)
        return self.normalised(self.node("Add", words, positions), "embeddings.LayerNorm")

    def attention(self, x: str, block: int) -> str:
        """Add ONNX Runtime's fused attention."""
        weight, bias = (self.constant(value) for value in projections(self.weights, block))
        return self.node("Attention", x, weight, bias, domain=FUSED, num_heads=HEADS)

    def expanded(self, x: str, block: int) -> str:
        """Add the product `up`, its bias and GELU."""
        bias = self.weight(f"{dense_name(block, 'up')}.bias")
        return self.node("BiasGelu", self.product(x, block, "up"), bias, domain=FUSED)

    def add_and_normalise(self, x: str, y: str, block: int, product: str) -> str:
        """Add x, a product of y and its bias, and normalise the sum."""
        y = self.product(y, block, product)
        gamma, beta = self.norm_weights(norm_name(block, product))
        bias = self.weight(f"{dense_name(block, product)}.bias")
        inputs = (x, y, gamma, beta, bias)
        return self.node("SkipLayerNormalization", *inputs, domain=FUSED, epsilon=EPSILON)

    def unit_mean(self, x: str) -> str:
        """Add the mean over the tokens, and normalise it to length 1."""
        return self.unit_length(self.mean_over_tokens(x))

    def product(self, x: str, block: int, product: str) -> str:
        """Add a matrix product, without its bias."""
        weight = self.weights[f"{dense_name(block, product)}.weight"].T
        return self.node("MatMul", x, self.constant(weight))

    def normalised(self, x: str, norm: str) -> str:
        """Add a layer normalisation."""
        return self.node("LayerNormalization", x, *self.norm_weights(norm), epsilon=EPSILON)

    def norm_weights(self, norm: str) -> tuple[str, str]:
        """Add the weights of a layer normalisation."""
        return self.weight(f"{norm}.weight"), self.weight(f"{norm}.bias")

    def weight(self, name: str) -> str:
        """Add one of the weights."""
        return self.constant(self.weights[name])


def projections(weights: dict[str, Any], block: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return query, key and value side by side: one weight, one bias."""
    parts = attention_names(block)
    weight = np.concatenate([weights[f"{part}.weight"].T for part in parts], axis=1)
    return weight, np.concatenate([weights[f"{part}.bias"] for part in parts])
