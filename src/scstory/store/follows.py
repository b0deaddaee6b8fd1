"""What is followed and what is muted: stories, queries and outlets, and the stories they choose."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, NamedTuple
from urllib.parse import quote_plus

from scstory.errors import UsageError
from scstory.store.columns import Row, time_text, to_time
from scstory.store.database import (
    Readable,
    Reads,
    Writes,
    chunks,
    clean,
    placeholders,
    read_transaction,
    write_transaction,
)
from scstory.store.records import MAX_ID, StoryRow
from scstory.store.search.conditions import outlet_names
from scstory.store.search.finding import Finder
from scstory.store.search.query import Node, Outlet, parse
from scstory.text.search_words import search_words

FollowKind = Literal["story", "query", "outlet"]
MAX_FOLLOWS = 1_000
MAX_TARGET = 200
"""The most characters of a query or of the name of an outlet."""
_FOLLOWS = "SELECT number, kind, target, muted, created FROM follows"


@dataclass(frozen=True, slots=True)
class Follow:
    """Something that is followed, or muted: a story by its number, a query, an outlet by name."""

    number: int
    kind: FollowKind
    target: str
    muted: bool
    created: datetime

    @property
    def url(self) -> str:
        """The path of the page that shows it."""
        if self.kind == "story":
            return f"/stories/{self.target}"
        query = self.target if self.kind == "query" else f'outlet:"{self.target}"'
        return f"/search?q={quote_plus(query)}"


class FollowedStory(NamedTuple):
    """A story, and everything that is followed and chooses it."""

    story: StoryRow
    because: tuple[Follow, ...]


class Follows(Writes):
    """Following and muting. Both are of the whole database, not of one reader."""

    redirect: Callable[[int], int]

    @write_transaction
    def follow(self, kind: FollowKind, target: str, *, muted: bool = False) -> Follow:
        """Follow something from now on, or mute it; raise UsageError if there is no such thing."""
        target = self._checked(kind, target)
        known = self.db.rows(f"{_FOLLOWS} WHERE kind = ? AND target = ?", (kind, target))
        if not known and self.db.value("SELECT count(*) FROM follows") >= MAX_FOLLOWS:
            raise UsageError(f"{MAX_FOLLOWS:,} follows, which is the limit; remove one first")
        row = self.db.rows(
            "INSERT INTO follows (kind, target, muted, created) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (kind, target) DO UPDATE SET muted = excluded.muted "
            "RETURNING number, kind, target, muted, created",
            (kind, target, int(muted), time_text(datetime.now(UTC))),
        )[0]
        return _follow(row)

    @write_transaction
    def unfollow(self, number: int) -> bool:
        """Neither follow nor mute something any longer; False if that was so already."""
        return bool(self.db.run("DELETE FROM follows WHERE number = ?", (number,)))

    def _checked(self, kind: FollowKind, target: str) -> str:
        target = " ".join(clean(target).split())
        if kind == "story":
            number = int(target) if target.isascii() and target.isdecimal() else 0
            story = self.redirect(number) if 0 < number <= MAX_ID else 0
            if not self.db.rows("SELECT 1 FROM stories WHERE id = ?", (story,)):
                raise UsageError(f"story {target[:40] or '(none)'}: does not exist")
            return str(story)
        if len(target) > MAX_TARGET:
            raise UsageError(f"{kind}: longer than {MAX_TARGET} characters; shorten it")
        if kind == "query" and parse(target) is None:
            raise UsageError("query: empty; write one like ferry AND strike")
        if kind == "outlet" and not search_words(target):
            raise UsageError("outlet: needs a name with a letter or a digit")
        return target


class FollowQueries(Reads):
    """Queries for what is followed."""

    redirect: Callable[[int], int]
    _story_rows: Callable[[Sequence[int]], list[StoryRow]]

    @read_transaction
    def follows(self) -> list[Follow]:
        """Return everything that is followed or muted, in the order it was added."""
        return [_follow(row) for row in self.db.rows(f"{_FOLLOWS} ORDER BY number")]

    @read_transaction
    def choice(self, follows: Sequence[Follow]) -> "Choice":
        """Return which stories some follows choose."""
        return Choice(self.db, follows, self.redirect)

    @read_transaction
    def stories_of_query(self, text: str) -> set[int]:
        """Return the stories that a query finds, by number."""
        node = parse(text)
        return set() if node is None else set(Finder(self.db, node).relevance())

    @read_transaction
    def followed_stories(self, follows: Sequence[Follow], *, limit: int) -> list[FollowedStory]:
        """Return the stories that are followed and not muted, the latest news first."""
        choice = Choice(self.db, follows, self.redirect)
        times = list[tuple[str, int]]()
        for some in chunks(sorted(choice.because)):
            query = f"SELECT last_seen, id FROM stories WHERE id IN ({placeholders(some)})"
            times += [(last, story) for last, story in self.db.rows(query, some)]
        found = list[FollowedStory]()
        latest = [story for _, story in sorted(times, reverse=True)]
        for some in chunks(latest, limit):
            for story in self._story_rows(some):
                if story.size and not choice.mutes(story):
                    found.append(FollowedStory(story, choice.because[story.id]))
            if len(found) >= limit:
                break
        return found[:limit]


class Choice:
    """The stories that are followed, each with the reasons, and those that are muted.

    A muted outlet mutes the stories that no other outlet reports.
    """

    def __init__(
        self, db: Readable, follows: Sequence[Follow], redirect: Callable[[int], int]
    ) -> None:
        self.because: dict[int, tuple[Follow, ...]] = {}
        self._muted = set[int]()
        self._muted_outlets = [
            Outlet(tuple(search_words(follow.target)))
            for follow in follows
            if follow.muted and follow.kind == "outlet"
        ]
        for follow in follows:
            if follow.muted and follow.kind == "outlet":
                continue
            stories = _stories_of(db, follow, redirect)
            if follow.muted:
                self._muted.update(stories)
                continue
            for story in stories:
                self.because[story] = (*self.because.get(story, ()), follow)

    def mutes(self, story: StoryRow) -> bool:
        """Return whether a story is muted, by itself or with all its outlets, or hidden."""
        if story.hidden or story.id in self._muted:
            return True
        return bool(story.sources) and all(self.mutes_outlet(name) for name, _ in story.sources)

    def mutes_outlet(self, name: str | None) -> bool:
        """Return whether an outlet is muted."""
        return bool(name) and any(outlet_names(one, [str(name)]) for one in self._muted_outlets)


def _stories_of(db: Readable, follow: Follow, redirect: Callable[[int], int]) -> Collection[int]:
    """Return the numbers of the stories that something followed chooses."""
    if follow.kind == "story":
        return [redirect(int(follow.target))]
    node: Node | None = (
        parse(follow.target)
        if follow.kind == "query"
        else Outlet(tuple(search_words(follow.target)))
    )
    return [] if node is None else Finder(db, node).relevance()


def _follow(row: Row) -> Follow:
    number, kind, target, muted, created = row
    return Follow(number, kind, target, bool(muted), to_time(created))
