"""What is measured on: the bundled sample, a stream of your own, or made-up articles."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import numpy as np

from scstory.feeds import open_source
from scstory.sample import load_sample
from scstory.text import read, split_article
from scstory.types import Article, EncodedArticle

START = datetime(2026, 1, 1, tzinfo=UTC)
DIM = 384
SENTENCES = 20
WORDS = 20_000


def articles() -> tuple[str, list[Article]]:
    """Return what the articles are, and them: of the file BENCH_DATA names, or the sample."""
    if path := os.environ.get("BENCH_DATA"):
        found = [item.article for item in open_source(path) if item.article is not None]
        return os.path.basename(path).split(".")[0], found
    return "the bundled sample", [i.article for i in load_sample() if i.article is not None]


def sentences(number: int) -> tuple[str, list[str]]:
    """Return different sentences from all over the data."""
    name, found = articles()
    every = list(dict.fromkeys(s for article in found for s in split_article(article)))
    step = max(1, len(every) // number)
    return name, every[::step][:number]


class MadeUp:
    """Articles of concurrent stories with vectors given, as many as wanted and never the same.

    Each story has a direction of its own and words of its own; it lives for about a week, so that
    a window holds a number of stories in proportion to its articles.
    """

    def __init__(self, *, seed: int = 0, articles_a_story: int = 10) -> None:
        self._rng = np.random.default_rng(seed)
        self._a_story = articles_a_story
        self._made = 0
        self._stories: list[tuple[np.ndarray, np.ndarray]] = []

    def slide(self, day: int, number: int) -> list[EncodedArticle]:
        """Return a day's articles."""
        rng = self._rng
        fresh = max(1, number // self._a_story)
        for _ in range(fresh if self._stories else 7 * fresh):
            direction = rng.standard_normal(DIM, dtype=np.float32)
            words = rng.integers(0, WORDS, 40)
            self._stories.append((direction / np.linalg.norm(direction), words))
        self._stories = self._stories[-7 * fresh :]
        return [self._article(day, number, place) for place in range(number)]

    def _article(self, day: int, number: int, place: int) -> EncodedArticle:
        rng = self._rng
        direction, words = self._stories[rng.integers(len(self._stories))]
        noise = rng.standard_normal((SENTENCES, DIM), dtype=np.float32) / DIM**0.5
        vectors = direction + 0.8 * noise
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        # Half of the words are the story's, the others anybody's, frequent ones more often.
        own = words[rng.integers(0, len(words), (SENTENCES, 10))]
        common = (rng.zipf(1.2, (SENTENCES, 10)) % WORDS).astype(int)
        rows = np.concatenate([own, common], axis=1)
        lines = tuple(" ".join(f"w{word}" for word in row) for row in rows)
        self._made += 1
        published = START + timedelta(days=day, seconds=86_000 * place / number)
        article = Article(
            id=f"m{self._made}", published=published, title=lines[0], text=" ".join(lines[1:])
        )
        return EncodedArticle(article, read(article, sentences=lines), vectors)


class Given:
    """Stands in for an encoder where vectors are given."""

    name, dim = "given", DIM

    def encode(self, sentences: list[str]) -> np.ndarray:
        """Refuse: all vectors are there."""
        raise AssertionError("vectors are given")


def days(made_up: MadeUp, total: int, a_day: int) -> Iterator[list[EncodedArticle]]:
    """Yield slides of `a_day` articles until there were `total`."""
    for day in range(-(-total // a_day)):
        yield made_up.slide(day, min(a_day, total - day * a_day))
