"""ONNX graphs written operator by operator.

A graph written by hand is small, uses ONNX Runtime's fused operators from the start, and includes
the pooling. It takes token ids of shape (batch, tokens), all rows of one length, and returns unit
vectors. An exported graph would pad its rows, and then a vector would depend on its neighbours.
"""

from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

FUSED = "com.microsoft"


class GraphBuilder:
    """Adds operators and constants; each is named by what the method returns."""

    def __init__(self) -> None:
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def constant(self, value: Any) -> str:
        """Add a constant: an array, or a scalar, which has no shape."""
        name = f"c{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(np.asarray(value, order="C"), name))
        return name

    def node(self, kind: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        """Add an operator."""
        name = f"n{len(self._nodes)}"
        node = helper.make_node(kind, list(inputs), [name], domain=domain, **attributes)
        self._nodes.append(node)
        return name

    def mean_over_tokens(self, x: str) -> str:
        """Add the mean of (batch, tokens, dim) over the tokens."""
        # The mean as a pooling operator: unlike ReduceMean it sums each row in the same order
        # whether it stands alone or in a batch.
        tokens_last = self.node("Transpose", x, perm=[0, 2, 1])
        pooled = self.node("GlobalAveragePool", tokens_last)
        return self.node("Squeeze", pooled, self.constant(np.array([2], dtype=np.int64)))

    def unit_length(self, x: str) -> str:
        """Add the normalisation of each row to length 1."""
        return self.node("LpNormalization", x, axis=-1, p=2)

    def finished(self, name: str, vectors: str, dim: int) -> bytes:
        """Return the graph from the input `tokens` to some vectors."""
        floats, ints = onnx.TensorProto.FLOAT, onnx.TensorProto.INT64
        output = helper.make_tensor_value_info(vectors, floats, ["batch", dim])
        tokens = helper.make_tensor_value_info("tokens", ints, ["batch", "len"])
        model = helper.make_model(
            helper.make_graph(self._nodes, name, [tokens], [output], self._constants),
            opset_imports=[helper.make_opsetid("", 20), helper.make_opsetid(FUSED, 1)],
            ir_version=10,
        )
        serialised: bytes = model.SerializeToString()
        return serialised
