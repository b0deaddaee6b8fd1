"""USE-multilingual-3 as an ONNX graph, written operator by operator from its weights.

The model looks up a vector for each token, and convolves them three times over, in windows of two,
three and five tokens. What comes out stands beside the tokens' own vectors, is normalised and
averaged over the tokens, and goes through a few dense layers.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scstory.vectors.onnx_graph import GraphBuilder

USE_VERSION = 1
"""The version of this graph; vectors of another version may differ."""

DIM = 512
WIDTH = 256
"""Channels that each kind of window convolves, a third of all."""
WINDOWS = {2: 0, 3: 1, 5: 2}
"""For each length of a window, how many of its tokens stand before the one it is for."""
PARTS = 17
"""Token i has row i // 17 of part i % 17 of the table, and each part has a scale of its own."""
REST = 2**62

Weights = Mapping[str, NDArray[Any]]


class UseGraph(GraphBuilder):
    """The operators in 32 bits; the table of tokens stays in the few bits that it is stored in."""

    def __init__(self, weights: Weights) -> None:
        super().__init__()
        self._weights = weights
        self._epsilon = float(weights["eps"])

    def serialised(self) -> bytes:
        """Return the finished graph."""
        tokens = self._tokens()
        weight, bias, scale, offset = (
            self.constant(np.concatenate([self._weights[f"{name}{size}"] for size in WINDOWS], -1))
            for name in ("proj", "proj_b", "ln_g", "ln_b")
        )
        projected = self.node("Add", self.node("MatMul", tokens, weight), bias)
        x = self._normalised(projected, scale, offset)
        windows = [self._convolved(x, number) for number in range(len(WINDOWS))]
        both = self.node("Concat", tokens, *windows, axis=2)
        scale, offset = self._constant("ln_g"), self._constant("ln_b")
        return self.finished("use", self._dense(self._normalised(both, scale, offset)), DIM)

    def _tokens(self) -> str:
        """Add the table's rows for the tokens, (batch, tokens, dim)."""
        weights = self._weights
        rows = len(weights["q1"])
        table = np.empty((PARTS * rows, DIM), dtype=np.uint8)
        for part in range(PARTS):
            table[part::PARTS] = weights[f"q{part + 1}"]
        part_of = self.node("Mod", "tokens", self.constant(np.int64(PARTS)))
        scale, least = (
            self.node("Gather", self._constant(name, (PARTS, 1)), part_of)
            for name in ("scale", "lo")
        )
        whole = self.node("Cast", self.node("Gather", self.constant(table), "tokens"), to=1)
        return self.node("Add", self.node("Mul", whole, scale), least)

    def _convolved(self, x: str, number: int) -> str:
        """Add two convolutions of a third of the channels, each beside what goes into it."""
        size, before = tuple(WINDOWS.items())[number]
        ends = self._whole([number * WIDTH]), self._whole([(number + 1) * WIDTH])
        x = self.node("Slice", x, *ends, self._whole([2]))
        for layer in ("1", "2"):
            windows = self._windows(x, size, before)
            found = self._plus(windows, f"w{layer}_{size}", f"b{layer}_{size}")
            x = self.node("Add", self._relu(found), x)
        return x

    def _windows(self, x: str, size: int, before: int) -> str:
        """Add the windows around each token, side by side; there is zero beyond the sentence."""
        pads = self._whole([0, before, 0, 0, size - 1 - before, 0])
        padded, axis = self.node("Pad", x, pads), self._whole([1])
        shifted = [
            self.node("Slice", padded, self._whole([n]), self._whole([n - size + 1 or REST]), axis)
            for n in range(size)
        ]
        return self.node("Concat", *shifted, axis=2)

    def _dense(self, x: str) -> str:
        """Add the sum over the tokens, divided by the root of their number, and the last layers."""
        count = self.node("Cast", self.node("Shape", "tokens", start=1, end=2), to=1)
        mean = self._plus(self.mean_over_tokens(x), "cnn_W", "cnn_b")
        x = self.node("Mul", mean, self.node("Sqrt", count))
        first = self._relu(self._times(x, "d0"))
        second = self._relu(self.node("Add", self._times(x, "p1"), self._times(first, "d1")))
        third = self._relu(self._times(second, "d2"))
        total = self.node("Add", self._times(second, "p3"), self._times(third, "d3"))
        return self.unit_length(self.node("Tanh", total))

    def _normalised(self, x: str, scale: str, offset: str) -> str:
        return self.node("LayerNormalization", x, scale, offset, epsilon=self._epsilon)

    def _relu(self, x: str) -> str:
        return self.node("Relu", x)

    def _plus(self, x: str, weight: str, bias: str) -> str:
        return self.node("Add", self._times(x, weight), self._constant(bias))

    def _times(self, x: str, weight: str) -> str:
        return self.node("MatMul", x, self._constant(weight))

    def _constant(self, name: str, shape: tuple[int, ...] | None = None) -> str:
        value = self._weights[name].astype(np.float32)
        return self.constant(value if shape is None else value.reshape(shape))

    def _whole(self, numbers: list[int]) -> str:
        return self.constant(np.array(numbers, dtype=np.int64))
