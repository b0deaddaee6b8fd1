"""The seam: what a store does, and how one is opened by name."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal, Protocol

from scstory.errors import ConfigError
from scstory.feeds.schedule import Subscription
from scstory.store.address import check_address, database_name, is_server
from scstory.types import Article, Assignment, EncodedArticle, State, Story

if TYPE_CHECKING:
    from scstory.store.database import Database


@dataclass(frozen=True, slots=True)
class ArticleRecord:
    """A stored article and the decision on it, if there is one yet.

    `late` says that it came when its time had left the window.
    """

    article: Article
    assignment: Assignment | None
    sequence: int
    late: bool = False


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of an article that was offered.

    `accepted`: it is kept and will be decided on. `known`: it was offered before, just so.
    `duplicate`: it is the article `of` once more: the same page, text or id.
    """

    article: str
    status: Literal["accepted", "known", "duplicate"]
    of: str | None = None


@dataclass(frozen=True, slots=True)
class ArticleSource:
    """One place an article appeared in."""

    id: str
    published: datetime
    title: str
    url: str | None
    source: str | None


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to a story.

    `new` and `grew`: the articles founded or joined it. `moved`: they came to it from another
    story. `ended`: it left the window. `merged`: it is now part of the story `becomes`.
    """

    number: int
    kind: Literal["new", "grew", "moved", "ended", "merged"]
    story: int
    articles: tuple[str, ...]
    time: datetime
    becomes: int | None = None


@dataclass(frozen=True, slots=True)
class Parked:
    """An article that could not be decided on, why, and since when."""

    article: Article
    reason: str
    since: datetime


@dataclass(frozen=True, slots=True)
class Condition:
    """How a store is: what it holds, and all that is wrong with it."""

    schema: int
    articles: int
    stories: int
    inbox: int
    parked: int
    bytes: int
    problems: tuple[str, ...]


class Store(Protocol):
    """Everything one run leaves for the next, and for readers.

    Articles come in by `accept`, which returns when they are safe, and wait in the inbox.
    `commit` is the one way to decide on them, and one transaction: after a crash a step is there
    with all its effects or not at all. That is what makes every article count exactly once. A
    writer that has not seen another's commit is refused.
    """

    @property
    def name(self) -> str:
        """What the store is called in messages."""

    # -- in -----------------------------------------------------------------------------------

    def accept(self, articles: Sequence[Article]) -> list[Receipt]:
        """Keep articles for deciding, those that are not there yet; durable on return."""

    def pending(self, limit: int) -> list[Article]:
        """Return the articles that wait longest, in the order they were accepted."""

    def park(self, article: Article, reason: str) -> None:
        """Put an article aside that cannot be decided on."""

    def parked(self) -> list[Parked]:
        """Return what was put aside, the longest there first."""

    def retry(self, ids: Sequence[str]) -> int:
        """Put parked articles back at the end of the inbox; return how many there were."""

    @property
    def shared(self) -> bool:
        """Whether others may stand by to become the one who commits."""

    def claim(self) -> None:
        """Become the one who commits, until `close`; raise Kept if somebody else is."""

    def keeping(self) -> bool:
        """Say whether this is, as far as is known, the one who commits."""

    def commit(
        self,
        articles: Sequence[EncodedArticle],
        decided: Sequence[Assignment],
        stories: Sequence[Story],
        state: State,
        *,
        late: Collection[str] = (),
        redirects: Mapping[int, int] | None = None,
    ) -> None:
        """Keep a step: its articles, all decisions, all active stories, the engine's state.

        The articles leave the inbox. Stories that were active and are not among `stories` have
        ended. `late` names articles from before the window; `redirects` gives, for stories that
        are no more, the one they became part of.
        """

    # -- out ----------------------------------------------------------------------------------

    def state(self) -> State | None:
        """Return the engine's state after the last commit, or None in a new store."""

    def last_sequence(self) -> int:
        """Return the number of the latest article; they are numbered as they are committed."""

    def article(self, article: str) -> ArticleRecord | None:
        """Return an article by id; one that is a copy of another, by that one's."""

    def sources_of(self, article: str) -> list[ArticleSource]:
        """Return where an article appeared: its own place first, then its copies'."""

    def stories(self, *, active: bool | None = None) -> list[Story]:
        """Return stories, the latest news first; only active or only past ones if asked."""

    def story(self, story: int) -> Story | None:
        """Return a story by id; for one that was merged, the one it is now part of."""

    def redirect(self, story: int) -> int:
        """Return the number a story has now: its own unless it was merged."""

    def articles_of(self, story: int) -> Iterator[ArticleRecord]:
        """Yield the articles of a story in publication order."""

    def decided_between(self, start: datetime, end: datetime) -> list[tuple[str, int]]:
        """Return the articles published in a span of time, by id, and each one's story."""

    def events(self, after: int, limit: int = 1000) -> list[Event]:
        """Return what happened after the event of that number, in order."""

    def last_event(self) -> int:
        """Return the number of the latest event, 0 if there was none."""

    def counts(self) -> tuple[int, int]:
        """Return how many articles and how many stories there are."""

    # -- feeds --------------------------------------------------------------------------------

    def subscribe(self, url: str, title: str = "") -> bool:
        """Follow a feed from now on; False if it was followed already."""

    def unsubscribe(self, url: str) -> bool:
        """Follow a feed no longer; False if it was not followed. Its articles stay."""

    def subscriptions(self, *, due: datetime | None = None) -> list[Subscription]:
        """Return the feeds that are followed, or those of them that are due at some time."""

    def update_subscription(self, feed: Subscription) -> None:
        """Keep the state of a feed, if it is still followed."""

    def move_subscription(self, url: str, to: str) -> None:
        """Follow a feed at its new address; one that is followed there already stays as it is."""

    def tries(self, url: str) -> dict[str, int]:
        """Return how often items of a feed have been tried, by their ids."""

    def note_tries(self, url: str, tries: Mapping[str, int], now: datetime) -> None:
        """Remember how often items have been tried."""

    def forget_items(self, url: str, still_there: Sequence[str], now: datetime) -> None:
        """Forget the items that have left a feed some time ago."""

    # -- upkeep -------------------------------------------------------------------------------

    def check(self) -> Condition:
        """Look the whole store over."""

    def size(self) -> int:
        """Return how many bytes the store takes."""

    def backup(self, path: str) -> None:
        """Write a copy of all there is, as of one moment, to a new file."""

    def compact(self, before: datetime) -> int:
        """Let the text of older articles go, and give the space back; return how many."""

    def close(self) -> None:
        """Let go of the database."""


def open_store(name: str, *, create: bool = True, write: bool | None = None) -> Store:
    """Return the store a path or address names; one that must be there already is only read.

    Unless `write` says otherwise.
    """
    from scstory.store.kept import KeptStore

    return KeptStore(open_database(name, create=create, write=create if write is None else write))


def open_database(name: str, *, create: bool, write: bool) -> Database:
    """Return the database a path or address names."""
    if not name.strip() or "\0" in name:
        raise ConfigError(f"database {name!r}: give the path of a file, as in scstory.db")
    if is_server(name):
        check_address(name)
        try:
            from scstory.store.postgres import PostgresDatabase
        except ImportError as error:
            raise ConfigError(
                f"database {database_name(name)}: needs psycopg, which is not here ({error}); "
                "get it with: pip install 'scstory[postgres]'"
            ) from error
        return PostgresDatabase(name, create=create, write=write)
    from scstory.store.sqlite import SqliteDatabase

    return SqliteDatabase(name, create=create, write=write)
