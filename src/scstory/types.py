"""What travels between the stages. All frozen: a stage hands on, it does not reach back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
"""A float32 matrix, one row a sentence, article or story."""


@dataclass(frozen=True, slots=True)
class Article:
    """A news article as a source gives it. `published` is always in UTC.

    Decisions are made on `published`, `title` and `text` (and `language`, for splitting
    sentences); `id`, `url` and `source` are carried for people.
    """

    id: str
    published: datetime
    title: str
    text: str
    url: str | None = None
    source: str | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class EncodedArticle:
    """An article, its sentences (the title first) and their vectors, row by row."""

    article: Article
    sentences: tuple[str, ...]
    vectors: Vectors


class RunnerUp(NamedTuple):
    """A story an article could have joined, and how confidently."""

    story: int
    confidence: float


@dataclass(frozen=True, slots=True)
class Assignment:
    """One decision: this article tells this story.

    `new` says that the article founded the story. `was` is set when an earlier decision is
    taken back: the story it was in before. `parts` are the terms the confidence is made of,
    and `weights` how story-indicative each sentence was, both at the time of the decision.
    """

    article: str
    story: int
    confidence: float
    new: bool
    was: int | None = None
    runners_up: tuple[RunnerUp, ...] = ()
    parts: Mapping[str, float] = field(default_factory=dict)
    weights: tuple[float, ...] = ()


class KeySentence(NamedTuple):
    """A story-indicative sentence, where it stands, and its weight there; 1 is the even share."""

    text: str
    article: str
    weight: float


@dataclass(frozen=True, slots=True)
class Story:
    """A story as a reader sees it."""

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


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why an article is where it is."""

    article: str
    story: int
    confidence: float
    parts: Mapping[str, float]
    sentences: tuple[tuple[str, float], ...]
    runners_up: tuple[RunnerUp, ...]


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """All a system needs to go on exactly where it stopped.

    `meta` is JSON-able, `arrays` are numeric, `members` the articles it still holds. They are
    apart because members only come and go, while the rest changes with every slide.
    """

    meta: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]
    members: tuple[EncodedArticle, ...]


class System(Protocol):
    """What the runners, the store and the evaluation need of a story discovery system."""

    def process(self, articles: list[EncodedArticle]) -> list[Assignment]:
        """Decide on the articles of one slide, then learn from them."""

    def finish(self) -> list[Assignment]:
        """Decide on whatever is still held back, since the stream has ended."""

    def stories(self) -> list[Story]:
        """Return the stories with an article in the window."""

    def ended(self) -> list[Story]:
        """Return the stories that left the window in the last call of `process`."""

    def state(self) -> State:
        """Return all that is needed to go on later."""

    def restore(self, state: State) -> None:
        """Go on from a state that `state` returned."""
