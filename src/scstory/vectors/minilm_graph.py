"""MiniLM as an ONNX graph, written out layer by layer from its weights.

The model is a BERT of six layers. Written by hand the graph is small, uses ONNX Runtime's fused
operators from the start, and has the pooling inside. It takes token ids of shape (batch, tokens),
all rows of one length, and returns unit vectors.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper

LAYERS, HEADS, DIM, EPSILON = 6, 12, 384, 1e-12
FUSED = "com.microsoft"


class Graph:
    """Collects nodes and constants; every method returns the name of what it made."""

    def __init__(self, weights: dict[str, Any]) -> None:
        self.weights = weights
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, value: Any) -> str:
        """Add a constant."""
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def scalar(self, value: np.generic) -> str:
        """Add a constant without a shape."""
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def weight(self, name: str, *, transpose: bool = False) -> str:
        """Add one of the weights."""
        value = self.weights[name]
        return self.constant(value.T if transpose else value)

    def node(self, kind: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        """Add an operator."""
        name = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], domain=domain, **attributes))
        return name

    def dense(self, x: str, layer: str) -> str:
        """Add a layer's matrix product, without its bias."""
        return self.node("MatMul", x, self.weight(f"{layer}.weight", transpose=True))

    def add_and_normalise(self, x: str, y: str, bias: str, norm: str) -> str:
        """Add x, y and a bias, and normalise the sum."""
        gamma, beta = self.weight(f"{norm}.weight"), self.weight(f"{norm}.bias")
        return self.node(
            "SkipLayerNormalization", x, y, gamma, beta, bias, domain=FUSED, epsilon=EPSILON
        )


def build(weights: dict[str, Any], *, inspected: dict[str, str] | None = None) -> bytes:
    """Return the serialised graph for the given weights.

    A table `inspected` is filled with what goes into each product: `3.up`, as the expanding layer
    of the fourth block, and the name of the output that shows it.
    """
    graph = Graph(weights)
    fed: dict[str, str] = {}
    x = embedding(graph)
    for number in range(LAYERS):
        x = _layer(graph, x, number, fed)
    if inspected is None:
        return finished(graph, x)
    inspected.update(fed)
    return finished(graph, x, *fed.values())


def embedding(graph: Graph) -> str:
    """Add words and positions, normalised: what goes into the first layer."""
    words = graph.node("Gather", graph.weight("embeddings.word_embeddings.weight"), "tokens")
    # There is one segment only: its embedding goes into the positions'.
    table = (
        graph.weights["embeddings.position_embeddings.weight"]
        + graph.weights["embeddings.token_type_embeddings.weight"][0]
    )
    length = graph.node("Shape", "tokens", start=1, end=2)
    zero = graph.constant(np.array([0], dtype=np.int64))
    positions = graph.node("Slice", graph.constant(table), zero, length)
    return graph.node(
        "LayerNormalization",
        graph.node("Add", words, positions),
        graph.weight("embeddings.LayerNorm.weight"),
        graph.weight("embeddings.LayerNorm.bias"),
        epsilon=EPSILON,
    )


def projections(weights: dict[str, Any], attention: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return query, key and value side by side: one weight, one bias."""
    parts = [f"{attention}.self.{part}" for part in ("query", "key", "value")]
    weight = np.concatenate([weights[f"{part}.weight"].T for part in parts], axis=1)
    return weight, np.concatenate([weights[f"{part}.bias"] for part in parts])


def finished(graph: Graph, x: str, *also: str) -> bytes:
    """Return the serialised graph: x pooled over a sentence's tokens, as unit vectors."""
    # The mean as a pooling operator: unlike ReduceMean it sums each row in the same order
    # whether it stands alone or in a batch.
    tokens_last = graph.node("Transpose", x, perm=[0, 2, 1])
    pooled = graph.node("GlobalAveragePool", tokens_last)
    mean = graph.node("Squeeze", pooled, graph.constant(np.array([2], dtype=np.int64)))
    out = graph.node("LpNormalization", mean, axis=-1, p=2)
    floats = onnx.TensorProto.FLOAT
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "minilm",
            [helper.make_tensor_value_info("tokens", onnx.TensorProto.INT64, ["batch", "length"])],
            [
                helper.make_tensor_value_info(out, floats, ["batch", DIM]),
                *(helper.make_tensor_value_info(name, floats, None) for name in also),
            ],
            graph.constants,
        ),
        opset_imports=[helper.make_opsetid("", 20), helper.make_opsetid(FUSED, 1)],
        ir_version=10,
    )
    serialised: bytes = model.SerializeToString()
    return serialised


def _layer(graph: Graph, x: str, number: int, fed: dict[str, str]) -> str:
    layer = f"encoder.layer.{number}"
    attention = f"{layer}.attention"
    weight, bias = projections(graph.weights, attention)
    fed[f"{number}.qkv"] = x
    context = graph.node(
        "Attention", x, graph.constant(weight), graph.constant(bias), domain=FUSED, num_heads=HEADS
    )
    fed[f"{number}.out"] = context
    x = graph.add_and_normalise(
        x,
        graph.dense(context, f"{attention}.output.dense"),
        graph.weight(f"{attention}.output.dense.bias"),
        f"{attention}.output.LayerNorm",
    )
    fed[f"{number}.up"] = x
    inner = graph.dense(x, f"{layer}.intermediate.dense")
    inner = graph.node(
        "BiasGelu", inner, graph.weight(f"{layer}.intermediate.dense.bias"), domain=FUSED
    )
    fed[f"{number}.down"] = inner
    return graph.add_and_normalise(
        x,
        graph.dense(inner, f"{layer}.output.dense"),
        graph.weight(f"{layer}.output.dense.bias"),
        f"{layer}.output.LayerNorm",
    )
