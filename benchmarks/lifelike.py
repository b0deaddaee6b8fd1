"""Made-up articles with vectors given, with the sizes and lifetimes of stories of real streams.

Half of the stories have one article; sizes have a long tail, and a tenth of the articles tell a few
giant stories. Words follow Zipf's law, and every fourth is a small English one, so that the texts
count as English and have sentences to quote. A story has words, names and a direction of its own,
which lie within those of its topic. Days are made one after the other, so that a million articles
never stand in memory at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import numpy as np

from benchmarks.data import DIM, SENTENCES, START
from scstory.text import read
from scstory.types import Article, EncodedArticle

DAY = 86_400
WORDS, A_SENTENCE = 80_000, 18
SMALL = (
    "the and of to that with from his her they their this which were been would could about after "
    "said who has have had by it be are"
)
"""Words of which English texts are full."""
TOPICS, GIANTS = 60, 4
GIANT_SHARE = 0.1
LARGEST = 400
"""Articles of a story that is no giant."""
LASTING = 1.3
"""Days after a story's first article, on average, in which its others appear."""


class Lifelike:
    """The days of a stream, and the story that each article tells."""

    def __init__(self, a_day: int, *, days: int, seed: int = 0) -> None:
        self._seed = seed
        rng = np.random.default_rng(seed)
        self._schedule(rng, a_day, days)
        weights = 1 / np.arange(3, WORDS + 3)
        self._zipf = np.cumsum(weights / weights.sum())
        consonants, vowels = "bcdfghklmnprstvz", "aeiou"
        syllables = np.array([c + v for c in consonants for v in vowels])
        base = len(syllables)
        digits = np.stack([np.arange(WORDS) // base**n % base for n in (2, 1, 0)])
        self._words = ["".join(parts) for parts in zip(*syllables[digits], strict=True)]
        self._words += SMALL.split()
        self._topics = rng.standard_normal((TOPICS, DIM), dtype=np.float32) / DIM**0.5
        self._common = rng.standard_normal(DIM, dtype=np.float32) / DIM**0.5

    def _schedule(self, rng: np.random.Generator, a_day: int, days: int) -> None:
        """Draw when the articles of each story appear."""
        ordinary = int(a_day * (1 - GIANT_SHARE) * (days + 4))
        sizes = np.minimum((1 - rng.random(ordinary)) ** (-1 / 1.1), LARGEST).astype(int)
        sizes = sizes[: int(np.searchsorted(np.cumsum(sizes), ordinary)) + 1]
        born = np.repeat(rng.random(len(sizes)) * (days + 4) - 4, sizes)
        first = np.cumsum(sizes) - sizes
        later = rng.exponential(LASTING, len(born))
        later[first] = 0
        story = np.repeat(np.arange(GIANTS, GIANTS + len(sizes)), sizes)
        giants = int(a_day * GIANT_SHARE * days)
        times = np.concatenate([born + later, rng.random(giants) * days])
        story = np.concatenate([story, rng.integers(GIANTS, size=giants)])
        order = np.argsort(times, kind="stable")
        order = order[(times[order] >= 0) & (times[order] < days)]
        self._times, self._story = times[order], story[order]

    def day(
        self, day: int, *, start: float = 0, end: float = 1
    ) -> Iterator[tuple[EncodedArticle, int]]:
        """Yield the articles of a part of a day, each with its story."""
        for number in self.numbers(day, start=start, end=end):
            yield self.article(number)

    def numbers(self, day: int, *, start: float = 0, end: float = 1) -> range:
        """Return the numbers of the articles of a part of a day."""
        return range(*np.searchsorted(self._times, [day + start, day + end]).tolist())

    def article(self, number: int) -> tuple[EncodedArticle, int]:
        """Return an article and its story."""
        return self._article(number), int(self._story[number])

    def stories_since(self, day: int) -> set[int]:
        """Return the stories that have an article from a day on."""
        return set(self._story[self._times >= day].tolist())

    def count(self, day: int) -> int:
        """Return how many articles a day has."""
        first, last = np.searchsorted(self._times, [day, day + 1])
        return int(last - first)

    def _article(self, number: int) -> EncodedArticle:
        story = int(self._story[number])
        own = np.random.default_rng((self._seed, 1, story))
        topic = int(own.integers(TOPICS))
        words = 200 + own.integers(WORDS - 200, size=40)
        names = own.integers(WORDS, size=6)
        direction = own.standard_normal(DIM, dtype=np.float32) / DIM**0.5
        shared = np.random.default_rng((self._seed, 2, topic)).integers(WORDS, size=300)

        rng = np.random.default_rng((self._seed, 3, number))
        found = np.searchsorted(self._zipf, rng.random((SENTENCES, A_SENTENCE)))
        kind = rng.random((SENTENCES, A_SENTENCE))
        found = np.where(kind < 0.30, words[rng.integers(40, size=kind.shape)], found)
        of_topic = shared[rng.integers(300, size=kind.shape)]
        found = np.where((kind > 0.30) & (kind < 0.42), of_topic, found)
        small = WORDS + rng.integers(len(self._words) - WORDS, size=kind.shape)
        found = np.where((kind > 0.42) & (kind < 0.70), small, found)
        named = names[rng.integers(6, size=SENTENCES)]
        lines = []
        for row, name in zip(found.tolist(), named.tolist(), strict=True):
            line = [self._words[word] for word in row]
            line[0] = line[0].capitalize()
            line[4] = self._words[name].capitalize()
            lines.append(" ".join(line) + ".")
        lines[0] = " ".join(lines[0].split()[:9])

        noise = rng.standard_normal((SENTENCES, DIM), dtype=np.float32) / DIM**0.5
        vectors = 0.5 * self._common + 0.5 * self._topics[topic] + 0.6 * direction + 0.8 * noise
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        published = START + timedelta(seconds=float(self._times[number]) * DAY)
        text = " ".join(lines[1:])
        article = Article(f"m{number}", published, lines[0], text, language="en")
        return EncodedArticle(article, read(article, sentences=lines), vectors)
