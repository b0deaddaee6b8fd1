"""Assignment: each new article joins the most similar active story or founds one.

    conf(d, S) from cos(R_d, R_S),   R_S = mean of R over S ∩ W

Articles and stories may be compared by several kinds of vectors (a `View` each); how their cosines
make a confidence is for the caller to say. A cosine does not change when R_S is the sum instead of
the mean, so sums are kept. All inner products of a slide are taken in one go; when an article joins
a story, the story's inner products with the remaining articles change by those of the article.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class View:
    """One kind of vector: inner products of a slide's articles with stories and each other."""

    name: str
    with_stories: Floats
    """Article by story sum, (n, K)."""
    with_articles: Floats
    """Article by article, (n, n)."""
    story_norms: Floats
    """Squared length of each story sum, (K,)."""

    @classmethod
    def of(cls, name: str, articles: Any, stories: Any) -> View:
        """Make a view of article vectors and story sums, dense or sparse, one a row."""
        return cls(
            name,
            _dense(articles @ stories.T),
            _dense(articles @ articles.T),
            np.asarray((stories * stories).sum(axis=1), dtype=np.float64).ravel(),
        )

    def cosines(self) -> Floats:
        """Return the cosine of every article with every story as given, (n, K)."""
        lengths = np.sqrt(np.outer(np.diag(self.with_articles), self.story_norms))
        return _ratio(self.with_stories, lengths)


class Confidence(Protocol):
    """How the cosines of the views make a confidence."""

    def parts(self, cosines: Sequence[Floats]) -> list[Floats]:
        """Return what each view contributes; the sum decides."""

    def of(self, total: Floats) -> Floats:
        """Return the confidence for a sum of parts: never falling, at most 1."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Where an article of the slide went. Stories are columns: the K given, then new ones."""

    story: int
    confidence: float
    new: bool
    runners_up: tuple[tuple[int, float], ...]
    parts: dict[str, float]


def assign(
    views: Sequence[View],
    confidence: Confidence,
    *,
    delta: float,
    runners_up: int = 3,
    frozen: bool = False,
) -> list[Decision]:
    """Decide on a slide's articles one after the other, each seeing those before it.

    If `frozen`, a story's vector stays as it was given, or as its founder's.
    """
    count, known = views[0].with_stories.shape
    products = [np.hstack([view.with_stories, np.zeros((count, count))]) for view in views]
    norms = [np.concatenate([view.story_norms, np.zeros(count)]) for view in views]
    decisions = []
    stories = known
    for i in range(count):
        parts = confidence.parts(
            [
                _ratio(product[i, :stories], np.sqrt(view.with_articles[i, i] * norm[:stories]))
                for view, product, norm in zip(views, products, norms, strict=True)
            ]
        )
        total = confidence.of(np.sum(parts, axis=0))
        order = np.argsort(-total, kind="stable")[: runners_up + 1]
        new = stories == 0 or bool(total[order[0]] < delta)
        story = stories if new else int(order[0])
        others = order[:runners_up] if new else order[1:]
        decisions.append(
            Decision(
                story,
                1.0 if new else float(total[story]),
                new,
                tuple((int(other), float(total[other])) for other in others),
                {} if new else {v.name: float(p[story]) for v, p in zip(views, parts, strict=True)},
            )
        )
        for view, product, norm in zip(views, products, norms, strict=True):
            if frozen and not new:
                break
            own = view.with_articles[i, i]
            norm[story] = max(norm[story] + own + 2 * product[i, story], 0)
            product[:, story] += view.with_articles[:, i]
        stories += new
    return decisions


def _ratio(products: Floats, lengths: Floats) -> Floats:
    """Return cosines from inner products; a vector of no length is similar to nothing."""
    usable = lengths > 1e-12
    return np.clip(np.divide(products, lengths, out=np.zeros_like(products), where=usable), -1, 1)


def _dense(product: Any) -> Floats:
    return np.asarray(product.toarray() if hasattr(product, "toarray") else product, np.float64)
