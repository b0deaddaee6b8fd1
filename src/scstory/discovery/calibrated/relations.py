"""How each sentence of an article relates to the rest of it, in vectors and in words.

A sentence that tells the article's story is close to the title, to the opening and to what the rest
says; a teaser, a ticker or a caption is not, and stands beside others of its kind. Nothing here
depends on the language, on the outlet or on any other article, beyond what words are common.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from scstory.discovery.window import Floats, Ints
from scstory.text import BUCKETS, TermStatistics
from scstory.types import EncodedArticle, Vectors

OPENING = 5
"""Sentences, the title among them, that are the opening."""
NEAREST = 3
"""Other sentences that are the nearest to one."""


@dataclass(frozen=True, slots=True)
class Sentences:
    """The sentences of an article: their vectors, and the terms that stand in each."""

    vectors: Vectors
    """Of unit length."""
    sentence: NDArray[np.int32]
    column: NDArray[np.int32]
    """Term `column[i]` stands in sentence `sentence[i]`."""

    @classmethod
    def of(cls, article: EncodedArticle, centre: Vectors) -> Self:
        """Return the sentences of an article, `centre` subtracted from their vectors."""
        vectors = article.vectors - centre
        lengths = np.sqrt(np.einsum("nd,nd->n", vectors, vectors))
        vectors /= np.maximum(lengths, 1e-12)[:, None]
        columns = article.reading.columns[article.reading.uses]
        is_term = columns < BUCKETS
        return cls(vectors, article.reading.used_in[is_term], columns[is_term])

    def __len__(self) -> int:
        return len(self.vectors)

    def joined(self, others: list[tuple[Self, int]], order: Ints) -> Self:
        """Return these and single sentences of other articles, in the order given."""
        parts = [other.column[other.sentence == i] for other, i in others]
        every = np.concatenate([self.sentence, _numbered(parts, len(self))])
        vectors = np.concatenate([self.vectors, *(other.vectors[i : i + 1] for other, i in others)])
        place = np.argsort(order).astype(np.int32)
        return type(self)(vectors[order], place[every], np.concatenate([self.column, *parts]))


def relations(
    sentences: Sentences, statistics: TermStatistics, documents: float | None = None
) -> Floats:
    """Return how each sentence relates to its article, (sentences, relations)."""
    count = len(sentences)
    weighted = _weighted_terms(sentences, statistics, documents)
    lengths = np.sqrt(np.einsum("nt,nt->n", weighted, weighted))
    unit = weighted / np.maximum(lengths, 1e-12)[:, None]
    others = 1 - np.eye(count)
    vector, words = _relate(sentences.vectors, others), _relate(unit, others)
    has_term = weighted > 0
    elsewhere = (weighted * (has_term.sum(axis=0) > 1)).sum(axis=1)
    share = elsewhere / np.maximum(weighted.sum(axis=1), 1e-12)
    uses = np.bincount(sentences.sentence, minlength=count)
    own = np.stack([*vector, *np.sqrt(np.maximum(words, 0)), share, np.log1p(uses)], axis=1)
    padded = np.concatenate([own[:1], own, own[-1:]])
    return np.concatenate([own, (padded[:-2] + padded[2:]) / 2], axis=1)


def _relate(rows: Floats | Vectors, others: Floats) -> Floats:
    """Return cosines of unit vectors with the first, the first few, all and the nearest others."""
    products = np.asarray(rows @ rows.T, dtype=np.float64) * others
    count = len(products)
    if count == 1:
        return np.zeros((4, 1))
    opening = others.copy()
    opening[:, OPENING:] = 0
    title = products[:, 0].copy()
    title[0] = products[0, 1]
    found = np.sort(np.where(others > 0, products, -np.inf), axis=1)
    nearest = found[:, -min(NEAREST, count - 1) :].mean(axis=1)
    return np.stack([title, *(_cosines(products, some) for some in (opening, others)), nearest])


def _cosines(products: Floats, chosen: Floats) -> Floats:
    """Return the cosine of each row with the sum of the rows chosen for it.

    `products` are those of different rows; each row by itself has length 1.
    """
    along = (products * chosen).sum(axis=1)
    squared = np.einsum("jk,jk->j", chosen @ products, chosen) + chosen.sum(axis=1)
    return np.asarray(along / np.sqrt(np.maximum(squared, 1e-12)))


def _weighted_terms(
    sentences: Sentences, statistics: TermStatistics, documents: float | None
) -> Floats:
    """Return the idf of the terms that stand in each sentence, (sentences, distinct terms)."""
    distinct, place = np.unique(sentences.column, return_inverse=True)
    weighted = np.zeros((len(sentences), len(distinct)))
    weighted[sentences.sentence, place] = statistics.idf_at(distinct, documents)[place]
    return weighted


def _numbered(parts: list[NDArray[np.int32]], start: int) -> NDArray[np.int32]:
    numbers = np.arange(start, start + len(parts), dtype=np.int32)
    return np.repeat(numbers, [len(part) for part in parts])
