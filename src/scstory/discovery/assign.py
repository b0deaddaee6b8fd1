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
from scstory.discovery.views import Ints, Rows, cosines
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
    terms: Ints
    weights: Floats
    squares: Floats
    """Squared length by view."""
    time: float


def candidates(rows: Rows, times: Sequence[float]) -> list[Candidate]:
    """Return articles one by one."""
    squares = rows.squares()
    terms = rows.terms
    return [
        Candidate(
            rows.dense[:, i],
            terms.indices[start:end].astype(np.int64),
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
        self._begun = csr_array(sums.terms.T)
        self._since: tuple[NDArray[Any], ...] = (_NO_INTS, _NO_FLOATS, _NO_INTS)
        self._scratch: Floats = np.zeros(self._fields * BUCKETS)

    def __len__(self) -> int:
        return self._count

    def products(self, article: Candidate) -> Floats:
        """Return an article's inner products with every story, (views, K)."""
        dense = np.matmul(self._dense[:, : self._count], article.dense[:, :, None])[:, :, 0]
        return np.concatenate([dense, self._term_products(article)])

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
        terms, weights, stories = self._since
        self._since = (
            np.concatenate([terms, article.terms]),
            np.concatenate([weights, article.weights]),
            np.concatenate([stories, np.full(len(article.terms), story)]),
        )

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

    def _term_products(self, article: Candidate) -> Floats:
        """Return inner products by field: with the sums as given, then with what joined since."""
        size = self._fields * self._count
        starts, ends = self._begun.indptr[article.terms], self._begun.indptr[article.terms + 1]
        uses = ends - starts
        places = np.arange(uses.sum()) + np.repeat(starts - np.cumsum(uses) + uses, uses)
        added = self._begun.data[places] * np.repeat(article.weights, uses)
        group = (
            np.repeat(article.terms // BUCKETS, uses) * self._count + self._begun.indices[places]
        )
        begun = np.bincount(group, added, minlength=size)
        terms, weights, stories = self._since
        self._scratch[article.terms] = article.weights
        group = (terms // BUCKETS) * self._count + stories
        since = np.bincount(group, self._scratch[terms] * weights, minlength=size)
        self._scratch[article.terms] = 0
        total = begun.astype(np.float64) + since
        return np.asarray(total.reshape(self._fields, self._count))


_NO_INTS: Ints = np.empty(0, dtype=np.int64)
_NO_FLOATS: Floats = np.empty(0)


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
