"""What all compared systems share: parameters with tuning grids, and deciding slide by slide."""

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from scstory.config import parse_duration
from scstory.discovery.method import Decision, Method, MethodState, Scope, prefixed, unprefixed
from scstory.discovery.settings import MethodSettings
from scstory.discovery.window import Ints
from scstory.errors import ConfigError
from scstory.text import field_of, terms
from scstory.types import EncodedArticle

DAY = 86_400.0
"""Seconds."""


class Range(NamedTuple):
    """A parameter: its untuned value, the values that tuning tries, and its natural limits."""

    default: float | str
    grid: tuple[float, ...] = ()
    """In ascending order; empty if the parameter is not tuned."""
    limits: tuple[float, float] = (0, math.inf)
    """The least and the greatest value that make sense."""

    def on_edge(self, value: float) -> bool:
        """Say whether a tuned value ends the grid where larger or smaller ones make sense.

        >>> Range(0.5, (0.3, 0.5, 0.7)).on_edge(0.7), Range(0.5, (0, 0.5, 1), (0, 1)).on_edge(1)
        (True, False)
        """
        ends = (self.grid[0], self.grid[-1]) if len(self.grid) > 1 else ()
        return value in ends and value not in self.limits


MEMORY = Range("")
"""The parameter `memory`: how long after its newest article a cluster can still be joined, such as
365d. If it is empty, only for as long as one of its articles is in the window."""


@dataclass(frozen=True, kw_only=True)
class BaselineSettings(MethodSettings):
    """What a compared system is run with."""

    pse: bool = False
    """Compare articles by the mean of their sentence vectors instead of by native features."""
    parameters: Mapping[str, float | str] = field(default_factory=dict)
    """Values of the system's own parameters."""


class Baseline(Method):
    """A compared system. It decides on the articles of a slide when the slide closes.

    A subclass names its parameters in `ranges`, with others in `pse_ranges` if the variant on
    sentence vectors has others, and decides in `decide`; what it remembers beyond the window it
    returns from `remember` and takes back in `recall`.
    """

    ranges: ClassVar[Mapping[str, Range]] = {}
    pse_ranges: ClassVar[Mapping[str, Range] | None] = None
    """The parameters of the variant on sentence vectors; None if they are the same."""
    library: ClassVar[str | None] = None
    """A library of the extra `research` without which the system does not run."""

    def __init__(
        self, *, pse: bool = False, window: str = "7d", slide: str = "1d", **parameters: Any
    ) -> None:
        ranges = self.ranges_of(pse=pse)
        for name in parameters:
            if name not in ranges:
                known = ", ".join(ranges) or "none"
                raise ConfigError(
                    f"parameter {name!r} of {self.name + '+pse' * pse}: there are {known}"
                )
        self.pse = pse
        self.parameters: dict[str, Any] = {n: r.default for n, r in ranges.items()} | parameters
        if memory := self.parameters.get("memory"):
            parse_duration(memory, what="memory")
        self.settings = BaselineSettings(
            window=window, slide=slide, pse=pse, parameters=self.parameters
        ).checked()

    @classmethod
    def ranges_of(cls, *, pse: bool) -> Mapping[str, Range]:
        """Return the parameters of the native system, or of its variant on sentence vectors."""
        return cls.ranges if cls.pse_ranges is None or not pse else cls.pse_ranges

    @property
    def description(self) -> str:
        """What a table must say of how the system was run; usually nothing."""
        return ""

    def remembered_since(self, scope: Scope) -> float:
        """Return from when on articles keep their clusters, in seconds; inf without `memory`."""
        if not (memory := self.parameters.get("memory")):
            return math.inf
        return scope.end() - parse_duration(memory, what="memory").total_seconds()

    @abstractmethod
    def decide(self, scope: Scope, new: Ints) -> None:
        """Set the stories of the new rows in the window, and of earlier ones that change."""

    def remember(self) -> tuple[dict[str, Any], Mapping[str, NDArray[Any]]]:
        """Return what the system knows beyond the window, JSON-able and numeric."""
        return {}, {}

    def recall(
        self, scope: Scope, meta: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
    ) -> None:
        """Take back what `remember` returned."""

    def assign(self, scope: Scope, new: Ints) -> list[Decision]:
        """Hold articles back until their slide closes."""
        return []

    def review(self, scope: Scope, new: Ints) -> list[Decision]:
        """Decide on the articles of the slide that closes."""
        if not len(new):
            return []
        window = scope.window
        before = window.story.copy()
        self.decide(scope, new)
        assert window.story.min() >= 0, "every article must get a story"
        window.confidence[new] = 1.0
        window["weights"][:] = np.repeat(1 / window.lengths, window.lengths)
        changed = np.flatnonzero(window.story != before)
        return [Decision(i, int(window.story[i])) for i in changed.tolist()]

    def state(self) -> MethodState:
        """Return what the system remembers."""
        meta, arrays = self.remember()
        return MethodState(meta, prefixed("own", arrays))

    def restore(self, scope: Scope, state: MethodState) -> None:
        """Go back to what `state` returned."""
        self.recall(scope, state.meta, unprefixed("own", state.arrays))


def article_terms(member: EncodedArticle) -> list[str]:
    """Return the terms of an article's title and text."""
    return terms(f"{member.article.title}\n{member.article.text}", member.reading.language)


def term_table(scope: Scope, rows: Ints | slice) -> csr_array:
    """Return how often articles of the window have each term of title and text."""
    return field_of(scope.window.term_table("term_counts", rows), 0)


def mean_vector(member: EncodedArticle) -> NDArray[np.float64]:
    """Return the mean of an article's sentence vectors, of unit length: the +PSE feature."""
    mean = member.vectors.mean(axis=0, dtype=np.float64)
    return np.asarray(mean / max(float(np.linalg.norm(mean)), 1e-12))
