"""Corrections as the API takes and returns them."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from scstory.serve.models import Problem
from scstory.store.correction_records import (
    MAX_ARTICLES,
    MAX_EDITOR,
    MAX_TITLE,
    CorrectionKind,
    CorrectionStatus,
)
from scstory.store.records import MAX_ID

Number = Annotated[int, Field(ge=1, le=MAX_ID)]


class CorrectionIn(BaseModel):
    """A correction to make.

    `merge` makes `story` part of `target`; `split` makes `articles` of `story` a story of their
    own; `move` moves `articles` to `target`; `rename` gives `story` a `title`; `pin`, `unpin`,
    `hide` and `show` say how `story` is listed; `undo` takes the correction `undoes` back.
    """

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"kind": "merge", "story": 12, "target": 7}]},
    )

    kind: CorrectionKind
    story: Number | None = None
    target: Number | None = None
    articles: list[Annotated[str, Field(max_length=500)]] = Field([], max_length=MAX_ARTICLES)
    title: str | None = Field(None, max_length=MAX_TITLE)
    undoes: Number | None = None
    editor: str = Field("editor", min_length=1, max_length=MAX_EDITOR, description="Who corrects.")
    seen: int | None = Field(
        None,
        ge=0,
        le=MAX_ID,
        description="`last_event` of the story as it was seen. If somebody else has corrected the "
        "same stories since, the answer is 409 and nothing is done.",
    )


class CorrectionOut(BaseModel):
    """A correction, and what became of it."""

    model_config = ConfigDict(from_attributes=True)

    number: int
    kind: CorrectionKind
    story: int | None
    target: int | None
    articles: list[str]
    title: str | None
    undoes: int | None
    founded: int | None = Field(description="The story that was split off.")
    editor: str
    asked: datetime
    status: CorrectionStatus = Field(description="`waiting` until the writer gets to it.")
    answered: datetime | None
    answer: str = Field(description="What was done, or why it was not, in a sentence.")


class CorrectionList(BaseModel):
    """Corrections, the latest first."""

    corrections: list[CorrectionOut]


class Conflict(Problem):
    """Why a correction was not made: what others corrected meanwhile."""

    changes: list[str]
