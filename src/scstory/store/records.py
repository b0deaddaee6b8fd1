"""What a store hands out and is asked for: rows as objects, receipts, queries."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from datetime import date, datetime
from typing import Literal, NamedTuple, Self

from scstory.store.timeline import Timeline
from scstory.text.language import ENGLISH
from scstory.types import Article, Edition, RunnerUp, Story

Sort = Literal["momentum", "latest", "size", "relevance"]
MAX_ID = 2**63 - 1
"""The largest number that a database can hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryRow(Story):
    """A story as it is stored, with what its articles say of it.

    `active` says that the story has an article in the window. `sources` counts the articles of
    each outlet, copies included: by source, or else by the host of the address. `timeline` counts
    those of the last two weeks. `last_event` is the number of the story's latest event.
    """

    momentum: float
    sources: tuple[tuple[str, int], ...]
    timeline: Timeline
    last_event: int
    title_by: str | None = None
    """The person whose title it has."""
    pinned: bool = False
    hidden: bool = False

    @property
    def story(self) -> Story:
        """The story alone."""
        return Story(*(getattr(self, field.name) for field in fields(Story)))

    def told_in(self, languages: Sequence[str]) -> Self:
        """Return the story with title and summary in the first of some languages that it has.

        What was the title and the summary is then among the editions. A title that a person gave
        stays.
        """
        there = {edition.language: edition for edition in self.editions}
        known = (one for one in languages if one == self.language or one in there)
        if (chosen := there.get(next(known, ""))) is None:
            return self
        title = (self.title, self.title_article)
        own = Edition(self.language or ENGLISH, *title, self.summary)
        if self.title_by is None:
            title = (chosen.title, chosen.title_article)
        return replace(
            self,
            title=title[0],
            title_article=title[1],
            summary=chosen.summary,
            language=chosen.language,
            editions=(own, *(one for one in self.editions if one is not chosen)),
        )


class Copy(NamedTuple):
    """Another place in which an article appeared."""

    id: str
    title: str
    url: str | None
    source: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleRow(Article):
    """An article as it is stored, with the decision on it; `story` is None until there is one.

    Articles are numbered (`sequence`) in the order in which they were committed. `late` says that
    the article came when its time had left the window.
    """

    sequence: int
    late: bool
    story: int | None
    confidence: float | None
    new: bool
    weights: tuple[float, ...]
    runners_up: tuple[RunnerUp, ...]
    evidence: dict[str, float]
    copies: tuple[Copy, ...] = ()
    correction: int | None = None
    """The correction by which a person placed it in its story."""

    @property
    def compacted(self) -> bool:
        """Whether its text was dropped to save space, with the weights of its sentences."""
        return self.story is not None and not self.text and not self.weights

    @property
    def article(self) -> Article:
        """The article alone."""
        return Article(*(getattr(self, field.name) for field in fields(Article)))


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of an article that was offered.

    `accepted`: it is stored and will be decided. `known`: the same article was offered before.
    `duplicate`: it repeats the article `of`: the same page, the same text or the same id.
    """

    article: str
    status: Literal["accepted", "known", "duplicate"]
    of: str | None = None


class Event(NamedTuple):
    """Something that happened to a story, with the story's title and size as of now.

    `new` and `grew`: the articles founded or joined the story. `moved`: they came to it from
    another story. `ended`: the story left the window. `merged`: it is now part of the story
    `becomes`. `corrected`: a person corrected something about the story.
    """

    number: int
    kind: Literal["new", "grew", "moved", "ended", "merged", "corrected"]
    story: int
    articles: tuple[str, ...]
    time: datetime
    becomes: int | None
    title: str | None
    size: int | None


class Decision(NamedTuple):
    """The decision on an article, as far as a list of decisions shows it."""

    sequence: int
    article: str
    published: datetime
    story: int | None
    confidence: float | None
    new: bool


class DayCount(NamedTuple):
    """How many articles a day has, and of how many stories they are."""

    day: date
    articles: int
    stories: int


class DayStory(NamedTuple):
    """A story on one of its days: that day's articles, and its size at the end of the day."""

    story: StoryRow
    articles: tuple[ArticleRow, ...]
    size: int


class Outlet(NamedTuple):
    """An outlet, how many articles of a story it has, and when it had the first of them."""

    name: str
    articles: int
    first: datetime


@dataclass(frozen=True, slots=True)
class Parked:
    """An article that could not be decided, the reason, and since when it is parked."""

    article: Article
    reason: str
    since: datetime


class Counts(NamedTuple):
    """How much a store holds. `waiting` articles are accepted and not decided yet."""

    articles: int
    stories: int
    active: int
    outlets: int
    waiting: int
    parked: int


@dataclass(frozen=True, slots=True)
class Condition:
    """The state of a store: what it holds, and everything that is wrong with it."""

    schema: int
    articles: int
    stories: int
    inbox: int
    parked: int
    bytes: int
    problems: tuple[str, ...]


class Version(NamedTuple):
    """A number for the state of the store that changes whenever a reader could see something new.

    `horizon` is the time since when an article counts as of the present, or "" where the whole
    window of the engine does.
    """

    commits: int
    event: int
    copy: int
    horizon: str = ""
    rewritten: int = 0

    def __str__(self) -> str:
        return f"{self.commits}.{self.event}.{self.copy}.{self.horizon[:16]}.{self.rewritten}"


@dataclass(frozen=True, slots=True)
class StoryQuery:
    """Which stories, in which order. A story matches a range of time if it touches the range."""

    text: str = ""
    active: bool | None = None
    since: datetime | None = None
    until: datetime | None = None
    min_size: int = 1
    max_size: int | None = None
    sort: Sort = "latest"
    section: int | None = None
    """The section that the stories are in."""
    thread: int | None = None
    """The number of a story in the thread that the stories are in."""


class Cursor(NamedTuple):
    """Where the last page ended: the sort key and the id of its last item."""

    key: float | str
    id: int
