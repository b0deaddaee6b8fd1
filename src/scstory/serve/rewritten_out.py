"""A rewritten summary, as the API returns it."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict


class CitedOut(BaseModel):
    """A sentence that a language model wrote, and the articles that it cites."""

    model_config = ConfigDict(from_attributes=True)

    text: str
    articles: list[str]


class RewrittenOut(BaseModel):
    """The summary as a language model rewrote it, which the user of this service configured."""

    model_config = ConfigDict(from_attributes=True)

    sentences: list[CitedOut]
    model: str
    made: datetime
