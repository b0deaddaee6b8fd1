"""Inner products of a slide's articles with stories and with each other, all at once."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


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

    def cosines(self) -> Floats:
        """Return the cosine of every article with every story as given, (n, K)."""
        lengths = np.sqrt(np.outer(np.diag(self.with_articles), self.story_norms))
        return ratio(self.with_stories, lengths)


def single_pass(products_of: InnerProducts, *, threshold: float) -> list[int]:
    """Return the story each article joins, by cosine, one after the other.

    Stories are columns: the K given, then new ones. When an article joins a story, the story's
    inner products with the remaining articles change by those of the article.
    """
    count, stories = products_of.with_stories.shape
    products = np.hstack([products_of.with_stories, np.zeros((count, count))])
    norms = np.concatenate([products_of.story_norms, np.zeros(count)])
    joined = []
    for i in range(count):
        own = products_of.with_articles[i, i]
        cosines = ratio(products[i, :stories], np.sqrt(own * norms[:stories]))
        best = int(cosines.argmax()) if stories else 0
        if not stories or cosines[best] < threshold:
            best, stories = stories, stories + 1
        norms[best] = max(norms[best] + own + 2 * products[i, best], 0)
        products[:, best] += products_of.with_articles[:, i]
        joined.append(best)
    return joined


def ratio(products: Floats, lengths: Floats) -> Floats:
    """Return cosines from inner products; a vector of no length is similar to nothing."""
    usable = lengths > 1e-12
    return np.clip(np.divide(products, lengths, out=np.zeros_like(products), where=usable), -1, 1)


def _dense(product: Any) -> Floats:
    return np.asarray(product.toarray() if hasattr(product, "toarray") else product, np.float64)
