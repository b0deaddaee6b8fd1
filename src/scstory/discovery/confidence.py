"""Confidence: what the cosines of an article with a story, and the time between them, say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Gaps(NamedTuple):
    """Seconds from an article to the nearer and to the farther end of a story's span."""

    near: Floats
    far: Floats

    @classmethod
    def of(cls, time: Any, newest: Floats, oldest: Floats) -> Gaps:
        """Return the gaps between times and stories that go from `oldest` to `newest`."""
        after, before = time - newest, oldest - time
        return cls(np.maximum(np.maximum(after, before), 0), np.maximum(-before, -after))


class Confidence(Protocol):
    """How likely an article tells a story: a sum of parts, made a confidence."""

    @property
    def names(self) -> Sequence[str]:
        """What the parts are called."""

    @property
    def coherence(self) -> float:
        """The squared length that a story's mean vector, of unit vectors, counts as at least."""

    def parts(self, cosines: Floats, gaps: Gaps) -> Floats:
        """Return the parts, below each other, from cosines by view (views first) and gaps."""

    def resumed(self, cosines: Floats) -> Floats:
        """Return the parts for stories that have left the window."""

    def of(self, total: Floats) -> Floats:
        """Return the confidence for a sum of parts: never falling, at most 1."""

    def note(self, cosines: Floats, gaps: Gaps, strangers: Floats) -> None:
        """Take note of how an article compared with stories, and with ones long over."""

    def learn(self) -> None:
        """Make use of what was noted: a slide is over."""

    def state(self) -> dict[str, NDArray[Any]]:
        """Return what is remembered."""

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go back to what `state` returned."""


class PlainConfidence:
    """The paper's confidence: the cosine of what M learned."""

    names = ("learned",)
    coherence = 0.0

    def parts(self, cosines: Floats, gaps: Gaps) -> Floats:
        """Return the cosine; time says nothing."""
        return cosines

    def resumed(self, cosines: Floats) -> Floats:
        """Return a confidence that joins nothing: stories that left are over."""
        return np.full_like(cosines, -1.0)

    def of(self, total: Floats) -> Floats:
        """Return the cosine itself."""
        return total

    def note(self, cosines: Floats, gaps: Gaps, strangers: Floats) -> None:
        """Note nothing."""

    def learn(self) -> None:
        """Learn nothing."""

    def state(self) -> dict[str, NDArray[Any]]:
        """Return nothing to remember."""
        return {}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Remember nothing."""
