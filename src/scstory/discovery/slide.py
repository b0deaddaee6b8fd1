"""The open slide: its articles are decided one after the other, however many come at a time.

What is known at an article is a fold: the stories as the slide began, then one article after the
other. Each step depends on the article and on what was before it, bit for bit, and on nothing that
happened to be handed over beside it; so a slide may be cut into calls anywhere, and taken up again
from a checkpoint, with the same outcome.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from scstory.discovery.assign import Assigner, Confidence, Decision, Floats
from scstory.discovery.confidence import LEARNED, LEXICAL, membership
from scstory.discovery.window import Window
from scstory.text import BUCKETS, TermStatistics

Ints = NDArray[np.int64]


class OpenSlide:
    """The stories of a window and of the articles decided since, as of the latest of them."""

    def __init__(
        self,
        window: Window,
        first: int,
        end: int,
        *,
        statistics: TermStatistics,
        confidence: Confidence,
        lexical: bool,
        delta: float,
    ) -> None:
        """Begin with the window's articles before `first`; then take in those before `end`."""
        ids, belongs = membership(window.story[:first])
        self.ids: list[int] = ids.tolist()
        self._statistics = statistics
        self._learned = _LearnedSums(belongs @ window.vectors[:first].astype(np.float64))
        self._lexical = None
        norms = [self._learned.norms()]
        if lexical:
            self._lexical = _LexicalSums(belongs @ statistics.tfidf(window.terms[:first]))
            norms.append(self._lexical.norms())
        names = [LEARNED, LEXICAL][: len(norms)]
        self._assigner = Assigner(names, norms, confidence, delta=delta)
        for article, story in zip(
            self._articles(window, np.arange(first, end)),
            window.story[first:end].tolist(),
            strict=True,
        ):
            column = self.ids.index(story) if story in self.ids else len(self.ids)
            self._join(article, self._products(article), column, story)

    def look(self, window: Window, article: int) -> Decision:
        """Say where an article would go, without taking it in."""
        (one,) = self._articles(window, np.array([article]))
        return self._assigner.decide(*self._products(one))

    def decide(self, window: Window, new: Ints, next_story: int) -> list[Decision]:
        """Decide on articles in order; stories they found are numbered from `next_story`."""
        decisions = []
        for article in self._articles(window, new):
            products = self._products(article)
            decision = self._assigner.decide(*products)
            self._join(article, products, decision.story, next_story)
            next_story += decision.new
            decisions.append(decision)
        return decisions

    def _articles(self, window: Window, chosen: Ints) -> list[_Article]:
        vectors = window.vectors[chosen].astype(np.float64)
        if self._lexical is None:
            return [_Article(vector, _NO_TERMS, _NO_WEIGHTS) for vector in vectors]
        rows = self._statistics.tfidf(window.terms[chosen])
        return [
            _Article(vector, rows.indices[start:end].astype(np.int64), rows.data[start:end])
            for vector, (start, end) in zip(vectors, pairwise(rows.indptr.tolist()), strict=True)
        ]

    def _products(self, article: _Article) -> _Products:
        """Return an article's inner products with every story's sum, and with itself."""
        products = [self._learned.products(article.vector)]
        own = [float(article.vector @ article.vector)]
        if self._lexical is not None:
            products.append(self._lexical.products(article, len(self.ids)))
            own.append(float(np.square(article.weights).sum()))
        return products, own

    def _join(self, article: _Article, products: _Products, column: int, story: int) -> None:
        """Let an article join the story of a column, or found one of that number."""
        self._assigner.join(column, *products)
        if column == len(self.ids):
            self.ids.append(story)
        self._learned.add(article.vector, column)
        if self._lexical is not None:
            self._lexical.add(article, column)


class _Article(NamedTuple):
    vector: Floats
    terms: Ints
    weights: Floats


_Products = tuple[list[Floats], list[float]]
_NO_TERMS: Ints = np.empty(0, dtype=np.int64)
_NO_WEIGHTS: Floats = np.empty(0)


class _LearnedSums:
    """The sum of each story's learned vectors."""

    def __init__(self, sums: Floats) -> None:
        self._sums, self._count = sums, len(sums)

    def norms(self) -> Floats:
        return np.asarray(np.square(self._sums).sum(axis=1))

    def products(self, vector: Floats) -> Floats:
        return np.asarray(self._sums[: self._count] @ vector)

    def add(self, vector: Floats, column: int) -> None:
        if column == len(self._sums):
            room = np.zeros((max(16, len(self._sums)), len(vector)))
            self._sums = np.concatenate([self._sums, room])
        self._sums[column] += vector
        self._count = max(self._count, column + 1)


class _LexicalSums:
    """The sum of each story's term vectors: by term as the slide began, by article since."""

    def __init__(self, sums: csr_array) -> None:
        self._squares = np.asarray((sums * sums).sum(axis=1), dtype=np.float64).ravel()
        self._begun = csr_array(sums.T)
        self._terms, self._weights, self._stories = _NO_TERMS, _NO_WEIGHTS, _NO_TERMS
        self._dense: Floats = np.zeros(BUCKETS)

    def norms(self) -> Floats:
        return self._squares

    def products(self, article: _Article, stories: int) -> Floats:
        """Return inner products: what each term adds, then what each later article's terms add."""
        starts, ends = self._begun.indptr[article.terms], self._begun.indptr[article.terms + 1]
        uses = ends - starts
        places = np.arange(uses.sum()) + np.repeat(starts - np.cumsum(uses) + uses, uses)
        added = self._begun.data[places] * np.repeat(article.weights, uses)
        begun = _tally(self._begun.indices[places], added, stories)
        self._dense[article.terms] = article.weights
        since = _tally(self._stories, self._dense[self._terms] * self._weights, stories)
        self._dense[article.terms] = 0
        return begun + since

    def add(self, article: _Article, column: int) -> None:
        self._terms = np.concatenate([self._terms, article.terms])
        self._weights = np.concatenate([self._weights, article.weights])
        columns = np.full(len(article.terms), column, dtype=np.int64)
        self._stories = np.concatenate([self._stories, columns])


def _tally(stories: NDArray[Any], values: Floats, count: int) -> Floats:
    """Return the sum of values for each story, added up in the order given."""
    return np.bincount(stories, values, minlength=count).astype(np.float64)
