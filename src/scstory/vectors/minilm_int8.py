"""MiniLM as an 8-bit ONNX graph: the products of `minilm_onnx.py` in whole numbers.

Weights are rounded to 8 bits, column by column. Their inputs are rounded to 8 bits by a fixed
scale, which was measured beforehand (`tools/minilm_calibrate.py`). ONNX Runtime's own quantisation
is not used because it takes the scales from the batch, and then a sentence's vector depends on its
neighbours. Sums of whole numbers are exact in any order.

A few of MiniLM's channels are ten times as large as the others and would take all of the 8 bits.
So each channel is divided by a factor of its own, and the weights' rows are multiplied by it.
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper

from scstory.vectors.minilm_forward import DIM, HEADS, dense_name, norm_name
from scstory.vectors.minilm_onnx import Graph, projections
from scstory.vectors.onnx_graph import FUSED

INT8_VERSION = 1
"""The version of this graph; vectors of another version may differ."""

Scales = Mapping[str, NDArray[Any]]
"""For each product, as in `3.up`, the factors of its channels; as in `3.up.range`, the lowest and
the highest value after division by the factors."""


def scales_file() -> bytes:
    """Return the scales that belong to the weights, as a file of numpy arrays."""
    return files("scstory.vectors").joinpath("minilm_int8.npz").read_bytes()


class Int8Graph(Graph):
    """The operators in 8 bits.

    `signed` is how weights are stored. Both ways give the same sums; which one is fast, and
    right, depends on the processor: see `signed_is_exact`.
    """

    def __init__(self, weights: dict[str, Any], scales: Scales, *, signed: bool) -> None:
        super().__init__(weights)
        self._scales, self._signed = scales, signed

    def attention(self, x: str, block: int) -> str:
        """Add the attention with its projections in 8 bits."""
        weight, bias = projections(self.weights, block)
        # Attention mixes values channel by channel, so their division by the factors of the next
        # product can go into their projection.
        weight[:, 2 * DIM :] /= self._scales[f"{block}.out"]
        bias[2 * DIM :] /= self._scales[f"{block}.out"]
        values, scale, zero = self._rounded(x, f"{block}.qkv")
        whole, scales, zeros = self._rounded_weight(weight, f"{block}.qkv")
        inputs = (values, whole, self.constant(bias), scale, scales, "", zero, zeros)
        return self.node("QAttention", *inputs, domain=FUSED, num_heads=HEADS)

    def expanded(self, x: str, block: int) -> str:
        """Add the product `up` and GELU."""
        return self.node("Gelu", self.product(x, block, "up"))

    def add_and_normalise(self, x: str, y: str, block: int, product: str) -> str:
        """Add and normalise in two steps, since the fused operator is far slower on a CPU."""
        total = self.node("Add", x, self.product(y, block, product))
        return self.normalised(total, norm_name(block, product))

    def product(self, x: str, block: int, product: str) -> str:
        """Add a matrix product, with its bias."""
        layer, name = dense_name(block, product), f"{block}.{product}"
        values, scale, zero = self._rounded(x, name, divided=product == "out")
        weight, scales, zeros = self._rounded_weight(self.weights[f"{layer}.weight"].T, name)
        inputs = (values, weight, scale, scales, zero, zeros, self.weight(f"{layer}.bias"))
        return self.node("MatMulIntegerToFloat", *inputs, domain=FUSED)

    def _rounded(self, x: str, product: str, *, divided: bool = False) -> tuple[str, str, str]:
        """Add x in 8 bits, its scale, and the number that stands for zero."""
        if not divided:
            x = self.node("Mul", x, self.constant(1 / self._scales[product]))
        low, high = (float(end) for end in self._scales[f"{product}.range"])
        step = (high - low) / 255
        scale, zero = self.constant(np.float32(step)), self.constant(np.uint8(round(-low / step)))
        return self.node("QuantizeLinear", x, scale, zero), scale, zero

    def _rounded_weight(self, weight: NDArray[Any], product: str) -> tuple[str, str, str]:
        """Add a weight in 8 bits, the scales of its columns, and the number for zero."""
        weight = weight * self._scales[product][:, None]
        scale = np.abs(weight).max(axis=0) / 127
        whole = np.rint(weight / scale).clip(-127, 127)
        kind, zero = (np.int8, 0) if self._signed else (np.uint8, 128)
        stored, zeros = (whole + zero).astype(kind), np.full(len(scale), zero, dtype=kind)
        return self.constant(stored), self.constant(scale.astype(np.float32)), self.constant(zeros)


@cache
def signed_is_exact() -> bool:
    """Return whether this processor adds products of unsigned and signed bytes without clipping.

    Processors with VNNI or dot-product instructions do. Older ones clip pairs of products at 16
    bits; there weights are stored unsigned, which is slower and right.
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
