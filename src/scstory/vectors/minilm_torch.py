"""MiniLM in torch, for GPUs: the model of `minilm_graph.py`, layer by layer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load
from torch import Tensor
from torch.nn import functional

from scstory.types import Vectors
from scstory.vectors.batches import batches
from scstory.vectors.device import torch_device
from scstory.vectors.minilm import MiniLMTokenizer, installed_folder, installed_weights

LAYERS, HEADS, DIM, EPSILON = 6, 12, 384, 1e-12
BATCH_TOKENS = 2048
CHUNK = 8192
"""Sentences tokenised at a time, while those before are on the device."""


class TorchMiniLM:
    """all-MiniLM-L6-v2 in 32 bits on a torch device: `minilm` where there is a GPU.

    Batches hold sentences of one token length, and as many rows as that length always has, the
    last one filled up: libraries choose how to sum by shape, so a vector depends on nothing else.
    """

    name = "minilm"
    dim = DIM

    def __init__(self, *, device: str = "cuda", model: Path | None = None) -> None:
        self._device = torch_device(device)
        self.fingerprint = f"torch {torch.__version__} {self._device.type}"
        self._tokenizer = MiniLMTokenizer(model or installed_folder())
        self._weights = {
            name: weight.to(self._device) for name, weight in load(installed_weights()).items()
        }

    @torch.inference_mode()
    def encode(self, sentences: Sequence[str]) -> Vectors:
        """Return unit vectors: the mean of the last layer's tokens, normalised."""
        out = np.empty((len(sentences), self.dim), dtype=np.float32)
        for start, tokens in self._tokenizer.chunks(sentences, CHUNK):
            done = []
            for chosen in batches([len(ids) for ids in tokens], _rows):
                ids = np.array([tokens[i] for i in chosen], dtype=np.int64)
                filled = np.resize(ids, (_rows(ids.shape[1]), ids.shape[1]))
                on_device = torch.from_numpy(filled).to(self._device, non_blocking=True)
                done.append((chosen, self._forward(on_device)[: len(chosen)]))
            for chosen, vectors in done:  # only now wait for the device
                out[[start + i for i in chosen]] = vectors.cpu().numpy()
        return out

    def _forward(self, ids: Tensor) -> Tensor:
        weights, length = self._weights, ids.shape[1]
        x = (
            weights["embeddings.word_embeddings.weight"][ids]
            + weights["embeddings.position_embeddings.weight"][:length]
            + weights["embeddings.token_type_embeddings.weight"][0]
        )
        x = self._normalised(x, "embeddings.LayerNorm")
        for number in range(LAYERS):
            layer = f"encoder.layer.{number}"
            attention = f"{layer}.attention"
            query, key, value = (
                self._linear(x, f"{attention}.self.{part}")
                .view(*x.shape[:2], HEADS, DIM // HEADS)
                .transpose(1, 2)
                for part in ("query", "key", "value")
            )
            context = functional.scaled_dot_product_attention(query, key, value)
            context = context.transpose(1, 2).reshape(x.shape)
            x = self._normalised(
                x + self._linear(context, f"{attention}.output.dense"),
                f"{attention}.output.LayerNorm",
            )
            inner = functional.gelu(self._linear(x, f"{layer}.intermediate.dense"))
            x = self._normalised(
                x + self._linear(inner, f"{layer}.output.dense"), f"{layer}.output.LayerNorm"
            )
        return functional.normalize(x.mean(dim=1), dim=1)

    def _linear(self, x: Tensor, layer: str) -> Tensor:
        return functional.linear(
            x, self._weights[f"{layer}.weight"], self._weights[f"{layer}.bias"]
        )

    def _normalised(self, x: Tensor, norm: str) -> Tensor:
        gamma, beta = self._weights[f"{norm}.weight"], self._weights[f"{norm}.bias"]
        return functional.layer_norm(x, (DIM,), gamma, beta, EPSILON)


def _rows(length: int) -> int:
    return max(1, BATCH_TOKENS // length)
