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
        self._since = _Joined(self._fields)

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
        terms = self._since.products(article, self._count)
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
        self._since.add(article, story)

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


class _Joined:
    """The terms of articles that joined stories."""

    def __init__(self, fields: int) -> None:
        self._fields = fields
        # Few of the terms there could be are in use; numbered as they come, they are together.
        self._number = np.full(fields * BUCKETS, -1, dtype=np.int32)
        self._scratch: Floats = np.empty(0)
        self._count = 0
        kinds = np.int32, np.float64, np.int32
        self._room: tuple[NDArray[Any], ...] = tuple(np.empty(0, dtype=kind) for kind in kinds)
        """Of each article and term: its number, its weight, and the place of story and field."""

    def add(self, article: Candidate, story: int) -> None:
        """Take in an article; room is made ahead, so that little is ever copied."""
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

    def products(self, article: Candidate, stories: int) -> Floats:
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
