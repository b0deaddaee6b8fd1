"""DenSps: communities of the window's similarity graph join the most similar recent cluster.

    Staykovski, Barrón-Cedeño, da San Martino, Nakov: Dense vs. sparse representations for news
    stream clustering. Text2Story at ECIR 2019.

After every slide the articles of the window make a graph, with an edge where their cosine is above
T₁, and Louvain finds its communities. A community joins the most similar cluster of the window
before, if their cosine is above T₂, and is a new story otherwise; so articles may change stories.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from scstory.baselines.baseline import Baseline, Range, mean_vector, term_table
from scstory.baselines.louvain import louvain
from scstory.discovery.method import Scope
from scstory.discovery.window import Floats, Ints


class DenSps(Baseline):
    """Louvain communities of TF-IDF or sentence vectors, linked over time by similarity.

    `edge` is T₁ and `join` T₂. The authors tune both on labels; the untuned values are ours. So are
    those for mean sentence vectors, whose cosines lie anywhere up to 0.6 for unrelated articles and
    above 0.7 for related ones, where TF-IDF has 0 and 0.2.
    """

    name = "densps"
    library = "igraph"
    ranges: ClassVar[Mapping[str, Range]] = {
        "edge": Range(0.2, (0.0, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5), (0, 1)),
        "join": Range(0.5, (0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0), (0, 1)),
    }
    pse_ranges: ClassVar[Mapping[str, Range]] = {
        "edge": Range(0.7, (0.4, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9), (0, 1)),
        "join": Range(0.75, (0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0), (0, 1)),
    }

    def decide(self, scope: Scope, new: Ints) -> None:
        """Cluster the whole window again, and link the communities to the clusters so far."""
        window = scope.window
        products = self._products(scope)
        communities = louvain(len(window), *edges_above(products, self.parameters["edge"]))
        ids, column = np.unique(window.story[: new[0]], return_inverse=True)
        joined = link(products, communities, column.tolist(), above=self.parameters["join"])
        numbers = [scope.new_story() if j is None else int(ids[j]) for j in joined]
        window.story[:] = [numbers[community] for community in communities]

    def _products(self, scope: Scope) -> Floats:
        """Return the cosine of every two articles of the window."""
        if self.pse:
            means = np.array([mean_vector(member) for member in scope.window.members])
            return np.asarray(means @ means.T)
        vectors = scope.statistics.tfidf(term_table(scope, slice(None)))
        return np.asarray((vectors @ vectors.T).toarray(), dtype=np.float64)


def edges_above(products: Floats, least: float) -> tuple[list[tuple[int, int]], list[float]]:
    """Return the pairs of articles that are more similar than `least`, and how similar they are."""
    rows, columns = np.nonzero(np.triu(products > least, k=1))
    pairs = list(zip(rows.tolist(), columns.tolist(), strict=True))
    return pairs, products[rows, columns].tolist()


def link(
    products: Floats, communities: Sequence[int], clusters: Sequence[int], *, above: float
) -> list[int | None]:
    """Return the cluster that each community joins, None where it joins none.

    `products` are inner products of articles; the first `len(clusters)` articles have been in a
    cluster before. Communities and clusters are compared by the cosine of the sums of their
    articles' vectors, which is all in the products.
    """
    now = _belongs(communities, len(products))
    before = _belongs(clusters, len(products))
    if not before.shape[0]:
        return [None] * now.shape[0]
    reach_now, reach_before = now @ products, before @ products
    lengths_now = np.sqrt((now * reach_now).sum(axis=1))
    lengths_before = np.sqrt((before * reach_before).sum(axis=1))
    lengths = np.maximum(np.outer(lengths_now, lengths_before), 1e-12)
    cosines = reach_now @ before.T / lengths
    best = cosines.argmax(axis=1).tolist()
    return [j if cosines[i, j] > above else None for i, j in enumerate(best)]


def _belongs(groups: Sequence[int], count: int) -> Floats:
    """Return which group each article is in, a row per group."""
    belongs = np.zeros((max(groups, default=-1) + 1, count))
    belongs[list(groups), np.arange(len(groups))] = 1
    return belongs
