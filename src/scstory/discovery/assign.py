"""Assignment: each new article joins the most similar active story or founds one.

    conf(d, S) from cos(R_d, R_S),   R_S = mean of R over S ∩ W

Articles and stories may be compared by several kinds of vectors (a `View` each); how their cosines
make a confidence is for the caller to say. A cosine does not change when R_S is the sum instead of
the mean, so sums are kept. Where all articles are known at once, so are their inner products; when
one joins a story, the story's inner products with the remaining articles change by those of it.
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


class Assigner:
    """Decides on articles one after the other and follows how stories grow by it.

    It is given each article's inner products with the story sums as they stand by then.
    """

    def __init__(
        self,
        names: Sequence[str],
        story_norms: Sequence[Floats],
        confidence: Confidence,
        *,
        delta: float,
        runners_up: int = 3,
    ) -> None:
        self._names, self._norms = names, list(story_norms)
        self._confidence, self._delta, self._runners_up = confidence, delta, runners_up

    @property
    def stories(self) -> int:
        """How many stories there are by now."""
        return len(self._norms[0])

    def decide(self, products: Sequence[Floats], own: Sequence[float]) -> Decision:
        """Say where an article goes, from its inner products with all stories and with itself."""
        lengths = (np.sqrt(square * norm) for square, norm in zip(own, self._norms, strict=True))
        cosines = [_ratio(*pair) for pair in zip(products, lengths, strict=True)]
        parts = self._confidence.parts(cosines)
        total = self._confidence.of(np.sum(parts, axis=0))
        order = np.argsort(-total, kind="stable")[: self._runners_up + 1]
        new = self.stories == 0 or bool(total[order[0]] < self._delta)
        story = self.stories if new else int(order[0])
        others = order[: self._runners_up] if new else order[1:]
        named = zip(self._names, parts, strict=True)
        return Decision(
            story,
            1.0 if new else float(total[story]),
            new,
            tuple((int(other), float(total[other])) for other in others),
            {} if new else {name: float(part[story]) for name, part in named},
        )

    def join(self, story: int, products: Sequence[Floats], own: Sequence[float]) -> None:
        """Let an article join a story, or found the next one."""
        new = story == self.stories
        for view, (product, square) in enumerate(zip(products, own, strict=True)):
            norm = self._norms[view]
            if new:
                self._norms[view] = np.append(norm, square)
            else:
                norm[story] = max(norm[story] + square + 2 * product[story], 0)


def assign(
    views: Sequence[View],
    confidence: Confidence,
    *,
    delta: float,
    runners_up: int = 3,
    frozen: bool = False,
) -> list[Decision]:
    """Decide on articles one after the other, each seeing those before it.

    If `frozen`, a story's vector stays as it was given, or as its founder's.
    """
    count = len(views[0].with_stories)
    products = [np.hstack([view.with_stories, np.zeros((count, count))]) for view in views]
    assigner = Assigner(
        [view.name for view in views],
        [view.story_norms.copy() for view in views],
        confidence,
        delta=delta,
        runners_up=runners_up,
    )
    decisions = []
    for i in range(count):
        given = [product[i, : assigner.stories] for product in products]
        own = [view.with_articles[i, i] for view in views]
        decision = assigner.decide(given, own)
        decisions.append(decision)
        if decision.new or not frozen:
            assigner.join(decision.story, given, own)
            for view, product in zip(views, products, strict=True):
                product[:, decision.story] += view.with_articles[:, i]
    return decisions


def _ratio(products: Floats, lengths: Floats) -> Floats:
    """Return cosines from inner products; a vector of no length is similar to nothing."""
    usable = lengths > 1e-12
    return np.clip(np.divide(products, lengths, out=np.zeros_like(products), where=usable), -1, 1)


def _dense(product: Any) -> Floats:
    return np.asarray(product.toarray() if hasattr(product, "toarray") else product, np.float64)
