"""What travels between the stages. All frozen: a stage hands on, it does not reach back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
"""A float32 matrix, one row a sentence, article or story."""


@dataclass(frozen=True, slots=True)
class Article:
    """A news article as a source gives it. `published` is always in UTC.

    Decisions are made on `published`, `title` and `text`, and on `language`, which is detected
    where it is not given; `id`, `url`, `source` and `image` are carried for people.
    """

    id: str
    published: datetime
    title: str
    text: str
    url: str | None = None
    source: str | None = None
    language: str | None = None
    image: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """An article's text, parsed once: nothing after this looks at the text again."""

    sentences: tuple[str, ...]
    """The title, if there is one, and the sentences of the body."""
    columns: NDArray[np.int32]
    """The distinct terms of all fields, as ascending columns of the term table."""
    uses: NDArray[np.int32]
    """Every use of a term, as its place in `columns`."""
    used_in: NDArray[np.int32]
    """The sentence that each of the uses stands in."""
    lede: int
    """How many sentences after the title make the lede."""
    language: str = "en"
    """The language that the text was read in, as a primary subtag: `en`, `zh`."""

    @property
    def counts(self) -> NDArray[np.float32]:
        """How often each term occurs."""
        return np.bincount(self.uses, minlength=len(self.columns)).astype(np.float32)

    def weighted(self, weights: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return how often each term occurs, a use counting as much as its sentence weighs."""
        counts = np.bincount(self.uses, weights[self.used_in], minlength=len(self.columns))
        return counts.astype(np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class EncodedArticle:
    """An article, its reading, and the vector of each of its sentences."""

    article: Article
    reading: Reading
    vectors: Vectors

    @property
    def sentences(self) -> tuple[str, ...]:
        """The sentences, row by row as their vectors."""
        return self.reading.sentences


class RunnerUp(NamedTuple):
    """A story an article could have joined, and how confidently."""

    story: int
    confidence: float


@dataclass(frozen=True, slots=True)
class Assignment:
    """One decision: this article tells this story.

    `new` says that the article founded the story. `was` is set when an earlier decision is
    revised: the story it was in before. `evidence` holds the terms that the confidence is made
    of, and `weights` how story-indicative each sentence was, both at the time of the decision.
    """

    article: str
    story: int
    confidence: float
    new: bool
    was: int | None = None
    runners_up: tuple[RunnerUp, ...] = ()
    evidence: Mapping[str, float] = field(default_factory=dict)
    weights: tuple[float, ...] = ()


class KeySentence(NamedTuple):
    """A story-indicative sentence, where it stands, and its weight there; 1 is the even share."""

    text: str
    article: str
    weight: float


class Quote(NamedTuple):
    """A sentence, and the article that it stands in."""

    text: str
    article: str


class Milestone(NamedTuple):
    """A day on which something new was said, the sentence that says it, and its article."""

    day: date
    text: str
    article: str


class Headline(NamedTuple):
    """An earlier title of a story, its article, and the time of the news that replaced it."""

    text: str
    article: str
    until: datetime


class Edition(NamedTuple):
    """The title and the summary of a story in one of its languages, from articles in it."""

    language: str
    """A primary subtag."""
    title: str
    title_article: str | None
    summary: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class Story:
    """A story as a reader sees it.

    `summary` holds sentences that can be read in their order. `milestones` are in the order of
    time, and `headlines` are the earlier titles, the oldest first. `title_article` is the article
    whose title the story has, and `language` the language of title and summary; a database of an
    earlier version does not know them. `editions` are for readers of the story's other languages.
    """

    id: int
    title: str
    keywords: tuple[str, ...]
    key_sentences: tuple[KeySentence, ...]
    first_seen: datetime
    last_seen: datetime
    articles: tuple[str, ...]
    size: int
    confidence: float
    active: bool = True
    summary: tuple[Quote, ...] = ()
    milestones: tuple[Milestone, ...] = ()
    headlines: tuple[Headline, ...] = ()
    title_article: str | None = None
    language: str | None = None
    editions: tuple[Edition, ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why an article is where it is."""

    article: str
    story: int
    confidence: float
    evidence: Mapping[str, float]
    sentences: tuple[tuple[str, float], ...]
    runners_up: tuple[RunnerUp, ...]


class SavedArticle(NamedTuple):
    """An article as a state holds it: what is read from its sentences is read again."""

    article: Article
    sentences: tuple[str, ...]
    vectors: Vectors


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """All a system needs to go on exactly where it stopped.

    `meta` is JSON-able, `arrays` are numeric, `members` the articles it still holds. They are
    separate because members only come and go, while the rest changes with every slide.
    """

    meta: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]
    members: Sequence[SavedArticle | EncodedArticle]
