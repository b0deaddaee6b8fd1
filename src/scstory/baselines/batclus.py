"""BatClus: articles join the cluster that is closest in words, names and time, all added up.

    Miranda, Znotiņš, Cohen, Barzdins: Multilingual clustering of streaming news. EMNLP 2018.

    score = Σ cos over {tokens, lemmas, entities} × {title, body, all}
          + Σ exp(−Δ² / (2·3²)) over Δ = days to the newest, oldest and mean time of the cluster

A cluster keeps the sums of its articles' vectors for as long as it has an article in the window,
or longer with `memory`, which the authors do not have; a vector is weighted by the document
frequencies of the slides before its own.
"""

from collections.abc import Collection, Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from scstory.baselines.annotators import Annotation, make_annotator
from scstory.baselines.baseline import DAY, MEMORY, Baseline, Range, mean_vector
from scstory.baselines.inner_products import InnerProducts
from scstory.baselines.sparse_sums import pack, unpack
from scstory.discovery.method import Arrays, Scope, prefixed, unprefixed
from scstory.discovery.window import Floats, Ints, Window
from scstory.text import TermStatistics, term_counts, terms
from scstory.types import EncodedArticle

KINDS = ("tokens", "lemmas", "entities")
SPREAD_DAYS = 3.0


class BatClus(Baseline):
    """Single pass by the sum of nine cosines and three time features, weights 1.

    The authors learn the weights and the threshold from labels; equal weights and the untuned
    threshold are ours. A cluster of the same day gets 3 for its times alone, so the threshold asks
    of the nine cosines a mean of 2/9 there, and more of an older cluster. `annotator` says what
    finds lemmas and entities, which the authors do with tools of their own.

    The variant on sentence vectors is ours too: there are three cosines, of the means over title,
    body and both, also of weight 1. Their sum is about 1 for unrelated articles and 2 for related
    ones, that of nine TF-IDF cosines 0.2 and 2 to 3: three times the weight would put both beyond
    the thresholds.
    """

    name = "batclus"
    library = "snowballstemmer"
    ranges: ClassVar[Mapping[str, Range]] = {
        "tau": Range(5.0, (1.0, 2.0, 3.0, 3.5, 4.0, 4.5, 5.0, 5.5, 6.0, 7.0), (0, 12)),
        "annotator": Range("snowball"),
        "memory": MEMORY,
    }
    pse_ranges: ClassVar[Mapping[str, Range]] = {
        "tau": Range(5.0, (2.0, 3.0, 3.5, 4.0, 4.25, 4.5, 4.75, 5.0, 5.25, 5.5, 5.75), (0, 6)),
        "memory": MEMORY,
    }

    def __init__(self, **parameters: Any) -> None:
        super().__init__(**parameters)
        self._clusters: list[int] = []
        """The story of each cluster, in the order of the rows of the sums."""
        self._sums: list[Any] = []
        """For each kind of vector, the sum over each cluster's articles, dense or sparse."""
        self._clocks = np.zeros((4, 0))
        """Newest and oldest time, sum of times and number of articles, in days, by cluster."""
        self._seen = {kind: TermStatistics() for kind in KINDS[1:]}
        self._annotator = None if self.pse else make_annotator(self.parameters["annotator"])

    @property
    def description(self) -> str:
        """What finds the lemmas and entities."""
        return self._annotator.description if self._annotator else ""

    def decide(self, scope: Scope, new: Ints) -> None:
        """Assign the new articles, in order, to the best cluster above the threshold."""
        articles = [scope.window.members[i] for i in new]
        added: list[Any] = (
            self._sentence_vectors(articles)
            if self.pse
            else self._term_vectors(articles, scope.statistics)
        )
        sums = self._sums or [vectors[:0] for vectors in added]
        views = list(map(InnerProducts.of, added, sums))
        times = (scope.window.times[new] / DAY).tolist()
        joined, self._clocks = assign(views, times, self._clocks, tau=self.parameters["tau"])
        for i, cluster in enumerate(joined):
            if cluster == len(self._clusters):
                self._clusters.append(scope.new_story())
            scope.window.story[new[i]] = self._clusters[cluster]
        shape = (len(self._clusters), len(joined))
        belongs = csr_array((np.ones(len(joined)), (joined, np.arange(len(joined)))), shape=shape)
        pairs = zip(sums, added, strict=True)
        self._sums = [_add(known, belongs @ vectors) for known, vectors in pairs]

    def evict(self, scope: Scope, gone: Window) -> None:
        """Drop the clusters without an article in the window, unless they are remembered."""
        active = set(scope.window.story.tolist())
        recent = self._clocks[0] * DAY >= self.remembered_since(scope)
        clusters = enumerate(zip(self._clusters, recent, strict=True))
        kept = [row for row, (story, lasts) in clusters if lasts or story in active]
        self._clusters = [self._clusters[row] for row in kept]
        self._sums = [known[kept] for known in self._sums]
        self._clocks = self._clocks[:, kept]

    def resumable(self) -> Collection[int]:
        """Return the clusters, also those that left the window."""
        return self._clusters

    def remember(self) -> tuple[dict[str, Any], Arrays]:
        """Return the clusters and the frequencies of lemmas and entities."""
        arrays: dict[str, NDArray[Any]] = {"clocks": self._clocks}
        for number, known in enumerate(self._sums):
            arrays |= prefixed(str(number), {"dense": known} if self.pse else pack(known))
        documents = {}
        for kind, seen in self._seen.items():
            documents[kind], arrays[f"{kind}.used"], arrays[f"{kind}.counts"] = seen.state()
        meta = {"clusters": self._clusters, "documents": documents, "sums": len(self._sums)}
        return meta, arrays

    def recall(self, scope: Scope, meta: Mapping[str, Any], arrays: Arrays) -> None:
        """Take the clusters and frequencies back."""
        self._clusters, self._clocks = list(meta["clusters"]), arrays["clocks"]
        saved = (unprefixed(str(number), arrays) for number in range(meta["sums"]))
        self._sums = [parts["dense"] if self.pse else unpack(parts) for parts in saved]
        for kind, seen in self._seen.items():
            used, counts = arrays[f"{kind}.used"], arrays[f"{kind}.counts"]
            seen.restore(meta["documents"][kind], used, counts)

    def _term_vectors(
        self, new: list[EncodedArticle], statistics: TermStatistics
    ) -> list[csr_array]:
        """Return the nine TF-IDF vectors of the new articles, kind by kind."""
        assert self._annotator is not None
        read = [_by_kind(member, self._annotator.annotate(member)) for member in new]
        vectors = []
        for number, kind in enumerate(KINDS):
            titles, bodies = ([words[number][part] for words in read] for part in (0, 1))
            seen = self._seen.get(kind, statistics)
            whole = term_counts([t + b for t, b in zip(titles, bodies, strict=True)])
            counts = (term_counts(titles), term_counts(bodies), whole)
            vectors += [seen.tfidf(some) for some in counts]
            if kind in self._seen:
                seen.update(whole)
        return vectors

    def _sentence_vectors(self, new: list[EncodedArticle]) -> list[Floats]:
        """Return the mean sentence vectors of title, body and both of the new articles."""
        starts = [int(bool(member.article.title.strip())) for member in new]
        pairs = list(zip(new, starts, strict=True))
        return [
            np.array([_mean(member.vectors[:start]) for member, start in pairs]),
            np.array([_mean(member.vectors[start:]) for member, start in pairs]),
            np.array([mean_vector(member) for member in new]),
        ]


def assign(
    views: list[InnerProducts], times: list[float], clocks: Floats, *, tau: float
) -> tuple[list[int], Floats]:
    """Return the cluster each article joins, those after the known ones new, and all clocks."""
    count, known = views[0].with_stories.shape
    room = np.zeros((len(views), count, count))
    products = np.concatenate([[view.with_stories for view in views], room], axis=2)
    norms = np.concatenate([[view.story_norms for view in views], room[:, 0]], axis=1)
    between = np.array([view.with_articles for view in views])
    clocks = np.concatenate([clocks, np.zeros((4, count))], axis=1)
    clusters, joined = known, []
    for i, time in enumerate(times):
        lengths = np.sqrt(between[:, i, i, None] * norms[:, :clusters])
        # A vector of no length is similar to nothing.
        cosines = products[:, i, :clusters] / np.where(lengths > 1e-12, lengths, np.inf)
        score = cosines.sum(axis=0) + closeness(time, clocks[:, :clusters]).sum(axis=0)
        best = int(score.argmax()) if clusters else 0
        if not clusters or score[best] <= tau:
            best = clusters
            clocks[:2, best] = time
            clusters += 1
        norms[:, best] += between[:, i, i] + 2 * products[:, i, best]
        products[:, :, best] += between[:, :, i]
        newest, oldest, total, number = clocks[:, best]
        clocks[:, best] = max(newest, time), min(oldest, time), total + time, number + 1
        joined.append(best)
    return joined, clocks[:, :clusters]


def closeness(time: float, clocks: Floats) -> Floats:
    """Return how close a time, in days, is to the newest, oldest and mean time of each cluster."""
    newest, oldest, total, number = clocks
    gaps = time - np.array([newest, oldest, total / number])
    return np.asarray(np.exp(-(gaps**2) / (2 * SPREAD_DAYS**2)))


def _add(known: Any, added: Any) -> Any:
    """Return sums with more added, which may have more rows."""
    if isinstance(added, np.ndarray):
        added[: len(known)] += known
        return added
    known.resize(added.shape)
    total = known + added
    total.sort_indices()
    return total


def _mean(vectors: NDArray[np.float32]) -> Floats:
    """Return the mean of some sentence vectors, of unit length, or zeros where there are none."""
    total = vectors.sum(axis=0, dtype=np.float64)
    return np.asarray(total / max(float(np.linalg.norm(total)), 1e-12))


def _by_kind(member: EncodedArticle, found: Annotation) -> list[tuple[list[str], list[str]]]:
    """Return tokens, lemmas and entities, of title and body each."""
    language = member.reading.language
    return [
        (terms(member.article.title, language), terms(member.article.text, language)),
        (found.title_lemmas, found.body_lemmas),
        (found.title_entities, found.body_entities),
    ]
