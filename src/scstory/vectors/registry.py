"""The encoders by name. A new one is a file with a factory, and a line in `ENCODERS`.

For `NAME:ARGUMENT` the factory is called with ARGUMENT, and with `threads` and `device` by keyword.
"""

from collections.abc import Callable, Collection, Mapping
from pkgutil import resolve_name

from scstory.errors import ConfigError
from scstory.vectors.auto_encoder import AUTO, AutoEncoder
from scstory.vectors.cached_encoder import memory_cached
from scstory.vectors.encoder import Encoder
from scstory.vectors.minilm_forward import DIM
from scstory.vectors.use_languages import USE_LANGUAGES

ENCODERS: Mapping[str, str] = {
    "minilm-int8": "scstory.vectors.minilm:make_minilm_int8",
    "minilm": "scstory.vectors.minilm:make_minilm",
    "use-multilingual": "scstory.vectors.use_multilingual:make_use_multilingual",
    "hashing": "scstory.vectors.hashing:make_hashing",
    "sentence-transformers": "scstory.vectors.sentence_transformer:SentenceTransformerEncoder",
}
"""The import path of each factory: an encoder's libraries are imported on first use."""
SERVED: Mapping[str, Collection[str]] = {
    "minilm-int8": ("en",),
    "minilm": ("en",),
    "use-multilingual": USE_LANGUAGES,
}
"""The languages that encoders serve, as far as they say which."""
CPU_ONLY = ("minilm-int8", "use-multilingual", "hashing")
DEFAULT_ENCODER, DEFAULT_GPU_ENCODER = "minilm-int8", "minilm"
MULTILINGUAL_ENCODER = "use-multilingual"


def default_encoder(*, threads: int | None = None) -> Encoder:
    """Return MiniLM (all-MiniLM-L6-v2) from the installed weights, in 8 bits on ONNX Runtime."""
    return make_encoder(DEFAULT_ENCODER, threads=threads)


def make_encoder(
    spec: str | None = None, *, threads: int | None = None, device: str | None = None
) -> Encoder:
    """Return the encoder that `spec` names, or the default one.

    `auto` leaves the choice to the languages of the first articles (`auto_encoder.py`).
    `minilm-int8` is the default; `minilm` is the same model in 32 bits, three times as slow on a
    CPU and the default on a GPU, as in ``device="cuda"``; `use-multilingual` knows sixteen
    languages; `hashing` or `hashing:DIM` needs no model and compares words only; any other name is
    that of a sentence-transformers model or of a folder that holds one. Equal sentences are encoded
    once.
    """
    on_cpu = device in (None, "", "cpu")
    if spec == AUTO:
        return _auto(threads=threads, device=device)
    if spec is None:
        spec = DEFAULT_ENCODER if on_cpu else DEFAULT_GPU_ENCODER
    if not spec.strip():
        names = ", ".join(ENCODERS)
        raise ConfigError(f"encoder '': name one of {names}, or a sentence-transformers model")
    name, _, argument = spec.partition(":")
    if name not in ENCODERS:
        name, argument = "sentence-transformers", spec
    if name in CPU_ONLY and not on_cpu:
        raise ConfigError(
            f"encoder {spec}: runs on the CPU only, not on {device}; "
            "name --encoder minilm, or leave out --device"
        )
    factory: Callable[..., Encoder] = resolve_name(ENCODERS[name])
    return memory_cached(factory(argument, threads=threads, device=device))


def _auto(*, threads: int | None, device: str | None) -> AutoEncoder:
    on_cpu = device in (None, "", "cpu")

    def make(name: str) -> Encoder:
        return make_encoder(name, threads=threads, device=None if name in CPU_ONLY else device)

    english = DEFAULT_ENCODER if on_cpu else DEFAULT_GPU_ENCODER
    return AutoEncoder(make, english=english, other=MULTILINGUAL_ENCODER, english_dim=DIM)
