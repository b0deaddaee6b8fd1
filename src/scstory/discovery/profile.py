"""What a story is about, as a describer sees it: some of its articles, terms and a mean vector."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from scstory.discovery.window import Floats, Ints, Window
from scstory.text import BUCKETS, TermStatistics, term_counts, terms
from scstory.text.extract import Extract, Quotable
from scstory.text.references import CACHED_TEXTS, known_from, understood
from scstory.text.terms import stack_counts
from scstory.types import Article, EncodedArticle, Reading, Vectors

FIRST, LATEST, MOST = 8, 24, 64
"""Articles that a description looks at: the first ones, the latest ones, and in all; the others
are the most confident ones. So the work does not grow with the story."""
SAME_TERMS, SAME_MEANING, SHARED = 0.35, 0.68, 1.5
"""Cosines of terms and of sentence vectors from which two sentences say the same, and how much of
the first counts with the second: what is told in other words still has the same names."""
COMFORTABLE = 220
"""Characters of a sentence that is not too long."""
HELD = 0.15
"""How much more relevant another sentence must be to replace one that was chosen before."""


@dataclass(frozen=True, eq=False)
class Sentences:
    """Sentences that may be quoted, in publication order."""

    rows: Ints
    """The row of each one's article."""
    places: Ints
    """Its place in the article."""
    texts: tuple[str, ...]
    terms: csr_array
    """The TF-IDF vector of each, of unit length."""
    vectors: Vectors
    """The sentence vector of each, of unit length."""

    quotes: tuple[Quotable, ...]
    number: Mapping[str, int]
    """The first sentence that has a text."""

    def __len__(self) -> int:
        return len(self.texts)


class Profile:
    """What a story is about."""

    def __init__(self, window: Window, rows: Ints, statistics: TermStatistics) -> None:
        """Take the rows of a story in publication order."""
        self.window, self.rows, self.statistics = window, considered(window, rows), statistics
        self.members: list[EncodedArticle] = [window.members[i] for i in self.rows]

    @cached_property
    def extracts(self) -> list[Extract]:
        """What a description takes from each article."""
        return [self.window.members.extract(row) for row in self.rows.tolist()]

    @cached_property
    def language(self) -> str:
        """The language of most of the articles; of several as common the first one's."""
        counted = Counter(member.reading.language for member in self.members)
        return max(counted, key=lambda language: counted[language])

    def part(self, language: str) -> Profile:
        """Return the profile of the articles in one language, of which there must be some."""
        own = [member.reading.language == language for member in self.members]
        return self if all(own) else Profile(self.window, self.rows[own], self.statistics)

    @property
    def articles(self) -> list[Article]:
        """The articles that are looked at."""
        return [member.article for member in self.members]

    @cached_property
    def weights(self) -> list[NDArray[np.float32]]:
        """The weights of each article's sentences, 1 on average."""
        found = [self.window.of("weights", int(i)) for i in self.rows]
        return [
            weights * (len(weights) / weights.sum()) if weights.sum() > 0 else weights + 1
            for weights in found
        ]

    @cached_property
    def vocabulary(self) -> NDArray[np.int32]:
        """The columns of the terms of all articles; the vectors of terms have these columns."""
        return np.unique(np.concatenate([_single(m.reading) for m in self.members]))

    @cached_property
    def article_terms(self) -> csr_array:
        """The TF-IDF vector of each article, where a use counts as much as its sentence weighs."""
        counts = []
        for member, weights in zip(self.members, self.weights, strict=True):
            columns = _single(member.reading)
            counts.append((columns, member.reading.weighted(weights)[: len(columns)]))
        return self._tfidf(stack_counts(counts, BUCKETS))

    @cached_property
    def terms(self) -> Floats:
        """The mean of the articles' TF-IDF vectors, of unit length."""
        return unit(np.asarray(self.article_terms.mean(axis=0)).ravel())

    @cached_property
    def vector(self) -> Vectors:
        """The mean of the articles' vectors, of unit length."""
        means = [
            unit(weights @ member.vectors)
            for member, weights in zip(self.members, self.weights, strict=True)
        ]
        return unit(np.mean(means, axis=0))

    @cached_property
    def sentences(self) -> Sentences:
        """The sentences that may be quoted."""
        extracts = self.extracts
        quotes = tuple(quote for extract in extracts for quote in extract.quotes)
        places = np.array([quote.place for quote in quotes], dtype=np.int64)
        rows = np.repeat(np.arange(len(extracts)), [len(each.quotes) for each in extracts])
        dim = self.members[0].vectors.shape[1]
        vectors = [
            member.vectors[[quote.place for quote in extract.quotes]]
            for member, extract in zip(self.members, extracts, strict=True)
        ]
        texts = tuple(quote.text for quote in quotes)
        return Sentences(
            rows,
            places,
            texts,
            self._tfidf(self._uses(rows, places)),
            unit(np.concatenate(vectors).reshape(-1, dim)),
            quotes,
            {text: number for number, text in reversed(list(enumerate(texts)))},
        )

    @cached_property
    def faults(self) -> Floats:
        """What speaks against each article's headline; 0 is a plain one."""
        return np.array([extract.fault for extract in self.extracts])

    @cached_property
    def reports(self) -> NDArray[np.bool_]:
        """Whether each sentence reports."""
        return np.array([quote.reports for quote in self.sentences.quotes], dtype=bool)

    @cached_property
    def relevance(self) -> Floats:
        """How much each sentence says of the story, between 0 and about 1.

        The openings of articles say most, and those under a plain headline report.
        """
        sentences = self.sentences
        by_terms = np.asarray(sentences.terms @ self.terms)
        by_meaning = sentences.vectors @ self.vector
        opening = 1 / np.maximum(sentences.places, 1)
        lengths = np.array([len(text) for text in sentences.texts])
        return np.asarray(
            0.4 * by_terms / max(by_terms.max(initial=0), 1e-12)
            + 0.4 * by_meaning / max(by_meaning.max(initial=0), 1e-12)
            + 0.2 * opening
            + 0.15 * self.reports
            - 0.2 * np.minimum(self.faults, 1)[sentences.rows]
            - 0.15 * np.array([text[:1] in '“"«「' for text in sentences.texts])
            - np.maximum(lengths - COMFORTABLE, 0) / 1000
        )

    def likeness(self, texts: Sequence[str]) -> Floats:
        """Return how alike each sentence is to each text; from 1 on they say the same."""
        sentences = self.sentences
        found = np.zeros((len(sentences), len(texts)))
        if not found.size:
            return found
        by_terms = (sentences.terms @ self.of_texts(texts).T).toarray()
        found[:] = by_terms / SAME_TERMS
        for place, text in enumerate(texts):
            if (number := sentences.number.get(text)) is not None:
                meaning = (
                    sentences.vectors @ sentences.vectors[number] + SHARED * by_terms[:, place]
                )
                found[:, place] = np.maximum(found[:, place], meaning / SAME_MEANING)
        return found

    def known(self, texts: Iterable[str]) -> frozenset[str]:
        """Return what a reader of some texts knows."""
        return frozenset().union(*(known_from(text, self.language) for text in texts))

    def understood(self, number: int, known: Collection[str]) -> bool:
        """Say whether a sentence is understood by a reader who knows so much."""
        return understood(self.sentences.quotes[number].needs, known)

    def of_texts(self, texts: Sequence[str]) -> csr_array:
        """Return TF-IDF vectors of texts, of unit length but for terms that no article has."""
        return self._tfidf(stack_counts([_counted(text, self.language) for text in texts], BUCKETS))

    def _uses(self, rows: Ints, places: Ints) -> csr_array:
        """Return how often sentences, of articles and places in ascending order, use each term."""
        numbers, columns = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int32)]
        for row in np.unique(rows).tolist():
            reading, first = self.members[row].reading, int(np.searchsorted(rows, row))
            number = np.full(len(reading.sentences), -1)
            number[places[rows == row]] = first + np.arange((rows == row).sum())
            used, column = number[reading.used_in], reading.columns[reading.uses]
            here = (used >= 0) & (column < BUCKETS)
            numbers.append(used[here])
            columns.append(column[here])
        ones = np.ones(sum(map(len, columns)))
        parts = ones, (np.concatenate(numbers), np.concatenate(columns))
        return csr_array(parts, shape=(len(rows), BUCKETS))

    def _tfidf(self, counts: csr_array) -> csr_array:
        """Return TF-IDF vectors with the columns of the vocabulary."""
        found = self.statistics.tfidf(counts)
        places = np.searchsorted(self.vocabulary, found.indices)
        known = self.vocabulary[np.minimum(places, len(self.vocabulary) - 1)] == found.indices
        ends = np.concatenate([[0], np.cumsum(known)])[found.indptr]
        return csr_array(
            (found.data[known], places[known], ends), shape=(counts.shape[0], len(self.vocabulary))
        )


def considered(window: Window, rows: Ints) -> Ints:
    """Return the rows that a description looks at, in the same order."""
    if len(rows) <= MOST:
        return rows
    middle = rows[FIRST:-LATEST]
    confident = np.argsort(-window.confidence[middle], kind="stable")[: MOST - FIRST - LATEST]
    return np.concatenate([rows[:FIRST], middle[np.sort(confident)], rows[-LATEST:]])


def unit(values: NDArray[Any]) -> NDArray[Any]:
    """Return vectors at unit length."""
    norms = np.sqrt((values**2).sum(axis=-1, keepdims=True))
    return np.asarray(values / np.maximum(norms, 1e-12))


@lru_cache(maxsize=CACHED_TEXTS)
def _counted(text: str, language: str) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return the columns of the terms of a text, and how often it has each."""
    counts = term_counts([terms(text, language)])
    return counts.indices, counts.data


def _single(reading: Reading) -> NDArray[np.int32]:
    """Return the columns of the single terms of an article."""
    return reading.columns[: int(np.searchsorted(reading.columns, BUCKETS))]
