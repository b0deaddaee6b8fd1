"""USTORY: sentences count by the story's keywords, and unassigned articles wait for company.

    Yoon, Lee, Zhang, Han: Unsupervised story discovery from continuous news streams via scalable
    thematic embedding. SIGIR 2023.

A theme is the ten terms of highest TF-IDF, of an article, or of a story's articles, each counting
exp(−age / W). Seen from a theme, an article is the mean of its sentence vectors weighted by the
theme's terms in them; a story is the decayed mean of its articles seen from its own theme.

    sim(d, S) = max(0, cos) · (1 − Jensen-Shannon distance of the uses of S's keywords in d and S)
    d joins S  ⇔  max softmax(2·sim) ≥ 1 − (1 − 1/(K+1))²,   K active stories

Articles that join none wait in a pool. After each slide spherical k-means cuts the pool, each
article seen from its own theme, into clusters, and those of at least `seed_size` are stories.
"""

import math
from collections.abc import Mapping
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
from scstory.text import term_counts, terms

KEYWORDS = 10
TEMPERATURE = 2.0


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
    idf: Floats
    rows: list[NDArray[np.int64]]
    """The sentences of each article."""
    own: Floats
    """What each sentence counts in its article, by the article's own theme."""


class Ustory(Baseline):
    """Thematic sentence weights, with a pool that new stories come out of.

    The system always compares sentence vectors, so native and +PSE are the same. Until a waiting
    article joins a story it is one of its own, for the time being, that takes no part in
    assignment; a story out of the pool keeps the number of its first article's. Themes and
    centres are those of the articles assigned in slides before, idf counts the stream so far. The
    pool is cut when it can be cut in two: from twice `seed_size` on.
    """

    name = "ustory"
    ranges: ClassVar[Mapping[str, Range]] = {
        "seed_size": Range(8, (1, 2, 3, 4, 6, 8, 12, 18), (1, math.inf))
    }

    def __init__(self, **parameters: Any) -> None:
        super().__init__(**parameters)
        self._counts: list[csr_array] = []
        """The term counts of each member's sentences."""
        self._waiting: set[int] = set()
        """The stories that are a single article in the pool."""

    def decide(self, scope: Scope, new: Ints) -> None:
        """Let new and waiting articles join stories, then make stories of the pool."""
        window = scope.window
        self._count(window)
        reading = self._read(scope)
        self._join(scope, reading)
        self._empty_pool(scope, reading)
        for i in new.tolist():
            if window.story[i] == UNDECIDED:
                window.story[i] = scope.new_story()
                self._waiting.add(int(window.story[i]))

    def evict(self, scope: Scope, gone: Window) -> None:
        """Drop what left the window, from the pool as well."""
        del self._counts[: len(gone)]
        self._waiting &= set(scope.window.story.tolist())

    def remember(self) -> tuple[dict[str, Any], Arrays]:
        """Return the stories that wait."""
        return {"waiting": sorted(self._waiting)}, {}

    def recall(self, scope: Scope, meta: Mapping[str, Any], arrays: Arrays) -> None:
        """Take back the stories that wait, and count the terms of the window again."""
        self._waiting = set(meta["waiting"])
        self._counts = []
        self._count(scope.window)

    def _count(self, window: Window) -> None:
        """Count the terms of the articles whose terms are not counted yet."""
        self._counts += [
            term_counts([terms(sentence) for sentence in member.sentences])
            for member in window.members[len(self._counts) :]
        ]

    def _read(self, scope: Scope) -> WindowTerms:
        counts = vstack(self._counts, format="csr")
        used, columns = np.unique(counts.indices, return_inverse=True)
        used = used if len(used) else np.zeros(1, dtype=np.int64)  # never no column at all
        shape = (counts.shape[0], len(used))
        sentences = csr_array((counts.data, columns, counts.indptr), shape=shape)
        # All idf at once, up to a factor, which cancels wherever they are used.
        once = (np.ones(len(used)), used, np.array([0, len(used)]))
        idf = scope.statistics.tfidf(csr_array(once, shape=(1, counts.shape[1]))).data

        lengths = scope.window.lengths.tolist()
        owner = np.repeat(np.arange(len(lengths)), lengths)
        entries = (np.ones(len(owner)), (owner, np.arange(len(owner))))
        articles = csr_array(csr_array(entries, shape=(len(lengths), len(owner))) @ sentences)
        themes = top_terms(articles, idf).weights(len(used))
        own = np.asarray((sentences * themes[owner]).sum(axis=1), dtype=np.float64).ravel()
        rows = np.split(np.arange(len(owner)), np.cumsum(lengths)[:-1])
        return WindowTerms(sentences, articles, idf, rows, own)

    def _pool(self, window: Window) -> list[int]:
        stories = enumerate(window.story.tolist())
        return [i for i, story in stories if story == UNDECIDED or story in self._waiting]

    def _join(self, scope: Scope, reading: WindowTerms) -> None:
        """Let the articles of the pool join stories they are similar enough to."""
        window = scope.window
        members, pool = window.members, self._pool(window)
        decided = np.setdiff1d(np.arange(len(window)), pool)
        if not len(decided):
            return
        ids, column = np.unique(window.story[decided], return_inverse=True)
        ages = (scope.end() - window.times[decided]) / self.settings.window_length.total_seconds()
        decay = np.exp(-ages)
        shape = (len(ids), len(window))
        tally = csr_array((decay, (column, decided)), shape=shape) @ reading.articles
        themes = top_terms(csr_array(tally), reading.idf)
        seen = (reading.sentences @ themes.weights(len(reading.idf)).T).toarray()

        centres = np.zeros((len(ids), members[0].vectors.shape[1]))
        for i, k, fade in zip(decided.tolist(), column.tolist(), decay, strict=True):
            weights = seen[reading.rows[i], k]
            # Without a word of the story's theme, k-means may have put it there by its own.
            weights = weights if weights.any() else reading.own[reading.rows[i]]
            centres[k] += fade * weighted_mean(members[i].vectors, weights)
        cosines = np.zeros((len(pool), len(ids)))
        for n, i in enumerate(pool):
            views = seen[reading.rows[i]].T @ members[i].vectors.astype(np.float64)
            lengths = np.linalg.norm(views, axis=1) * np.linalg.norm(centres, axis=1)
            cosines[n] = (views * centres).sum(axis=1) / np.maximum(lengths, 1e-12)
        similarity = np.maximum(cosines, 0) * agreement(reading.articles[pool], themes)
        best = ids[similarity.argmax(axis=1)].tolist()
        for n in np.flatnonzero(confident(similarity)).tolist():
            self._waiting.discard(int(window.story[pool[n]]))
            window.story[pool[n]] = best[n]

    def _empty_pool(self, scope: Scope, reading: WindowTerms) -> None:
        """Make stories of the clusters in the pool that are large enough."""
        window = scope.window
        pool, size = self._pool(window), int(self.parameters["seed_size"])
        if len(pool) < 2 * size:
            return
        vectors = [
            weighted_mean(window.members[i].vectors, reading.own[reading.rows[i]]) for i in pool
        ]
        rng = np.random.default_rng(0)
        labels = seed_stories(np.array(vectors, dtype=np.float32), seed_size=size, rng=rng)
        for cluster in range(labels.max() + 1):
            found = [pool[n] for n in np.flatnonzero(labels == cluster)]
            if len(found) >= size:
                number = int(window.story[found[0]])
                number = scope.new_story() if number == UNDECIDED else number
                self._waiting -= set(window.story[found].tolist())
                window.story[found] = number


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
