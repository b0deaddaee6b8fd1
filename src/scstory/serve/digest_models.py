"""The objects of the API that a digest is made of."""

from datetime import date

from pydantic import Field

from scstory.serve.output import Output


class HeadlineLink(Output):
    """An article, named."""

    id: str
    title: str
    url: str | None
    source: str | None


class DigestStoryOut(Output):
    """A story in a digest."""

    id: int
    title: str
    url: str
    began: bool = Field(description="Whether it began on the day.")
    new: int = Field(description="How many articles of the day it has.")
    size: int = Field(description="How many it had at the end of the day.")
    sentences: list[str]
    headlines: list[HeadlineLink]
    because: list[str] = Field(description="What is followed and chooses it.")


class DigestOut(Output):
    """The stories of a day; muted ones are left out."""

    day: date
    articles: int
    stories: int
    followed: list[DigestStoryOut]
    others: list[DigestStoryOut]
    singles: list[DigestStoryOut] = Field(description="Stories of one article.")
    left_out: int = Field(description="How many stories of the day are not shown.")
