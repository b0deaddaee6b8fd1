"""What people correct, as an engine and its method are told of it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from scstory.discovery.window import Ints, Window
from scstory.types import Story


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A correction of the stories of a window.

    Articles are named by their ids, and all of them must be in the window and decided. What the
    correction says holds for good, until another one retracts it.
    """

    number: int
    """By which it can be retracted."""
    moves: Mapping[str, int] = field(default_factory=dict)
    """The articles that go to another story, and its number."""
    holds: tuple[str, ...] = ()
    """The articles that stay in the story that they are in after the moves."""
    barred: Mapping[str, int] = field(default_factory=dict)
    """Articles, and a story that each of them must not join."""
    apart: tuple[tuple[int, int], ...] = ()
    """Stories that must not be joined."""
    merged: Mapping[int, int] = field(default_factory=dict)
    """Stories that are part of another one, with all that has left the window."""
    revived: tuple[Story, ...] = ()
    """Ended stories to which articles of the window go."""
    past: Mapping[int, int] = field(default_factory=dict)
    """By how many articles from before the window a story becomes larger."""
    retracts: int = 0
    """The correction that no longer holds; 0 for none."""


def place(window: Window, correction: Correction) -> tuple[Ints, Ints]:
    """Put articles where a correction says; return the rows that it moves, and those that it holds.

    The confidence in what people decided is 1.
    """
    row_of = {name: row for row, name in enumerate(window.members.ids)}
    moved = _rows(row_of, correction.moves)
    window.story[moved] = list(correction.moves.values())
    held = _rows(row_of, correction.holds)
    window.confidence[np.union1d(moved, held)] = 1.0
    return moved, held


def _rows(row_of: Mapping[str, int], articles: Iterable[str]) -> Ints:
    return np.array([row_of[article] for article in articles], dtype=np.int64)
