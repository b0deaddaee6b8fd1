"""Corrections as they are asked for, stored and carried out."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, NamedTuple

CorrectionKind = Literal["merge", "split", "move", "rename", "pin", "unpin", "hide", "show", "undo"]
CorrectionStatus = Literal["waiting", "done", "refused", "undone"]

REGROUPING = ("merge", "split", "move")
"""The kinds of corrections that change which articles a story has."""
MARKS = ("rename", "pin", "unpin", "hide", "show")
"""The kinds of corrections that change how a story is shown."""
MAX_TITLE = 300
"""The most characters of a title that a person gives."""
MAX_EDITOR = 100
MAX_ARTICLES = 10_000
"""The most articles of one correction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionRequest:
    """What a person asks for.

    `merge`: `story` becomes part of `target`. `split`: `articles` of `story` become one of their
    own. `move`: `articles` go to `target`. `rename`: `story` gets `title`. `undo`: the correction
    `undoes` is taken back. `seen` is the number of the last event that the person had seen.
    """

    kind: CorrectionKind
    story: int | None = None
    target: int | None = None
    articles: tuple[str, ...] = ()
    title: str | None = None
    undoes: int | None = None
    seen: int | None = None
    editor: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionRow(CorrectionRequest):
    """A correction as it is stored. `answer` says in a sentence what became of it."""

    number: int
    asked: datetime
    status: CorrectionStatus
    answered: datetime | None
    answer: str
    effect: Mapping[str, Any] = field(default_factory=dict)
    """What it takes to undo it."""

    @property
    def founded(self) -> int | None:
        """The story that was split off."""
        return self.effect.get("founded")


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """What a correction changes in the store beside decisions, stories and the engine's state."""

    number: int
    answer: str
    effect: Mapping[str, Any]
    stories: tuple[int, ...]
    """The stories that it is about."""
    placed: tuple[str, ...] = ()
    """The articles that are where a person placed them."""
    moved: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Articles from before the window: the story of each, before and after."""
    undoes: int | None = None
    restored: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """Stories that are no longer part of another one, and those that are part of each."""


class Marks(NamedTuple):
    """How people want a story to be shown."""

    title: str | None = None
    title_by: str | None = None
    pinned: bool = False
    hidden: bool = False
