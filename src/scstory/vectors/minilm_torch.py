"""MiniLM in torch, for GPUs."""

from collections.abc import Sequence

import numpy as np
import torch
from safetensors.torch import load
from torch import Tensor
from torch.nn import functional

from scstory.types import Vectors
from scstory.vectors.device import torch_device
from scstory.vectors.length_batches import length_batches
from scstory.vectors.minilm import MiniLMTokenizer, installed_folder, installed_weights
from scstory.vectors.minilm_forward import (
    DIM,
    EPSILON,
    HEADS,
    attention_names,
    dense_name,
    forward,
    norm_name,
)
from scstory.vectors.onnx_encoder import tokenised

GPU_BATCH_TOKENS = 2048
GPU_CHUNK_SENTENCES = 8192
"""Sentences that are tokenised at a time, while the chunk before is on the device."""


class TorchMiniLM:
    """all-MiniLM-L6-v2 in 32 bits on a torch device: `minilm` where there is a GPU.

    Batches hold sentences of one token length, and as many rows as that length always has, the
    last one filled up: libraries choose how to sum by shape, so a vector depends on nothing else.
    """

    name = "minilm"
    dim = DIM
    languages = frozenset({"en"})

    def __init__(self, *, device: str = "cuda") -> None:
        self._device = torch_device(device)
        self.fingerprint = f"torch {torch.__version__} {self._device.type}"
        self._tokenise = MiniLMTokenizer(installed_folder()).tokenise
        self._weights = {
            name: weight.to(self._device) for name, weight in load(installed_weights()).items()
        }

    @torch.inference_mode()
    def encode(self, sentences: Sequence[str]) -> Vectors:
        """Return unit vectors: the mean of the last layer's tokens, normalised."""
        out = np.empty((len(sentences), self.dim), dtype=np.float32)
        for start, tokens in tokenised(self._tokenise, sentences, GPU_CHUNK_SENTENCES):
            done = []
            for chosen in length_batches([len(ids) for ids in tokens], _rows):
                ids = np.array([tokens[i] for i in chosen], dtype=np.int64)
                filled = np.resize(ids, (_rows(ids.shape[1]), ids.shape[1]))
                on_device = torch.from_numpy(filled).to(self._device, non_blocking=True)
                vectors = forward(_TorchOperators(self._weights, on_device))
                done.append((chosen, vectors[: len(chosen)]))
            for chosen, vectors in done:  # only now wait for the device
                out[[start + i for i in chosen]] = vectors.cpu().numpy()
        return out


class _TorchOperators:
    """The operators in torch, for one batch of token ids."""

    def __init__(self, weights: dict[str, Tensor], ids: Tensor) -> None:
        self._weights, self._ids = weights, ids

    def embedding(self) -> Tensor:
        words, positions, segments = (
            self._weights[f"embeddings.{kind}_embeddings.weight"]
            for kind in ("word", "position", "token_type")
        )
        x = words[self._ids] + positions[: self._ids.shape[1]] + segments[0]
        return self._normalised(x, "embeddings.LayerNorm")

    def attention(self, x: Tensor, block: int) -> Tensor:
        query, key, value = (
            self._linear(x, name).view(*x.shape[:2], HEADS, DIM // HEADS).transpose(1, 2)
            for name in attention_names(block)
        )
        context = functional.scaled_dot_product_attention(query, key, value)
        return context.transpose(1, 2).reshape(x.shape)

    def expanded(self, x: Tensor, block: int) -> Tensor:
        return functional.gelu(self._linear(x, dense_name(block, "up")))

    def add_and_normalise(self, x: Tensor, y: Tensor, block: int, product: str) -> Tensor:
        y = self._linear(y, dense_name(block, product))
        return self._normalised(x + y, norm_name(block, product))

    def unit_mean(self, x: Tensor) -> Tensor:
        return functional.normalize(x.mean(dim=1), dim=1)

    def _linear(self, x: Tensor, layer: str) -> Tensor:
        return functional.linear(
            x, self._weights[f"{layer}.weight"], self._weights[f"{layer}.bias"]
        )

    def _normalised(self, x: Tensor, norm: str) -> Tensor:
        gamma, beta = self._weights[f"{norm}.weight"], self._weights[f"{norm}.bias"]
        return functional.layer_norm(x, (DIM,), gamma, beta, EPSILON)


def _rows(length: int) -> int:
    return max(1, GPU_BATCH_TOKENS // length)
