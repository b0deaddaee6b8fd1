"""MiniLM as an 8-bit ONNX graph: the products of `minilm_graph.py` in whole numbers.

Weights are rounded to 8 bits, column by column. What meets them is rounded to 8 bits by a fixed
scale, measured beforehand (`minilm_calibrate.py`). Fixed scales are what keeps a sentence's vector
the same in any company: scales taken from the batch, the usual way, let neighbours in. Sums of
whole numbers are exact in any order.

A few of MiniLM's channels are ten times as large as the others and would take all of the 8 bits.
So each channel is divided by a factor of its own, and the weights' rows are multiplied by it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper

from scstory.vectors.minilm_graph import (
    DIM,
    EPSILON,
    FUSED,
    HEADS,
    LAYERS,
    Graph,
    embedding,
    finished,
    projections,
)

VERSION = 1
"""Of this graph; vectors of another version may differ."""

Scales = Mapping[str, NDArray[Any]]
"""For each product, as `3.up`: its channels' factors; as `3.up.range`: the lowest and highest
value that is to be told apart, after division by the factors."""


def scales_file() -> bytes:
    """Return the scales that belong to the weights, as a file of numpy arrays."""
    return files("scstory.vectors").joinpath("minilm_int8.npz").read_bytes()


def build_int8(weights: dict[str, Any], scales: Scales, *, signed: bool) -> bytes:
    """Return the serialised graph for weights and scales.

    `signed` says how weights are kept. Both ways give the same sums; which one is fast, and
    right, depends on the processor: see `signed_is_exact`.
    """
    graph = _Int8Graph(weights, scales, signed=signed)
    x = embedding(graph)
    for number in range(LAYERS):
        x = _layer(graph, x, number)
    return finished(graph, x)


class _Int8Graph(Graph):
    def __init__(self, weights: dict[str, Any], scales: Scales, *, signed: bool) -> None:
        super().__init__(weights)
        self.scales, self._signed = scales, signed

    def rounded(self, x: str, product: str, *, divide: bool = True) -> tuple[str, str, str]:
        """Add x in 8 bits, its scale, and what stands for zero."""
        if divide:
            x = self.node("Mul", x, self.constant(1 / self.scales[product]))
        low, high = (float(end) for end in self.scales[f"{product}.range"])
        step = (high - low) / 255
        scale, zero = self.scalar(np.float32(step)), self.scalar(np.uint8(round(-low / step)))
        return self.node("QuantizeLinear", x, scale, zero), scale, zero

    def rounded_weight(self, weight: NDArray[Any], product: str) -> tuple[str, str, str]:
        """Add a weight in 8 bits, the scales of its columns, and what stands for zero."""
        weight = weight * self.scales[product][:, None]
        scale = np.abs(weight).max(axis=0) / 127
        whole = np.rint(weight / scale).clip(-127, 127)
        if self._signed:
            kept, zero = whole.astype(np.int8), np.zeros(len(scale), dtype=np.int8)
        else:
            kept, zero = (whole + 128).astype(np.uint8), np.full(len(scale), 128, dtype=np.uint8)
        return self.constant(kept), self.constant(scale.astype(np.float32)), self.constant(zero)

    def product(self, x: str, layer: str, product: str, *, divide: bool = True) -> str:
        """Add x times a layer's weight plus its bias."""
        values, scale, zero = self.rounded(x, product, divide=divide)
        weight, scales, zeros = self.rounded_weight(self.weights[f"{layer}.weight"].T, product)
        inputs = (values, weight, scale, scales, zero, zeros, self.weight(f"{layer}.bias"))
        return self.node("MatMulIntegerToFloat", *inputs, domain=FUSED)

    def normalised_sum(self, x: str, y: str, norm: str) -> str:
        """Add x and y and normalise; in two steps, since the fused one is far slower on a CPU."""
        gamma, beta = self.weight(f"{norm}.weight"), self.weight(f"{norm}.bias")
        total = self.node("Add", x, y)
        return self.node("LayerNormalization", total, gamma, beta, epsilon=EPSILON)


def _layer(graph: _Int8Graph, x: str, number: int) -> str:
    layer = f"encoder.layer.{number}"
    attention = f"{layer}.attention"
    weight, bias = projections(graph.weights, attention)
    # Attention mixes values channel by channel: what divides them can go into their projection.
    weight[:, 2 * DIM :] /= graph.scales[f"{number}.out"]
    bias[2 * DIM :] /= graph.scales[f"{number}.out"]
    values, scale, zero = graph.rounded(x, f"{number}.qkv")
    kept, scales, zeros = graph.rounded_weight(weight, f"{number}.qkv")
    inputs = (values, kept, graph.constant(bias), scale, scales, "", zero, zeros)
    context = graph.node("QAttention", *inputs, domain=FUSED, num_heads=HEADS)
    y = graph.product(context, f"{attention}.output.dense", f"{number}.out", divide=False)
    x = graph.normalised_sum(x, y, f"{attention}.output.LayerNorm")
    inner = graph.product(x, f"{layer}.intermediate.dense", f"{number}.up")
    y = graph.product(graph.node("Gelu", inner), f"{layer}.output.dense", f"{number}.down")
    return graph.normalised_sum(x, y, f"{layer}.output.LayerNorm")


@cache
def signed_is_exact() -> bool:
    """Whether this processor adds products of unsigned and signed bytes without clipping.

    Those with VNNI or dot-product instructions do. Older ones clip pairs of products at 16 bits;
    there weights are kept unsigned, which is slower and right.
    """
    import onnxruntime

    size = 64
    model = helper.make_model(
        helper.make_graph(
            [helper.make_node("MatMulInteger", ["x", "w"], ["y"])],
            "probe",
            [helper.make_tensor_value_info("x", onnx.TensorProto.UINT8, ["rows", size])],
            [helper.make_tensor_value_info("y", onnx.TensorProto.INT32, ["rows", size])],
            [numpy_helper.from_array(np.full((size, size), 127, dtype=np.int8), "w")],
        ),
        opset_imports=[helper.make_opsetid("", 20)],
        ir_version=10,
    )
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    found = session.run(None, {"x": np.full((8, size), 255, dtype=np.uint8)})[0]
    return bool((found == 255 * 127 * size).all())
