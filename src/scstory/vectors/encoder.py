"""The encoder protocol, and articles encoded by it."""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Protocol

import numpy as np

from scstory.text import read
from scstory.types import Article, EncodedArticle, Reading, Vectors


class Encoder(Protocol):
    """A frozen sentence encoder.

    A sentence's vector is a pure function of the sentence: the same bytes whatever is encoded
    beside it. Without that, a resumed run could not repeat the decisions of an undisturbed one.
    """

    @property
    def name(self) -> str:
        """The name under which databases know the encoder: other vectors, another name."""

    @property
    def dim(self) -> int:
        """The length of a vector."""

    def encode(self, sentences: Sequence[str]) -> Vectors:
        """Return one vector per sentence, as float32 of shape (n, dim)."""


def encode_articles(
    articles: Iterable[Article], encoder: Encoder, *, reader: Callable[[Article], Reading] = read
) -> list[EncodedArticle]:
    """Read articles, and encode the sentences of all of them in one call."""
    articles = list(articles)
    if not articles:
        return []
    readings = [reader(article) for article in articles]
    if choose := getattr(encoder, "choose", None):  # the encoder `auto`
        choose([reading.language for reading in readings])
    vectors = encoder.encode([s for reading in readings for s in reading.sentences])
    ends = np.cumsum([0, *(len(reading.sentences) for reading in readings)])
    return [
        EncodedArticle(article, reading, vectors[start:end])
        for article, reading, (start, end) in zip(articles, readings, pairwise(ends), strict=True)
    ]
