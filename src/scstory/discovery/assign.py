"""Assignment: each new article joins the most similar active story or founds one.

    conf(d, S) from cos(R_d, R_S),   R_S = mean of R over S ∩ W

Articles and stories may be compared by several kinds of vectors (views); how their cosines and the
time between them make a confidence is for the caller to say. A cosine does not change when R_S is
the sum instead of the mean, so sums are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from scstory.discovery.confidence import Confidence, Floats, Gaps
from scstory.discovery.views import Rows, TermIndex, cosines
from scstory.text import BUCKETS

RUNNERS_UP = 3


@dataclass(frozen=True, slots=True)
class Decision:
    """Where an article goes. Stories are columns; the next free one is a new story."""

    story: int
    confidence: float
    new: bool
    runners_up: tuple[tuple[int, float], ...]
    parts: dict[str, float]


@dataclass(frozen=True, slots=True)
class Candidate:
    """An article about to be decided: its vectors by view, its terms, and when it came."""

    dense: Floats
    """(views, dim)"""
    terms: NDArray[np.int32]
    weights: Floats
    squares: Floats
    """Squared length by view."""
    time: float

    def row(self) -> csr_array:
        """Return the terms as a matrix of one row."""
        ends = np.array([0, len(self.terms)])
        width = (len(self.squares) - len(self.dense)) * BUCKETS
        return csr_array((self.weights, self.terms, ends), shape=(1, width))


def candidates(rows: Rows, times: Sequence[float]) -> list[Candidate]:
    """Return articles one by one."""
    squares = rows.squares()
    terms = rows.terms
    return [
        Candidate(
            rows.dense[:, i],
            terms.indices[start:end],
            terms.data[start:end],
            squares[:, i],
            time,
        )
        for i, (time, (start, end)) in enumerate(
            zip(times, pairwise(terms.indptr.tolist()), strict=True)
        )
    ]


class Stories:
    """The sums of some stories' articles, and how articles compare with them.

    A step depends on the article and on the steps before it, bit for bit, and on nothing that
    happens to be handed over beside it.
    """

    def __init__(self, sums: Rows, sizes: Floats, newest: Floats, oldest: Floats) -> None:
        self._count, self._fields = len(sums), sums.fields
        self._dense = sums.dense
        self._squares = sums.squares()
        self._sizes, self._newest, self._oldest = sizes, newest, oldest
        self._begun, self._given = TermIndex(sums), len(sums)
        self._since = _Joined()
        self._scratch: Floats = np.zeros(self._fields * BUCKETS)

    def __len__(self) -> int:
        return self._count

    def begun(self, terms: csr_array) -> Floats:
        """Return inner products of articles' terms with the sums as given, (fields, n, K)."""
        return self._begun.products(terms)

    def products(self, article: Candidate, begun: Floats | None = None) -> Floats:
        """Return an article's inner products with every story, (views, K).

        `begun` is what the method of that name says of it, where many were asked for at once.
        """
        dense = np.matmul(self._dense[:, : self._count], article.dense[:, :, None])[:, :, 0]
        terms = self._since_products(article)
        terms[:, : self._given] += self.begun(article.row())[:, 0] if begun is None else begun
        return np.concatenate([dense, terms])

    def cosines(self, article: Candidate, products: Floats, coherence: float) -> Floats:
        """Return an article's cosines with every story, (views, K)."""
        least = coherence * np.square(self._sizes[: self._count])
        return cosines(products, article.squares[:, None], self._squares[:, : self._count], least)

    def gaps(self, article: Candidate) -> Gaps:
        """Return the time between an article and every story."""
        return Gaps.of(article.time, self._newest[: self._count], self._oldest[: self._count])

    def join(self, story: int, article: Candidate, products: Floats) -> None:
        """Let an article join a story, or found the next one."""
        if story == self._count:
            self._found()
            self._squares[:, story] = article.squares
            self._newest[story] = self._oldest[story] = article.time
        else:
            grown = self._squares[:, story] + article.squares + 2 * products[:, story]
            self._squares[:, story] = np.maximum(grown, 0)
            self._newest[story] = max(self._newest[story], article.time)
            self._oldest[story] = min(self._oldest[story], article.time)
        self._dense[:, story] += article.dense
        self._sizes[story] += 1
        field = article.terms // BUCKETS
        self._since.add(article.terms, article.weights, story * self._fields + field)

    def _found(self) -> None:
        """Make room for one more story."""
        if self._count == self._dense.shape[1]:
            more = max(16, self._count)
            self._dense = np.pad(self._dense, ((0, 0), (0, more), (0, 0)))
            self._squares = np.pad(self._squares, ((0, 0), (0, more)))
            self._sizes = np.pad(self._sizes, (0, more))
            self._newest = np.pad(self._newest, (0, more))
            self._oldest = np.pad(self._oldest, (0, more))
        self._count += 1

    def _since_products(self, article: Candidate) -> Floats:
        """Return inner products by field with what joined since, (fields, K)."""
        terms, weights, place = self._since.entries()
        if not len(terms):
            return np.zeros((self._fields, self._count))
        self._scratch[article.terms] = article.weights
        found = np.bincount(
            place, self._scratch[terms] * weights, minlength=self._fields * self._count
        )
        self._scratch[article.terms] = 0
        return found.astype(np.float64).reshape(self._count, self._fields).T.copy()


class _Joined:
    """The terms of articles that joined: which, how weighty, and by story and field where to."""

    def __init__(self) -> None:
        self._count = 0
        kinds = np.int32, np.float64, np.int32
        self._room: tuple[NDArray[Any], ...] = tuple(np.empty(0, dtype=kind) for kind in kinds)

    def add(self, terms: NDArray[np.int32], weights: Floats, place: NDArray[np.int32]) -> None:
        """Take in an article's; room is made ahead, so that few are ever copied."""
        end = self._count + len(terms)
        if end > len(self._room[0]):
            self._room = tuple(np.resize(part, 2 * end) for part in self._room)
        for part, new in zip(self._room, (terms, weights, place), strict=True):
            part[self._count : end] = new
        self._count = end

    def entries(self) -> tuple[NDArray[Any], ...]:
        """Return all of them, one array each."""
        return tuple(part[: self._count] for part in self._room)


def decide(parts: Floats, confidence: Confidence, *, delta: float) -> Decision:
    """Say where an article goes, from the parts of its confidence in every story, (parts, K)."""
    total = confidence.of(parts.sum(axis=0))
    order = np.argsort(-total, kind="stable")[: RUNNERS_UP + 1]
    new = len(total) == 0 or bool(total[order[0]] < delta)
    story = len(total) if new else int(order[0])
    others = order[:RUNNERS_UP] if new else order[1:]
    named = zip(confidence.names, parts, strict=True)
    return Decision(
        story,
        1.0 if new else float(total[story]),
        new,
        tuple((int(other), float(total[other])) for other in others),
        {} if new else {name: float(part[story]) for name, part in named},
    )


def assign(
    articles: Sequence[Candidate],
    stories: Stories,
    confidence: Confidence,
    *,
    delta: float,
    frozen: bool = False,
) -> list[Decision]:
    """Decide on articles one after the other, each seeing those before it.

    If `frozen`, a story's vector stays as it was given, or as its founder's.
    """
    decisions = []
    for article in articles:
        products = stories.products(article)
        similar = stories.cosines(article, products, confidence.coherence)
        parts = confidence.parts(similar, stories.gaps(article))
        decision = decide(parts, confidence, delta=delta)
        decisions.append(decision)
        if decision.new or not frozen:
            stories.join(decision.story, article, products)
    return decisions
