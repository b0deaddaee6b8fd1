"""The objects of the API that say what is followed, and who is told: feeds, follows, webhooks."""

from datetime import datetime
from typing import get_args

from pydantic import AliasChoices, BaseModel, Field

from scstory.serve.models import EventKind, StoryOut
from scstory.serve.output import Output
from scstory.store.follows import FollowKind
from scstory.store.records import MAX_ID
from scstory.store.search.query import MAX_CHARACTERS


class WebhookIn(BaseModel):
    """An address to which events are delivered."""

    url: str = Field(min_length=1, max_length=2_000)
    kinds: list[EventKind] = Field(
        list(get_args(EventKind)), min_length=1, description="Which events."
    )
    story: int | None = Field(
        None, ge=1, le=MAX_ID, description="Only the events of this story, also once it is merged."
    )
    query: str | None = Field(
        None,
        min_length=1,
        max_length=MAX_CHARACTERS,
        description="Only the events of stories that this query finds.",
    )
    secret: str | None = Field(
        None, min_length=16, max_length=200, description="The signing key; made if not given."
    )


class WebhookOut(Output):
    """A webhook and the state of its deliveries."""

    number: int
    url: str
    kinds: list[EventKind]
    story: int | None
    query: str | None
    created: datetime
    delivered: int = Field(description="The number of the last event delivered.")
    failures: int = Field(description="Failed attempts since the last success.")
    next_try: datetime | None
    problem: str | None


class WebhookMade(WebhookOut):
    """A new webhook with its secret, which is not shown again."""

    secret: str


class WebhookList(Output):
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


class FeedOut(Output):
    """A feed that is followed and the state of its polling."""

    url: str
    title: str
    section: str = Field(description="The folders of the list that it came with.")
    fetched: datetime | None = Field(description="When it last responded.")
    found: datetime | None = Field(description="When it last had something new.")
    failures: int = Field(
        validation_alias=AliasChoices("errors", "failures"),
        description="Failed polls since the last success.",
    )
    problem: str | None = Field(validation_alias=AliasChoices("error", "problem"))


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


class FeedList(Output):
    """All feeds that are followed, failing ones first."""

    feeds: list[FeedOut]


class FollowIn(BaseModel):
    """Something to follow, or to mute."""

    kind: FollowKind
    target: str = Field(
        min_length=1,
        max_length=MAX_CHARACTERS,
        description="The number of a story, a query, or the name of an outlet.",
    )
    muted: bool = Field(False, description="Mute it instead.")


class FollowOut(Output):
    """Something that is followed or muted."""

    number: int
    kind: FollowKind
    target: str
    muted: bool
    created: datetime
    url: str = Field(description="The path of the page that shows it.")


class FollowList(Output):
    """All that is followed or muted, in the order it was added."""

    follows: list[FollowOut]


class FollowedStoryOut(BaseModel):
    """A story, and the numbers of the follows that choose it."""

    story: StoryOut
    because: list[int]


class FollowedStories(BaseModel):
    """The stories that are followed and not muted, the latest news first."""

    stories: list[FollowedStoryOut]
