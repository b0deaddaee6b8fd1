"""The seam: what an encoder is, how one is chosen by name, and articles put through it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Protocol

import numpy as np

from scstory.errors import ConfigError
from scstory.text import MAX_SENTENCES, split_article
from scstory.types import Article, EncodedArticle, Vectors


class Encoder(Protocol):
    """A frozen sentence encoder.

    A sentence's vector is a pure function of the sentence: the same bytes whatever is encoded
    beside it. Without that a resumed run could not repeat what an undisturbed one does.
    """

    @property
    def name(self) -> str:
        """What tells this encoder from all others whose vectors differ."""

    @property
    def dim(self) -> int:
        """The length of a vector."""

    def encode(self, sentences: Sequence[str]) -> Vectors:
        """Return one vector a sentence, as float32 of shape (n, dim)."""


DEFAULT_ENCODER = "minilm-int8"


def default_encoder(*, threads: int | None = None) -> Encoder:
    """Return MiniLM (all-MiniLM-L6-v2) from the installed weights, in 8 bits on ONNX Runtime."""
    return make_encoder(DEFAULT_ENCODER, threads=threads)


def make_encoder(
    spec: str | None = None, *, threads: int | None = None, device: str | None = None
) -> Encoder:
    """Return the encoder that `spec` names, or the default one.

    `minilm-int8` is the default; `minilm` is the same model in 32 bits, three times as slow on a
    CPU and the default on a GPU, named as in ``device="cuda"``; `hashing` or `hashing:DIM` needs no
    model at all and knows only words; anything else is the name or folder of a
    sentence-transformers model. Equal sentences are encoded once.
    """
    from scstory.vectors.memory import RememberingEncoder

    on_cpu = device in (None, "", "cpu")
    if spec is None:
        spec = DEFAULT_ENCODER if on_cpu else "minilm"
    kind, _, argument = spec.partition(":")
    if spec == "minilm" and device and not on_cpu:
        from scstory.vectors.minilm_torch import TorchMiniLM

        return RememberingEncoder(TorchMiniLM(device=device))
    if not on_cpu and (spec == "minilm-int8" or kind == "hashing"):
        raise ConfigError(
            f"encoder {spec}: runs on the CPU only, not on {device}; "
            "name --encoder minilm, or leave out --device"
        )
    if spec in ("minilm", "minilm-int8"):
        from scstory.vectors.minilm import MiniLM

        return RememberingEncoder(MiniLM(bits=32 if spec == "minilm" else 8, threads=threads))
    if kind == "hashing":
        from scstory.vectors.hashing import HashingEncoder

        if not argument:
            return HashingEncoder()
        if not argument.isdecimal() or int(argument) < 1:
            raise ConfigError(
                f"encoder {spec!r}: the dimension after 'hashing:' must be a whole number "
                "of at least 1, as in hashing:256"
            )
        return HashingEncoder(dim=int(argument))
    if not spec.strip():
        raise ConfigError(
            f"encoder '': name one: {DEFAULT_ENCODER}, hashing, or a sentence-transformers model"
        )
    from scstory.vectors.sentence_transformer import SentenceTransformerEncoder

    name = argument if kind == "sentence-transformers" else spec
    return RememberingEncoder(SentenceTransformerEncoder(name, device=device, threads=threads))


def encode_articles(
    articles: Iterable[Article], encoder: Encoder, *, max_sentences: int = MAX_SENTENCES
) -> list[EncodedArticle]:
    """Split articles into sentences and encode them all in one go."""
    articles = list(articles)
    if not articles:
        return []
    split = [split_article(article, max_sentences=max_sentences) for article in articles]
    vectors = encoder.encode([sentence for sentences in split for sentence in sentences])
    ends = np.cumsum([0, *(len(sentences) for sentences in split)])
    return [
        EncodedArticle(article, sentences, vectors[start:end])
        for article, sentences, (start, end) in zip(articles, split, pairwise(ends), strict=True)
    ]
