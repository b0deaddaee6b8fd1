"""Inner products of a slide's articles with stories and with each other, all at once."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from scstory.discovery.paper.assignment import cosines
from scstory.discovery.window import Floats


@dataclass(frozen=True, slots=True)
class InnerProducts:
    """Inner products of a slide's articles with stories and with each other."""

    with_stories: Floats
    """Article by story sum, (n, K)."""
    with_articles: Floats
    """Article by article, (n, n)."""
    story_norms: Floats
    """Squared length of each story sum, (K,)."""

    @classmethod
    def of(cls, articles: Any, stories: Any) -> Self:
        """Return those of article vectors and story sums, dense or sparse, one per row."""
        return cls(
            _dense(articles @ stories.T),
            _dense(articles @ articles.T),
            np.asarray((stories * stories).sum(axis=1), dtype=np.float64).ravel(),
        )


@dataclass(frozen=True, slots=True)
class Decay:
    """How similarity fades with the days between an article and a story's newest article."""

    days: Floats
    """When each article was published."""
    newest: Floats
    """When the newest article of each story was."""
    sigma: float
    """The standard deviation of the Gaussian, in days."""


def single_pass(
    products_of: InnerProducts, *, threshold: float, decay: Decay | None = None
) -> list[int]:
    """Return the story each article joins, by cosine, one after the other.

    Stories are columns: the K given, then new ones. When an article joins a story, the story's
    inner products with the remaining articles change by those of the article. With a decay the
    cosine is multiplied by exp(−Δ² / 2σ²).
    """
    count, stories = products_of.with_stories.shape
    days = decay.days if decay else np.zeros(count)
    newest = np.concatenate([decay.newest if decay else np.zeros(stories), np.zeros(count)])
    sigma = decay.sigma if decay else np.inf
    products = np.hstack([products_of.with_stories, np.zeros((count, count))])
    norms = np.concatenate([products_of.story_norms, np.zeros(count)])
    joined = []
    for i in range(count):
        own = products_of.with_articles[i, i]
        similar = cosines(products[i, :stories], own, norms[:stories])
        similar = similar * np.exp(-(((days[i] - newest[:stories]) / sigma) ** 2) / 2)
        best = int(similar.argmax()) if stories else 0
        if not stories or similar[best] < threshold:
            best, stories = stories, stories + 1
            newest[best] = days[i]
        newest[best] = max(newest[best], days[i])
        norms[best] = max(norms[best] + own + 2 * products[i, best], 0)
        products[:, best] += products_of.with_articles[:, i]
        joined.append(best)
    return joined


def _dense(product: Any) -> Floats:
    return np.asarray(product.toarray() if hasattr(product, "toarray") else product, np.float64)
