"""The objects that the API takes and returns, as OpenAPI describes them.

Output models read the attributes of the store's rows, so a row's fields are named in one place; the
client reads the same models from JSON.
"""

from datetime import date, datetime, timedelta
from typing import Annotated, Any, Literal

from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    computed_field,
)

from scstory.serve.output import Output, Rounded
from scstory.serve.overview_out import AlsoAboutOut, SectionOut, ThreadOut
from scstory.serve.rewritten_out import RewrittenOut

EventKind = Literal["new", "grew", "moved", "ended", "merged", "corrected"]


def _seconds(step: Any) -> Any:
    return int(step.total_seconds()) if isinstance(step, timedelta) else step


Seconds = Annotated[int, BeforeValidator(_seconds)]


class Problem(BaseModel):
    """The reason why a request failed."""

    detail: str


class SourceOut(BaseModel):
    """An outlet and its number of articles."""

    name: str
    articles: int


def _named(sources: Any) -> Any:
    """Return the sources of a row as objects; a client gets them as such."""
    if any(isinstance(source, dict) for source in sources):
        return sources
    return [SourceOut(name=name, articles=articles) for name, articles in sources]


class TimelineOut(Output):
    """The number of articles in each step of time."""

    start: datetime
    step_seconds: Seconds = Field(validation_alias=AliasChoices("step", "step_seconds"))
    counts: list[int]


class KeySentenceOut(Output):
    """A story-indicative sentence; a weight of 1 is the even share in its article."""

    text: str
    article: str
    weight: float


class QuoteOut(Output):
    """A sentence, and the article that it stands in."""

    text: str
    article: str


class MilestoneOut(QuoteOut):
    """A day on which something new was said, and the sentence that says it."""

    day: date


class HeadlineOut(QuoteOut):
    """An earlier title of a story, and the article that it is of."""

    until: datetime = Field(description="The time of the news that replaced it.")


class EditionOut(Output):
    """The title and the summary of a story in another one of its languages."""

    language: str
    title: str
    title_article: str | None
    summary: list[QuoteOut]


class RelatedOut(Output):
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
    language: str | None = Field(None, description="The language of title and summary, if known.")
    editions: list[EditionOut] = Field(
        default_factory=list,
        description="Title and summary in the other languages that the story has articles in.",
    )
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
    title_by: str | None = Field(description="The person whose title it has, if one gave it.")
    pinned: bool = Field(description="Whether a person had it shown first.")
    hidden: bool = Field(description="Whether a person had it left out of lists.")


class StoryPage(Output):
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
    rewritten: RewrittenOut | None = Field(
        description="The summary, rewritten by a language model, if one is configured."
    )
    related: list[RelatedOut]
    thread: ThreadOut | None = Field(description="The thread that it belongs to, if to one.")
    section: SectionOut | None = Field(description="The section that it is in, if in one.")
    also_in: list["AlsoInOut"] = Field(
        description="Articles of other stories that are also about this one, the latest first."
    )


class PointOut(RelatedOut):
    """A story's place on the map."""

    momentum: Rounded
    x: float
    y: float


class MapOut(BaseModel):
    """The stories of the window in two dimensions: similar stories are near each other."""

    points: list[PointOut]


class CopyOut(Output):
    """Another publication of an article."""

    id: str
    title: str
    url: str | None
    source: str | None


class ArticleOut(Output):
    """An article and its story, which is null until the article is decided."""

    id: str
    date: datetime = Field(validation_alias=AliasChoices("published", "date"))
    title: str
    url: str | None
    source: str | None
    language: str | None
    image: str | None = Field(description="The address of an image, if the feed names one.")
    story: int | None
    confidence: Rounded | None
    new: bool = Field(description="Whether it founded its story.")
    copies: list[CopyOut]
    correction: int | None = Field(
        description="The correction by which a person placed it in its story."
    )


class AlsoInOut(Output):
    """An article of another story that is also about a story."""

    article: ArticleOut
    sentences: list[str] = Field(description="Sentences of the article that say so.")


class ArticleDetail(ArticleOut):
    """An article with its text, and the other stories that it is about."""

    text: str
    also_about: list[AlsoAboutOut]


class ArticlePage(Output):
    """A page of a story's articles, the latest first, and the cursor of the next page."""

    articles: list[ArticleOut]
    next: str | None


class ArticleList(ArticlePage):
    """A page of articles, and how many there are on all pages."""

    total: int


class SentenceOut(BaseModel):
    """A sentence and its weight. The weights of an article add up to 1."""

    text: str
    weight: float


class RunnerUpOut(Output):
    """A story that an article could have joined."""

    story: int
    title: str | None
    confidence: Rounded


class ExplanationOut(Output):
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


class ReceiptOut(Output):
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


class MatchOut(Output):
    """The story that a text would join; null if it would found a new one."""

    story: int | None
    title: str | None
    confidence: Rounded
    evidence: dict[str, Rounded]
    runners_up: list[RunnerUpOut]
