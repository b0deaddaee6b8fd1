"""Measures the scales of the 8-bit MiniLM and writes them into `scstory/vectors/minilm_int8.npz`.

Run ``python -m tools.minilm_calibrate`` when the graph rounds something new. The text is the
bundled sample, on which nothing is evaluated, and `minilm_odd_lines.txt`, as feeds have them.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from safetensors.numpy import load

import scstory.vectors
from scstory.sample import load_sample
from scstory.text import split_article
from scstory.vectors.minilm import MiniLMTokenizer, installed_folder, installed_weights
from scstory.vectors.minilm_forward import dense_name
from scstory.vectors.minilm_onnx import Graph, projections

SHARE = 0.8
"""The share of a channel's size that its factor takes on; the rest stays for the weights."""
LONG_LINES = (
    *("word " * 300, "1 " * 300, ". " * 200, "0" * 60, "a" * 90, "-" * 60, "_" * 20, "?" * 40),
)


def calibrate(sentences: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Return the scales for sentences like these."""
    graph = _InspectedGraph(load(installed_weights()))
    session = onnxruntime.InferenceSession(graph.serialised(), providers=["CPUExecutionProvider"])
    inputs: dict[str, list[NDArray[Any]]] = {product: [] for product in graph.inspected}
    for tokens in MiniLMTokenizer(installed_folder()).tokenise(sentences):
        ids = np.array([tokens], dtype=np.int64)
        outputs = session.run(list(graph.inspected.values()), {"tokens": ids})
        for product, output in zip(inputs, outputs, strict=True):
            inputs[product].append(output[0])
    scales: dict[str, NDArray[Any]] = {}
    for product, parts in inputs.items():
        seen = np.concatenate(parts)
        largest = np.abs(seen).max(axis=0) + 1e-3
        weight = np.abs(graph.matrices[product]).max(axis=1)
        factors = largest**SHARE / weight ** (1 - SHARE)
        factors = (factors / np.exp(np.log(factors).mean())).astype(np.float16)
        scaled = seen / factors.astype(np.float32)
        scales[product] = factors
        scales[f"{product}.range"] = np.array([scaled.min(), scaled.max()], dtype=np.float32)
    return scales


class _InspectedGraph(Graph):
    """The graph in 32 bits that also returns the input of each matrix product."""

    def __init__(self, weights: dict[str, Any]) -> None:
        super().__init__(weights)
        self.inspected: dict[str, str] = {}
        self.matrices: dict[str, NDArray[Any]] = {}

    def serialised(self) -> bytes:
        """Return the finished graph; the inputs of products are outputs too."""
        model = onnx.load_from_string(super().serialised())
        for name in self.inspected.values():
            output = onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None)
            model.graph.output.append(output)
        return model.SerializeToString()

    def attention(self, x: str, block: int) -> str:
        """Add the attention; note what goes into it."""
        self._inspect(f"{block}.qkv", x, projections(self.weights, block)[0])
        return super().attention(x, block)

    def product(self, x: str, block: int, product: str) -> str:
        """Add a matrix product; note what goes into it."""
        weight = self.weights[f"{dense_name(block, product)}.weight"].T
        self._inspect(f"{block}.{product}", x, weight)
        return super().product(x, block, product)

    def _inspect(self, product: str, x: str, weight: NDArray[Any]) -> None:
        self.inspected[product], self.matrices[product] = x, weight


def main() -> None:
    """Write the file that `minilm_int8.py` reads."""
    articles = [item.article for item in load_sample() if item.article is not None]
    sentences = [sentence for article in articles for sentence in split_article(article)]
    odd_lines = Path(__file__).with_name("minilm_odd_lines.txt").read_text("utf-8")
    odd_lines = odd_lines.removesuffix("\n").split("\n")
    scales = calibrate([*sentences, *odd_lines, *LONG_LINES])
    with Path(scstory.vectors.__file__).with_name("minilm_int8.npz").open("wb") as file:
        np.savez_compressed(file, **scales)


if __name__ == "__main__":
    main()
