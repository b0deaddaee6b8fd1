"""The seam: what a story discovery method does with the slides of a stream."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from scstory.discovery.corrections import Correction
from scstory.discovery.settings import MethodSettings
from scstory.discovery.slides import slide_start
from scstory.discovery.window import Column, Floats, Ints, Window
from scstory.errors import UsageError
from scstory.text import FIELDS, TermStatistics
from scstory.types import EncodedArticle, RunnerUp

Arrays = Mapping[str, NDArray[Any]]


class Scope:
    """What a method sees of a stream: the window, the terms of past slides, and the time.

    A method must not look at the ids, addresses or outlets of articles.
    """

    def __init__(self, settings: MethodSettings, columns: Sequence[Column]) -> None:
        self.settings = settings
        self.window = Window(columns)
        self.statistics = TermStatistics(len(FIELDS))
        """Document frequencies of the articles of past slides."""
        self.slide: int | None = None
        """The number of the current slide."""
        self.first_slide: int | None = None
        self.next_story = 1

    def new_story(self) -> int:
        """Return the number of a story that is being founded."""
        self.next_story += 1
        return self.next_story - 1

    def end(self) -> float:
        """Return when the current slide ends, in seconds."""
        assert self.slide is not None
        return slide_start(self.slide + 1, self.settings.slide_length).timestamp()


@dataclass(frozen=True, slots=True)
class Decision:
    """A row of the window and the story its article tells."""

    row: int
    story: int
    confidence: float = 1.0
    new: bool = False
    """Whether the article founded the story."""
    runners_up: tuple[RunnerUp, ...] = ()
    evidence: Mapping[str, float] = field(default_factory=dict)
    """The terms that the confidence is made of, by name."""


@dataclass(frozen=True, slots=True)
class MethodState:
    """What a method must remember beyond the window's columns.

    The names of arrays start with the name of a part and a dot; parts are saved when they change.
    `members` are articles that it holds beside those in the window.
    """

    meta: Mapping[str, Any] = field(default_factory=dict)
    arrays: Arrays = field(default_factory=dict)
    members: tuple[EncodedArticle, ...] = ()


class Method(ABC):
    """Decides on the articles of a slide, reviews them when the slide closes, and learns.

    The window's columns `story`, `confidence` and `weights` are the method's to write; each change
    of a story is also returned as a decision. One seed drives everything: the same stream gives
    the same decisions, however many calls bring its articles.
    """

    name: ClassVar[str]
    settings: MethodSettings

    def columns(self) -> Sequence[Column]:
        """Return the columns that the method adds to the window."""
        return ()

    def serve(self, languages: Collection[str] | None) -> None:  # noqa: B027
        """Take note of the languages that the encoder serves; None if it does not say."""

    @abstractmethod
    def assign(self, scope: Scope, new: Ints) -> list[Decision]:
        """Decide on new rows of the window, in order, or hold them back until the slide closes."""

    def review(self, scope: Scope, new: Ints) -> list[Decision]:
        """Look again at the window when a slide closes whose rows are `new`, which may be none.

        Returns decisions that were held back, and changes of mind.
        """
        return []

    def document_weights(self, scope: Scope, new: Ints) -> Floats:
        """Return how much each new article counts in the document frequencies of terms."""
        return np.ones(len(new))

    def learn(self, scope: Scope, new: Ints) -> None:  # noqa: B027
        """Learn from the slide that closes. The stream's statistics already include it."""

    def evict(self, scope: Scope, gone: Window) -> None:  # noqa: B027
        """Take note of articles that have left the window, which may be none."""

    def finish(self, scope: Scope) -> list[Decision]:
        """Decide on whatever is still held back, since the stream has ended for now."""
        return []

    def correct(self, scope: Scope, correction: Correction) -> list[Decision]:
        """Put articles of the window where a person says, and respect it from then on.

        Returns a decision for each article that moved.
        """
        raise UsageError(f"{self.name}: this method takes no corrections; paper and calibrated do")

    def predict(self, scope: Scope, alone: Window) -> Decision:
        """Say which story the article in a window of its own would join; change nothing else."""
        raise NotImplementedError(f"{self.name} does not predict")

    def explain(self, scope: Scope, rows: Ints) -> list[Decision]:
        """Return the present decisions on some rows, with their evidence."""
        window = scope.window
        return [Decision(int(i), int(window.story[i]), float(window.confidence[i])) for i in rows]

    def resumable(self) -> Collection[int]:
        """Return the stories without an article in the window that may still be resumed."""
        return ()

    def state(self) -> MethodState:
        """Return what is needed to go on exactly from here, beside the scope."""
        return MethodState()

    def restore(self, scope: Scope, state: MethodState) -> None:  # noqa: B027
        """Go back to what `state` returned; the scope is already restored."""


def prefixed(prefix: str, arrays: Arrays) -> dict[str, NDArray[Any]]:
    """Return arrays with a prefix before their names."""
    return {f"{prefix}.{name}": value for name, value in arrays.items()}


def unprefixed(prefix: str, arrays: Arrays) -> dict[str, NDArray[Any]]:
    """Return the arrays that have a prefix, without it."""
    start = f"{prefix}."
    return {n.removeprefix(start): value for n, value in arrays.items() if n.startswith(start)}
