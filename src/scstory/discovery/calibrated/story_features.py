"""The features of stories, summed over their articles, and how an article compares with them.

A cosine is the same for the sum of a story's vectors as for their mean, so sums are kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from scstory.discovery.calibrated.features import Features, TermIndex
from scstory.discovery.calibrated.gaps import Gaps
from scstory.discovery.calibrated.languages import Parts
from scstory.discovery.paper.assignment import cosines
from scstory.discovery.window import Floats
from scstory.text import BUCKETS

COMPARED_AT_ONCE = 256
"""Articles compared with stories in one step, so that memory does not grow without bound."""


@dataclass(frozen=True, slots=True)
class ArticleFeatures:
    """The features of one article, and when it was published."""

    dense: Floats
    """(dense features, dim)"""
    terms: NDArray[np.int32]
    weights: Floats
    squares: Floats
    """Squared length of each feature."""
    time: float
    language: int = 0
    """Its code."""

    def row(self) -> csr_array:
        """Return the terms as a matrix of one row."""
        ends = np.array([0, len(self.terms)])
        width = (len(self.squares) - len(self.dense)) * BUCKETS
        return csr_array((self.weights, self.terms, ends), shape=(1, width))


def one_by_one(rows: Features, times: Sequence[float]) -> list[ArticleFeatures]:
    """Return the features of articles one by one."""
    squares = rows.squares()
    terms = rows.terms
    return [
        ArticleFeatures(
            rows.dense[:, i],
            terms.indices[start:end],
            terms.data[start:end],
            squares[:, i],
            time,
            language,
        )
        for i, (time, language, (start, end)) in enumerate(
            zip(times, rows.language.tolist(), pairwise(terms.indptr.tolist()), strict=True)
        )
    ]


class StoryFeatures:
    """The sums of some stories' articles, which grow as articles join them.

    A step depends on the article and on the steps before it, bit for bit, and on nothing else.
    """

    def __init__(self, sums: Features, sizes: Floats, newest: Floats, oldest: Floats) -> None:
        self._count, self._fields = len(sums), sums.fields
        self._dense = sums.dense
        self._squares = sums.squares()
        self._sizes, self._newest, self._oldest = sizes, newest, oldest
        self._initial, self._initial_count = TermIndex(sums), len(sums)
        self._joined = _JoinedTerms(self._fields)

    def __len__(self) -> int:
        return self._count

    def initial_products(self, terms: csr_array) -> Floats:
        """Return inner products of many articles' terms with the initial sums, (fields, n, K)."""
        return self._initial.products(terms)

    def products(self, article: ArticleFeatures, initial: Floats | None = None) -> Floats:
        """Return an article's inner products with every story, (features, K).

        `initial` are its products with the initial sums, where they are already known.
        """
        dense = np.matmul(self._dense[:, : self._count], article.dense[:, :, None])[:, :, 0]
        terms = self._joined.products(article, self._count)
        if initial is None:
            initial = self.initial_products(article.row())[:, 0]
        terms[:, : self._initial_count] += initial
        return np.concatenate([dense, terms])

    def cosines(self, article: ArticleFeatures, products: Floats, coherence: float) -> Floats:
        """Return an article's cosines with every story, (features, K)."""
        least = coherence * np.square(self._sizes[: self._count])
        return cosines(products, article.squares[:, None], self._squares[:, : self._count], least)

    def gaps(self, article: ArticleFeatures, parts: Parts | None = None) -> Gaps:
        """Return the time between an article and every story, or the whole stories of parts."""
        newest, oldest = self._newest[: self._count], self._oldest[: self._count]
        if parts is not None:
            newest, oldest = parts.spans(newest, oldest)
        return Gaps.between(article.time, newest, oldest)

    def join(self, story: int, article: ArticleFeatures, products: Floats) -> None:
        """Let an article join a story, or found the next one."""
        if story == self._count:
            self._add_story()
            self._squares[:, story] = article.squares
            self._newest[story] = self._oldest[story] = article.time
        else:
            grown = self._squares[:, story] + article.squares + 2 * products[:, story]
            self._squares[:, story] = np.maximum(grown, 0)
            self._newest[story] = max(self._newest[story], article.time)
            self._oldest[story] = min(self._oldest[story], article.time)
        self._dense[:, story] += article.dense
        self._sizes[story] += 1
        self._joined.add(article, story)

    def _add_story(self) -> None:
        """Add an empty story."""
        if self._count == self._dense.shape[1]:
            more = max(16, self._count)
            self._dense = np.pad(self._dense, ((0, 0), (0, more), (0, 0)))
            self._squares = np.pad(self._squares, ((0, 0), (0, more)))
            self._sizes = np.pad(self._sizes, (0, more))
            self._newest = np.pad(self._newest, (0, more))
            self._oldest = np.pad(self._oldest, (0, more))
        self._count += 1


class _JoinedTerms:
    """The terms of articles that joined stories."""

    def __init__(self, fields: int) -> None:
        self._fields = fields
        # Few of the possible terms are in use; numbered as they arrive, they are close together.
        self._number = np.full(fields * BUCKETS, -1, dtype=np.int32)
        self._scratch: Floats = np.empty(0)
        self._count = 0
        kinds = np.int32, np.float64, np.int32
        self._room: tuple[NDArray[Any], ...] = tuple(np.empty(0, dtype=kind) for kind in kinds)
        """For each article and term: its number, its weight, and the place of story and field."""

    def add(self, article: ArticleFeatures, story: int) -> None:
        """Add the terms of an article; the arrays grow in large steps, so little is ever copied."""
        fresh = article.terms[self._number[article.terms] < 0]
        known = len(self._scratch)
        self._number[fresh] = np.arange(known, known + len(fresh))
        self._scratch = np.zeros(known + len(fresh))
        end = self._count + len(article.terms)
        if end > len(self._room[0]):
            self._room = tuple(np.resize(part, 2 * end) for part in self._room)
        place = story * self._fields + article.terms // BUCKETS
        new = self._number[article.terms], article.weights, place
        for part, values in zip(self._room, new, strict=True):
            part[self._count : end] = values
        self._count = end

    def products(self, article: ArticleFeatures, stories: int) -> Floats:
        """Return the inner products of an article with what joined each story, (fields, K)."""
        if not self._count:
            return np.zeros((self._fields, stories))
        numbers, weights, place = (part[: self._count] for part in self._room)
        own = self._number[article.terms]
        known = own >= 0
        self._scratch[own[known]] = article.weights[known]
        common = self._scratch[numbers] * weights
        self._scratch[own[known]] = 0
        found = np.bincount(place, common, minlength=self._fields * stories).astype(np.float64)
        return found.reshape(stories, self._fields).T.copy()
