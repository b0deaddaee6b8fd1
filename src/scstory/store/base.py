"""The seam: what a store does, and how one is opened by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from scstory.errors import ConfigError, StoreError
from scstory.types import Article, Assignment, EncodedArticle, State, Story


@dataclass(frozen=True, slots=True)
class ArticleRecord:
    """A stored article and the decision on it, if there is one yet."""

    article: Article
    assignment: Assignment | None
    sequence: int


class Store(Protocol):
    """Everything one run leaves for the next, and for readers.

    `commit` is the one way to write, and one transaction: after a crash a slide is there with
    all its effects or not at all. That is what makes every article count exactly once.
    """

    def commit(
        self,
        articles: Sequence[EncodedArticle],
        decided: Sequence[Assignment],
        stories: Sequence[Story],
        state: State,
    ) -> None:
        """Keep a slide: its articles, all decisions, the active stories, the engine's state."""

    def state(self) -> State | None:
        """Return the engine's state after the last slide, or None in a new store."""

    def last_sequence(self) -> int:
        """Return the number of the latest article; they are numbered as they are committed."""

    def article(self, article: str) -> ArticleRecord | None:
        """Return an article by id."""

    def stories(self, *, active: bool | None = None) -> list[Story]:
        """Return stories, the latest news first; only active or only past ones if asked."""

    def story(self, story: int) -> Story | None:
        """Return a story by id."""

    def articles_of(self, story: int) -> Iterator[ArticleRecord]:
        """Yield the articles of a story in publication order."""

    def counts(self) -> tuple[int, int]:
        """Return how many articles and how many stories there are."""

    def close(self) -> None:
        """Let go of the database."""


def open_store(name: str, *, create: bool = True) -> Store:
    """Return the store a path names."""
    from scstory.store.sqlite import SqliteStore

    if not name.strip() or "\0" in name:
        raise ConfigError(f"database {name!r}: give the path of a file, as in scstory.db")
    if "://" in name:
        raise StoreError(f"database {name}: give the path of a SQLite file, as in scstory.db")
    return SqliteStore(name, create=create)
