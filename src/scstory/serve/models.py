"""The objects that the API takes and returns, as OpenAPI describes them.

Output models read the attributes of the store's rows, so a row's fields are named in one place.
"""

from datetime import date, datetime, timedelta
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, computed_field

EventKind = Literal["new", "grew", "moved", "ended", "merged"]
Rounded = Annotated[float, AfterValidator(lambda value: round(value, 6))]
Seconds = Annotated[int, BeforeValidator(lambda step: int(timedelta.total_seconds(step)))]


class _Output(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    @classmethod
    def from_row(cls, row: Any, **more: Any) -> Self:
        """Return the values of a row, some of them added or replaced."""
        names = cls.model_fields.keys() - more.keys()
        return cls.model_validate({**{name: getattr(row, name) for name in names}, **more})


class Problem(BaseModel):
    """The reason why a request failed."""

    detail: str


class SourceOut(BaseModel):
    """An outlet and its number of articles."""

    name: str
    articles: int


def _named(sources: Any) -> list[SourceOut]:
    return [SourceOut(name=name, articles=articles) for name, articles in sources]


class TimelineOut(_Output):
    """The number of articles in each step of time."""

    start: datetime
    step_seconds: Seconds = Field(validation_alias="step")
    counts: list[int]


class KeySentenceOut(_Output):
    """A story-indicative sentence; a weight of 1 is the even share in its article."""

    text: str
    article: str
    weight: float


class QuoteOut(_Output):
    """A sentence, and the article that it stands in."""

    text: str
    article: str


class MilestoneOut(QuoteOut):
    """A day on which something new was said, and the sentence that says it."""

    day: date


class HeadlineOut(QuoteOut):
    """An earlier title of a story, and the article that it is of."""

    until: datetime = Field(description="The time of the news that replaced it.")


class RelatedOut(_Output):
    """A story that is similar to another one."""

    id: int
    title: str
    size: int = Field(description="The number of its articles.")
    last_seen: datetime

    @computed_field(description="The path of the story's page.")  # type: ignore[prop-decorator]
    @property
    def url(self) -> str:
        """The path of the story's page."""
        return f"/stories/{self.id}"


class StoryOut(RelatedOut):
    """A story as lists show it."""

    title_article: str | None = Field(description="The article whose title it is, if known.")
    keywords: list[str]
    summary: list[QuoteOut] = Field(
        description="Sentences of its articles, to be read in their order."
    )
    key_sentences: list[KeySentenceOut]
    first_seen: datetime
    confidence: Rounded = Field(description="The mean confidence of its articles.")
    active: bool = Field(description="Whether it has an article in the window.")
    momentum: Rounded = Field(
        description="The number of its articles, where the weight of each halves every day."
    )
    sources: Annotated[list[SourceOut], BeforeValidator(_named)]
    timeline: TimelineOut
    last_event: int = Field(description="The number of the story's latest event.")


class StoryPage(_Output):
    """A page of stories, and the cursor of the next page."""

    stories: list[StoryOut]
    next: str | None
    suggestion: str | None = Field(
        description="For a search that finds nothing: one with other spellings that does."
    )
    reason: str | None = Field(
        description="For a search that finds nothing: the words that are in no article."
    )


class StoryDetail(StoryOut):
    """A story with how it developed, a timeline of its whole life, and similar stories."""

    milestones: list[MilestoneOut] = Field(description="In the order of time.")
    headlines: list[HeadlineOut] = Field(description="Its earlier titles, the oldest first.")
    related: list[RelatedOut]


class PointOut(RelatedOut):
    """A story's place on the map."""

    momentum: Rounded
    x: float
    y: float


class MapOut(BaseModel):
    """The stories of the window in two dimensions: similar stories are near each other."""

    points: list[PointOut]


class CopyOut(_Output):
    """Another publication of an article."""

    id: str
    title: str
    url: str | None
    source: str | None


class ArticleOut(_Output):
    """An article and its story, which is null until the article is decided."""

    id: str
    date: datetime = Field(validation_alias="published")
    title: str
    url: str | None
    source: str | None
    language: str | None
    story: int | None
    confidence: Rounded | None
    new: bool = Field(description="Whether it founded its story.")
    copies: list[CopyOut]


class ArticleDetail(ArticleOut):
    """An article with its text."""

    text: str


class ArticlePage(_Output):
    """A page of a story's articles, the latest first, and the cursor of the next page."""

    articles: list[ArticleOut]
    next: str | None


class SentenceOut(BaseModel):
    """A sentence and its weight. The weights of an article add up to 1."""

    text: str
    weight: float


class RunnerUpOut(_Output):
    """A story that an article could have joined."""

    story: int
    title: str | None
    confidence: Rounded


class ExplanationOut(_Output):
    """Why an article is in its story, as of its decision."""

    article: str
    story: int
    confidence: Rounded
    new: bool
    evidence: dict[str, Rounded]
    sentences: list[SentenceOut]
    runners_up: list[RunnerUpOut]


class ArticleIn(BaseModel):
    """An article to accept."""

    model_config = ConfigDict(extra="ignore")

    id: str = Field(min_length=1, max_length=500, description="Your id, which must not change.")
    date: str = Field(description="ISO 8601 or RFC 2822; UTC unless it has a time zone.")
    title: str
    text: str = Field(description="May be empty if there is a title.")
    url: str | None = Field(None, max_length=10_000)
    source: str | None = Field(None, max_length=1_000)
    language: str | None = Field(None, max_length=50)


class ReceiptOut(_Output):
    """The result for one article of a request."""

    article: str | None
    status: Literal["accepted", "known", "duplicate", "rejected"]
    of: str | None = Field(description="The article of which it is a copy.")
    reason: str | None = Field(description="Why it was rejected.")


class Receipts(BaseModel):
    """The results for all articles of a request, in the same order."""

    receipts: list[ReceiptOut]


class MatchIn(BaseModel):
    """A text whose story is wanted."""

    title: str = Field("", max_length=10_000)
    text: str = Field(min_length=1, max_length=100_000)
    language: str | None = Field(None, max_length=50)


class MatchOut(_Output):
    """The story that a text would join; null if it would found a new one."""

    story: int | None
    title: str | None
    confidence: Rounded
    evidence: dict[str, Rounded]
    runners_up: list[RunnerUpOut]


class WebhookIn(BaseModel):
    """An address to which events are delivered."""

    url: str = Field(min_length=1, max_length=2_000)
    kinds: list[EventKind] = Field(
        ["new", "grew", "moved", "ended", "merged"], min_length=1, description="Which events."
    )
    secret: str | None = Field(
        None, min_length=16, max_length=200, description="The signing key; made if not given."
    )


class WebhookOut(_Output):
    """A webhook and the state of its deliveries."""

    number: int
    url: str
    kinds: list[EventKind]
    created: datetime
    delivered: int = Field(description="The number of the last event delivered.")
    failures: int = Field(description="Failed attempts since the last success.")
    next_try: datetime | None
    problem: str | None


class WebhookMade(WebhookOut):
    """A new webhook with its secret, which is not shown again."""

    secret: str


class WebhookList(_Output):
    """All webhooks."""

    webhooks: list[WebhookOut]


class FeedIn(BaseModel):
    """A feed to follow."""

    url: str = Field(
        min_length=1,
        max_length=2_000,
        description="A feed, a page that links to one, or newsapi:QUERY. If the scheme is left "
        "out, https:// is tried and then http://.",
    )
    unchecked: bool = Field(False, description="Do not fetch it first; it must be a feed.")
    section: str = Field("", max_length=300, description="Where to list it: 'News / Local'.")


class FeedOut(_Output):
    """A feed that is followed and the state of its polling."""

    url: str
    title: str
    section: str = Field(description="The folders of the list that it came with.")
    fetched: datetime | None = Field(description="When it last responded.")
    found: datetime | None = Field(description="When it last had something new.")
    failures: int = Field(
        validation_alias="errors", description="Failed polls since the last success."
    )
    problem: str | None = Field(validation_alias="error")


class FeedMade(BaseModel):
    """The feed that is followed after a request; its address may differ from the one given."""

    url: str
    title: str
    added: bool = Field(description="False if it was followed already.")
    items: int | None = Field(description="The number of its items, if it was fetched.")


class FeedsImported(BaseModel):
    """What became of a list of feeds."""

    added: int
    known: int = Field(description="How many were followed already.")
    problems: list[str]


class FeedList(_Output):
    """All feeds that are followed, failing ones first."""

    feeds: list[FeedOut]
