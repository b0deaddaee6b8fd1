"""USTORY: sentences count by the story's keywords, and unassigned articles wait for company.

    Yoon, Lee, Zhang, Han: Unsupervised story discovery from continuous news streams via scalable
    thematic embedding. SIGIR 2023.

Terms are words and bigrams. The theme of an article is its ten terms of highest tf · idf, by the
document frequencies of the window; that of a story the ten of its articles together, by how few
stories use them. An article of age a counts exp(−a / W) in both. Seen from a theme, an article is
the mean of its sentence vectors weighted by the theme's terms in them; a story is the decayed mean
of its articles, each seen from its own theme.

    idf = log((1 + n) / (1 + f)) + 1,   f of n articles, or of n stories, have the term
    sim(d, S) = max(0, cos) · (1 − Jensen-Shannon distance of the uses of S's keywords in d and S)
    d joins S  ⇔  max softmax(2·sim) ≥ 1 − (1 − 1/(K+1))²,   K active stories

Articles that join none wait in a pool. After each slide spherical k-means cuts the pool, each
article seen from its own theme, into clusters, and those of at least `seed_size` are stories.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack
from scipy.special import rel_entr

from scstory.baselines.baseline import Baseline, Range
from scstory.discovery.method import Arrays, Scope
from scstory.discovery.paper.cold_start import seed_stories
from scstory.discovery.window import UNDECIDED, Floats, Ints, Window
from scstory.text import terms
from scstory.text.hashed import hashes, pair_hashes
from scstory.text.language import ENGLISH

KEYWORDS = 10
TEMPERATURE = 2.0
STARTS = 10
"""Runs of k-means, of which the tightest counts."""
TERMS = 1 << 32
"""Words and bigrams are numbers below this."""


class Themes(NamedTuple):
    """Keywords, a row for each article or story; a row of fewer than ten is filled up with 0."""

    columns: NDArray[np.int64]
    scores: Floats
    uses: Floats

    def weights(self, width: int) -> csr_array:
        """Return what a use of each term counts, a row per theme."""
        ends = np.arange(len(self.columns) + 1) * KEYWORDS
        shape = (len(self.columns), width)
        return csr_array((self.scores.ravel(), self.columns.ravel(), ends), shape=shape)


class WindowTerms(NamedTuple):
    """The terms of the window's articles; a column is a term of the window."""

    sentences: csr_array
    """How often each sentence has each term."""
    articles: csr_array
    """How often each article has each term."""
    rows: list[NDArray[np.int64]]
    """The sentences of each article."""
    decay: Floats
    """What each article counts, by its age."""


class Ustory(Baseline):
    """Thematic sentence weights, with a pool that new stories come out of.

    The system always compares sentence vectors, so native and +PSE are the same. Until a waiting
    article joins a story it is one of its own, for the time being, that takes no part in
    assignment; a story out of the pool keeps the number of its first article's. Themes and
    centres are those of the articles assigned in slides before. The pool is cut when it can be
    cut in two: from twice `seed_size` on.

    This is how the authors' public script computes. Ours differs in words that are not lemmas, in
    document frequencies that count all articles of the window and none ahead, in ages at the end
    of the slide, and in starting from the pool instead of a k-means over the first articles whose
    clusters may be of any size. The authors score all waiting articles as one story.
    """

    name = "ustory"
    ranges: ClassVar[Mapping[str, Range]] = {
        "seed_size": Range(8, (1, 2, 3, 4, 6, 8, 12, 18), (1, math.inf))
    }

    def __init__(self, **parameters: Any) -> None:
        super().__init__(**parameters)
        self._counts: list[csr_array] = []
        """The term counts of each member's sentences."""
        self._vectors: Floats = np.empty((0, 0))
        """Each member seen from its own theme, as it was when it came."""
        self._waiting: set[int] = set()
        """The stories that are a single article in the pool."""

    def decide(self, scope: Scope, new: Ints) -> None:
        """Let new and waiting articles join stories, then make stories of the pool."""
        window = scope.window
        reading = self._read(scope)
        self._embed(window, reading, new)
        self._join(window, reading)
        self._empty_pool(scope)
        for i in new.tolist():
            if window.story[i] == UNDECIDED:
                window.story[i] = scope.new_story()
                self._waiting.add(int(window.story[i]))

    def evict(self, scope: Scope, gone: Window) -> None:
        """Drop what left the window, from the pool as well."""
        del self._counts[: len(gone)]
        self._vectors = self._vectors[len(gone) :]
        self._waiting &= set(scope.window.story.tolist())

    def remember(self) -> tuple[dict[str, Any], Arrays]:
        """Return the stories that wait and the articles as seen from their themes."""
        return {"waiting": sorted(self._waiting)}, {"vectors": self._vectors}

    def recall(self, scope: Scope, meta: Mapping[str, Any], arrays: Arrays) -> None:
        """Take back the stories that wait and the articles; their terms are counted again."""
        self._waiting, self._vectors, self._counts = set(meta["waiting"]), arrays["vectors"], []

    def _read(self, scope: Scope) -> WindowTerms:
        window = scope.window
        self._counts += [
            sentence_terms(member.sentences, member.reading.language)
            for member in window.members[len(self._counts) :]
        ]
        counts = vstack(self._counts, format="csr")
        used, columns = np.unique(counts.indices, return_inverse=True)
        shape = (counts.shape[0], max(len(used), 1))  # never no column at all
        sentences = csr_array((counts.data, columns, counts.indptr), shape=shape)
        lengths = window.lengths.tolist()
        owner = np.repeat(np.arange(len(lengths)), lengths)
        entries = (np.ones(len(owner)), (owner, np.arange(len(owner))))
        articles = csr_array(csr_array(entries, shape=(len(lengths), len(owner))) @ sentences)
        rows = np.split(np.arange(len(owner)), np.cumsum(lengths)[:-1])
        ages = (scope.end() - window.times) / self.settings.window_length.total_seconds()
        return WindowTerms(sentences, articles, rows, np.exp(-ages))

    def _embed(self, window: Window, reading: WindowTerms, new: Ints) -> None:
        """See the new articles from their own themes."""
        counts = csr_array(reading.articles[new])
        themes = top_terms(counts, rarity(reading.articles, reading.decay))
        weights = themes.weights(counts.shape[1])
        seen = []
        for n, i in enumerate(new.tolist()):
            own = (reading.sentences[reading.rows[i]] @ weights[[n]].T).toarray().ravel()
            seen.append(weighted_mean(window.members[i].vectors, own))
        known = self._vectors.reshape(-1, len(seen[0]))
        self._vectors = np.vstack([known, seen])

    def _pool(self, window: Window) -> list[int]:
        stories = enumerate(window.story.tolist())
        return [i for i, story in stories if story == UNDECIDED or story in self._waiting]

    def _join(self, window: Window, reading: WindowTerms) -> None:
        """Let the articles of the pool join stories they are similar enough to."""
        pool = self._pool(window)
        decided = np.setdiff1d(np.arange(len(window)), pool)
        if not len(decided):
            return
        ids, column = np.unique(window.story[decided], return_inverse=True)
        entries = (reading.decay[decided], (column, decided))
        belongs = csr_array(entries, shape=(len(ids), len(window)))
        tally = csr_array(belongs @ reading.articles)
        themes = top_terms(tally, rarity(tally, np.ones(len(ids))))
        centres = np.asarray(belongs @ self._vectors)
        weights = themes.weights(tally.shape[1]).T
        cosines = np.zeros((len(pool), len(ids)))
        for n, i in enumerate(pool):
            seen = (reading.sentences[reading.rows[i]] @ weights).toarray()
            views = seen.T @ window.members[i].vectors.astype(np.float64)
            lengths = np.linalg.norm(views, axis=1) * np.linalg.norm(centres, axis=1)
            cosines[n] = (views * centres).sum(axis=1) / np.maximum(lengths, 1e-12)
        similarity = np.maximum(cosines, 0) * agreement(reading.articles[pool], themes)
        best = ids[similarity.argmax(axis=1)].tolist()
        for n in np.flatnonzero(confident(similarity)).tolist():
            self._waiting.discard(int(window.story[pool[n]]))
            window.story[pool[n]] = best[n]

    def _empty_pool(self, scope: Scope) -> None:
        """Make stories of the clusters in the pool that are large enough."""
        window = scope.window
        pool, size = self._pool(window), int(self.parameters["seed_size"])
        if len(pool) < 2 * size:
            return
        labels = best_clusters(self._vectors[pool], seed_size=size)
        for cluster in range(labels.max() + 1):
            found = [pool[n] for n in np.flatnonzero(labels == cluster)]
            if len(found) >= size:
                number = int(window.story[found[0]])
                number = scope.new_story() if number == UNDECIDED else number
                self._waiting -= set(window.story[found].tolist())
                window.story[found] = number


def best_clusters(vectors: Floats, *, seed_size: int) -> NDArray[np.int64]:
    """Return the tightest of several spherical k-means, which depend on where they start."""
    rng = np.random.default_rng(0)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = (vectors / np.maximum(lengths, 1e-12)).astype(np.float32)
    found = [seed_stories(unit, seed_size=seed_size, rng=rng) for _ in range(STARTS)]

    def tightness(labels: NDArray[np.int64]) -> float:
        sums = np.zeros((labels.max() + 1, unit.shape[1]))
        np.add.at(sums, labels, unit)
        return float(np.linalg.norm(sums, axis=1).sum())

    return max(found, key=tightness)


def sentence_terms(sentences: Sequence[str], language: str = ENGLISH) -> csr_array:
    """Return how often each sentence has each word and each bigram; numbers do not count."""
    words = [[w for w in terms(text, language) if not w[0].isdecimal()] for text in sentences]
    single = [hashes(some) for some in words]
    found = [
        np.unique(np.concatenate([some, pair_hashes(some)]), return_counts=True) for some in single
    ]
    ends = np.cumsum([0, *(len(columns) for columns, _ in found)])
    columns = np.concatenate([columns for columns, _ in found]).astype(np.int64)
    counts = np.concatenate([n for _, n in found]).astype(np.float64)
    return csr_array((counts, columns, ends), shape=(len(found), TERMS))


def rarity(counts: csr_array, weights: Floats) -> Floats:
    """Return how telling each term is: high when few rows have it, each as many as its weight."""
    row = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    frequency = np.bincount(counts.indices, weights[row], minlength=counts.shape[1])
    return np.asarray(np.log((1 + counts.shape[0]) / (1 + frequency)) + 1)


def top_terms(counts: csr_array, idf: Floats) -> Themes:
    """Return the ten terms of highest tf · idf of each row, its theme."""
    shape = (counts.shape[0], KEYWORDS)
    themes = Themes(np.zeros(shape, dtype=np.int64), np.zeros(shape), np.zeros(shape))
    for row, (start, end) in enumerate(pairwise(counts.indptr.tolist())):
        columns, uses = counts.indices[start:end], counts.data[start:end]
        scores = uses * idf[columns]
        best = np.lexsort((columns, -scores))[:KEYWORDS]
        found: tuple[NDArray[Any], ...] = (columns, scores, uses)
        for values, all_values in zip(themes, found, strict=True):
            values[row, : len(best)] = all_values[best]
    return themes


def weighted_mean(vectors: NDArray[np.float32], weights: Floats) -> Floats:
    """Return the mean of sentence vectors by weights, or by none where all are 0."""
    weights = weights if weights.any() else np.ones(len(vectors))
    return np.asarray(weights @ vectors.astype(np.float64) / weights.sum())


def agreement(articles: csr_array, themes: Themes) -> Floats:
    """Return 1 − Jensen-Shannon distance of how each article and each story use its keywords.

    An article that uses none of them does not agree at all.
    """
    used, places = np.unique(themes.columns, return_inverse=True)
    uses = articles[:, used].toarray()[:, places.reshape(themes.columns.shape)]
    uses *= themes.uses > 0
    totals = uses.sum(axis=2, keepdims=True)
    article = uses / np.maximum(totals, 1e-12)
    story = themes.uses / np.maximum(themes.uses.sum(axis=1, keepdims=True), 1e-12)
    middle = (article + story) / 2
    divergence = (rel_entr(article, middle) + rel_entr(story, middle)).sum(axis=2) / 2
    return np.asarray((1 - np.sqrt(np.maximum(divergence, 0))) * (totals[:, :, 0] > 0))


def confident(similarity: Floats) -> NDArray[np.bool_]:
    """Return which articles are similar enough to one of the stories, which are the columns."""
    stories = similarity.shape[1]
    chances = np.exp(TEMPERATURE * similarity)
    chances /= chances.sum(axis=1, keepdims=True)
    # The softmax over a single story is always 1; there the similarity itself must do.
    best = (chances if stories > 1 else similarity).max(axis=1)
    return np.asarray(best >= 1 - (1 - 1 / (stories + 1)) ** TEMPERATURE)
