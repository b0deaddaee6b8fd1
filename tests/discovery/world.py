"""An invented world: stories on a few subjects, told in invented words, over many days.

Stories on one subject share a good part of their words; people and places they do not share.
"""

from __future__ import annotations

from datetime import timedelta

import numpy as np

from scstory.types import Article
from tests.conftest import START

SUBJECTS = ("trial", "flood", "strike")
LANGUAGE = "la"
"""Invented words look like one language here and like another one there, so one is given."""
LASTS = 4
"""Days that a story lasts, with two articles a day."""


class World:
    """Writes articles: the same ones whenever it is asked for the same."""

    def __init__(self, seed: int = 0) -> None:
        self.rng = np.random.default_rng(seed)
        self.common = self.words(300)
        self.subjects = {name: self.words(40) for name in SUBJECTS}
        self.stories: dict[str, list[list[str]]] = {}
        self.written = 0

    def words(self, count: int) -> list[str]:
        """Return words of three syllables."""
        drawn = self.rng.integers([14, 5] * 3, size=(count, 6))
        return ["".join("bdfgklmnprstvz aeiou"[n + 15 * (k % 2)] for k, n in enumerate(row))
                for row in drawn.tolist()]  # fmt: skip

    def write(self, story: str, subject: str, day: int) -> Article:
        """Return an article of a story, which is made up when it is first heard of."""
        if story not in self.stories:
            names = [word.capitalize() for word in self.words(6)]
            self.stories[story] = [self.common, self.subjects[subject], self.words(15), names]
        self.written += 1
        headline, *body = (self.sentence(self.stories[story]) for _ in range(6))
        return Article(
            f"{story}-{self.written}",
            START + timedelta(days=day, minutes=int(self.rng.integers(600))),
            headline,
            " ".join(f"The {sentence}." for sentence in body),
            language=LANGUAGE,
        )

    def sentence(self, pools: list[list[str]]) -> str:
        """Return fourteen words: common ones, of the subject, of the story, names."""
        kinds = self.rng.choice(4, 14, p=[0.4, 0.2, 0.25, 0.15])
        return " ".join(pools[kind][self.rng.integers(len(pools[kind]))] for kind in kinds)


def tell(days, extra=()):
    """Return a stream: one story after the other on every subject, and (story, subject, days)."""
    world, stream = World(), []
    for day in range(days):
        told = [(f"{name}{(day + n) // LASTS}", name) for n, name in enumerate(SUBJECTS)]
        told += [(story, subject) for story, subject, when in extra if day in when]
        stream += [world.write(story, subject, day) for story, subject in told for _ in range(2)]
    return sorted(stream, key=lambda article: article.published)


def crowd(days, a_day, stories, seed, *, lasts=2):
    """Return a stream of many stories at once, all on one subject."""
    world, rng = World(seed), np.random.default_rng(seed)
    drawn = [(day, rng.integers(stories)) for day in range(days) for _ in range(a_day)]
    found = [world.write(f"trial{day // lasts}.{n}", "trial", day) for day, n in drawn]
    return sorted(found, key=lambda article: article.published)


def story_of(article):
    """Return the story an article of this world tells, by the article's id."""
    return article.rpartition("-")[0]
