"""DenSps: communities of the window's similarity graph join the most similar recent cluster.

    Staykovski, Barrón-Cedeño, da San Martino, Nakov: Dense vs. sparse representations for news
    stream clustering. Text2Story at ECIR 2019.

After every slide the articles of the window make a graph, with an edge where their cosine is above
T₁, and Louvain finds its communities. A community joins the most similar cluster of the window
before, if their cosine is above T₂, and is a new story otherwise; so articles may change stories.
With `memory`, which the authors do not have, it may also join a cluster that left the window.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_array

from scstory.baselines.baseline import MEMORY, Baseline, Range
from scstory.baselines.lapsed import LapsedStories, belongs
from scstory.baselines.louvain import louvain
from scstory.baselines.sparse_sums import combine, mean_rows
from scstory.discovery.method import Arrays, Scope
from scstory.discovery.window import Floats, Ints, Window
from scstory.text import field_of


class DenSps(Baseline):
    """Louvain communities of TF-IDF or sentence vectors, linked over time by similarity.

    `edge` is T₁ and `join` T₂. The authors tune both on labels; the untuned values are ours. So are
    those for mean sentence vectors, whose cosines lie anywhere up to 0.6 for unrelated articles and
    above 0.7 for related ones, where TF-IDF has 0 and 0.2.
    """

    name = "densps"
    library = "igraph"
    ranges: ClassVar[Mapping[str, Range]] = {
        "edge": Range(0.2, (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4), (0, 1)),
        "join": Range(0.5, (0.1, 0.3, 0.5, 0.7, 0.9, 1.0), (0, 1)),
        "memory": MEMORY,
    }
    pse_ranges: ClassVar[Mapping[str, Range]] = {
        "edge": Range(0.7, (0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9), (0, 1)),
        "join": Range(0.75, (0.5, 0.7, 0.8, 0.85, 0.9, 1.0), (0, 1)),
        "memory": MEMORY,
    }

    def __init__(self, **parameters: Any) -> None:
        super().__init__(**parameters)
        self._left = LapsedStories()
        """The clusters that can be joined although they left the window."""

    def decide(self, scope: Scope, new: Ints) -> None:
        """Cluster the whole window again, and link the communities to the clusters so far."""
        window = scope.window
        vectors = self._vectors(scope, window)
        products = self._products(vectors)
        communities = louvain(len(window), *edges_above(products, self.parameters["edge"]))
        ids, column = np.unique(window.story[: new[0]], return_inverse=True)
        similar = similarities(products, communities, column.tolist())
        now = combine(belongs(communities, range(max(communities) + 1)), [vectors])
        lapsed, cosines = self._left.cosines(now, set(ids.tolist()))
        joined = above(np.hstack([similar, cosines]), self.parameters["join"])
        known = [*ids.tolist(), *lapsed]
        numbers = [scope.new_story() if j is None else known[j] for j in joined]
        window.story[:] = [numbers[community] for community in communities]

    def evict(self, scope: Scope, gone: Window) -> None:
        """Remember what left the window for as long as `memory` says."""
        since = self.remembered_since(scope)
        if len(gone) and since < np.inf:
            self._left.add(gone.story.tolist(), self._vectors(scope, gone), gone.times)
        self._left.keep(since=since)

    def resumable(self) -> Collection[int]:
        """Return the clusters that left the window and can still be joined."""
        return self._left.stories

    def remember(self) -> tuple[dict[str, Any], Arrays]:
        """Return the clusters that left the window."""
        stories, arrays = self._left.state()
        return {"left": stories}, arrays

    def recall(self, scope: Scope, meta: Mapping[str, Any], arrays: Arrays) -> None:
        """Take the clusters back."""
        self._left.restore(meta["left"], arrays)

    def _vectors(self, scope: Scope, window: Window) -> csr_array:
        """Return the vectors of articles, of unit length."""
        if self.pse:
            return mean_rows(window.members)
        return scope.statistics.tfidf(field_of(window.terms, 0))

    def _products(self, vectors: csr_array) -> Floats:
        """Return the cosine of every two articles."""
        if self.pse:
            dense = vectors.data.reshape(vectors.shape[0], -1)  # no row has gaps
            return np.asarray(dense @ dense.T)
        return np.asarray((vectors @ vectors.T).toarray(), dtype=np.float64)


def edges_above(products: Floats, least: float) -> tuple[list[tuple[int, int]], list[float]]:
    """Return the pairs of articles that are more similar than `least`, and how similar they are."""
    rows, columns = np.nonzero(np.triu(products > least, k=1))
    pairs = list(zip(rows.tolist(), columns.tolist(), strict=True))
    return pairs, products[rows, columns].tolist()


def similarities(products: Floats, communities: Sequence[int], clusters: Sequence[int]) -> Floats:
    """Return the cosine of each community with each cluster, of the sums of their vectors.

    `products` are inner products of articles, which is all it takes; the first `len(clusters)`
    articles have been in a cluster before.
    """
    now = _belongs(communities, len(products))
    before = _belongs(clusters, len(products))
    reach_now, reach_before = now @ products, before @ products
    lengths_now = np.sqrt((now * reach_now).sum(axis=1))
    lengths_before = np.sqrt((before * reach_before).sum(axis=1))
    lengths = np.maximum(np.outer(lengths_now, lengths_before), 1e-12)
    return np.asarray(reach_now @ before.T / lengths)


def above(cosines: Floats, least: float) -> list[int | None]:
    """Return the cluster that each community joins, None where none is similar enough."""
    if not cosines.shape[1]:
        return [None] * len(cosines)
    best = cosines.argmax(axis=1).tolist()
    return [j if cosines[i, j] > least else None for i, j in enumerate(best)]


def _belongs(groups: Sequence[int], count: int) -> Floats:
    """Return which group each article is in, a row per group."""
    belongs = np.zeros((max(groups, default=-1) + 1, count))
    belongs[list(groups), np.arange(len(groups))] = 1
    return belongs
