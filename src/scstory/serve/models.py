"""What the API takes and gives, as OpenAPI describes it."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from scstory.store.views import ArticleRow, StoryRow, Timeline

EventKind = Literal["new", "grew", "moved", "ended", "merged"]


class Problem(BaseModel):
    """Why a request was not answered."""

    detail: str


class SourceOut(BaseModel):
    """An outlet, and how many articles it gave."""

    name: str
    articles: int


class TimelineOut(BaseModel):
    """How many articles fell into each stretch of time."""

    start: datetime
    step_seconds: int
    counts: list[int]


class KeySentenceOut(BaseModel):
    """A story-indicative sentence; a weight of 1 is the even share in its article."""

    text: str
    article: str
    weight: float


class StoryOut(BaseModel):
    """A story as lists show it."""

    id: int
    url: str = Field(description="The story's page here.")
    title: str
    keywords: list[str]
    key_sentences: list[KeySentenceOut]
    first_seen: datetime
    last_seen: datetime
    size: int = Field(description="How many articles tell it.")
    confidence: float = Field(description="How well its articles fit it, on average.")
    active: bool = Field(description="Whether it has an article in the window.")
    momentum: float = Field(
        description="How many articles it has, where one counts half as much with every day."
    )
    sources: list[SourceOut]
    timeline: TimelineOut
    last_event: int = Field(description="The number of the latest event of this story.")


class StoryPage(BaseModel):
    """Some stories, and the cursor of those that follow."""

    stories: list[StoryOut]
    next: str | None


class RelatedOut(BaseModel):
    """A story near another."""

    id: int
    url: str
    title: str
    size: int
    last_seen: datetime


class StoryDetail(StoryOut):
    """A story, with its whole life as timeline and the stories near it."""

    related: list[RelatedOut]


class CopyOut(BaseModel):
    """Where else an article appeared."""

    id: str
    title: str
    url: str | None
    source: str | None


class ArticleOut(BaseModel):
    """An article and where it went. Not decided yet: no story."""

    id: str
    date: datetime
    title: str
    url: str | None
    source: str | None
    language: str | None
    story: int | None
    confidence: float | None
    new: bool = Field(description="Whether it founded its story.")
    copies: list[CopyOut]


class ArticleDetail(ArticleOut):
    """An article with its text."""

    text: str


class ArticlePage(BaseModel):
    """Some articles of a story, the latest first, and the cursor of those that follow."""

    articles: list[ArticleOut]
    next: str | None


class SentenceOut(BaseModel):
    """A sentence and how much it counted. All weights of an article add up to 1."""

    text: str
    weight: float


class RunnerUpOut(BaseModel):
    """A story an article could have joined."""

    story: int
    title: str | None
    confidence: float


class ExplanationOut(BaseModel):
    """Why an article is in its story, as it was decided."""

    article: str
    story: int
    confidence: float
    new: bool
    parts: dict[str, float]
    sentences: list[SentenceOut]
    runners_up: list[RunnerUpOut]


class ArticleIn(BaseModel):
    """An article to take in."""

    model_config = ConfigDict(extra="ignore")

    id: str = Field(min_length=1, max_length=500, description="Yours; must not change.")
    date: str = Field(description="ISO 8601 or RFC 2822; UTC unless it says otherwise.")
    title: str
    text: str = Field(min_length=1)
    url: str | None = Field(None, max_length=10_000)
    source: str | None = Field(None, max_length=1_000)
    language: str | None = Field(None, max_length=50)


class ReceiptOut(BaseModel):
    """What became of one article of a request."""

    article: str | None
    status: Literal["accepted", "known", "duplicate", "rejected"]
    of: str | None = Field(description="The article it is a copy of.")
    reason: str | None = Field(description="Why it was rejected.")


class Receipts(BaseModel):
    """What became of each article, in the order sent."""

    receipts: list[ReceiptOut]


class MatchIn(BaseModel):
    """A text to place."""

    title: str = Field("", max_length=10_000)
    text: str = Field(min_length=1, max_length=100_000)
    language: str | None = Field(None, max_length=50)


class MatchOut(BaseModel):
    """The story a text would join; none if it would found a new one."""

    story: int | None
    title: str | None
    confidence: float
    parts: dict[str, float]
    runners_up: list[RunnerUpOut]


class PointOut(BaseModel):
    """A story's place on the map."""

    id: int
    url: str
    title: str
    size: int
    momentum: float
    last_seen: datetime
    x: float
    y: float


class MapOut(BaseModel):
    """The window's stories in two dimensions: near means alike."""

    points: list[PointOut]


class WebhookIn(BaseModel):
    """Whom to tell of events."""

    url: str = Field(min_length=1, max_length=2_000)
    kinds: list[EventKind] = Field(
        ["new", "grew", "moved", "ended", "merged"], min_length=1, description="Which events."
    )
    secret: str | None = Field(
        None, min_length=16, max_length=200, description="To sign with; made if not given."
    )


class WebhookOut(BaseModel):
    """A webhook and how it fares."""

    number: int
    url: str
    kinds: list[EventKind]
    created: datetime
    delivered: int = Field(description="The number of the last event delivered.")
    failures: int = Field(description="Attempts that failed since the last that did not.")
    next_try: datetime | None
    problem: str | None


class WebhookMade(WebhookOut):
    """A webhook just registered, with its secret, which is shown only now."""

    secret: str


class WebhookList(BaseModel):
    """All webhooks."""

    webhooks: list[WebhookOut]


class FeedIn(BaseModel):
    """A feed to follow."""

    url: str = Field(
        min_length=1, max_length=2_000, description="A feed, a page that names one, newsapi:QUERY."
    )
    unchecked: bool = Field(False, description="Do not fetch it first; it must be a feed.")


class FeedOut(BaseModel):
    """A feed that is followed and how it fares."""

    url: str
    title: str
    fetched: datetime | None = Field(description="When it last answered.")
    found: datetime | None = Field(description="When it last had something new.")
    failures: int = Field(description="Looks that failed since the last that did not.")
    problem: str | None


class FeedMade(BaseModel):
    """What a request to follow a feed came to: its address may be another than the one given."""

    url: str
    title: str
    added: bool = Field(description="False if it was followed already.")
    items: int | None = Field(description="How many items it has now, if it was looked at.")


class FeedList(BaseModel):
    """All feeds that are followed, failing ones first."""

    feeds: list[FeedOut]


def timeline_out(timeline: Timeline) -> TimelineOut:
    """Return a timeline as the API gives it."""
    return TimelineOut(
        start=timeline.start,
        step_seconds=int(timeline.step.total_seconds()),
        counts=list(timeline.counts),
    )


def story_out(row: StoryRow) -> StoryOut:
    """Return a story as the API gives it."""
    assert row.timeline is not None
    return StoryOut(
        id=row.id,
        url=f"/stories/{row.id}",
        title=row.title,
        keywords=list(row.keywords),
        key_sentences=[
            KeySentenceOut(text=s.text, article=s.article, weight=s.weight)
            for s in row.key_sentences
        ],
        first_seen=row.first_seen,
        last_seen=row.last_seen,
        size=row.size,
        confidence=round(row.confidence, 6),
        active=row.active,
        momentum=round(row.momentum, 6),
        sources=[SourceOut(name=name, articles=number) for name, number in row.sources],
        timeline=timeline_out(row.timeline),
        last_event=row.last_event,
    )


def story_detail(row: StoryRow, life: Timeline, related: list[StoryRow]) -> StoryDetail:
    """Return a story with its life and what is near it."""
    values = story_out(row).model_dump()
    values["timeline"] = timeline_out(life)
    values["related"] = [
        RelatedOut(
            id=r.id, url=f"/stories/{r.id}", title=r.title, size=r.size, last_seen=r.last_seen
        )
        for r in related
    ]
    return StoryDetail(**values)


def article_out(row: ArticleRow) -> ArticleOut:
    """Return an article as lists give it."""
    return ArticleOut(
        id=row.id,
        date=row.published,
        title=row.title,
        url=row.url,
        source=row.source,
        language=row.language,
        story=row.story,
        confidence=None if row.confidence is None else round(row.confidence, 6),
        new=row.new,
        copies=[CopyOut(**copy._asdict()) for copy in row.copies],
    )
