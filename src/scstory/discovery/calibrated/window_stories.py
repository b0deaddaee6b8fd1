"""The seam between few stories and many: how articles are compared with the stories of the window.

In a window with few stories (`whole_window.py`) every article is compared with all of them, and all
are read anew for each slide. In a window with many (`large_window.py`) it is compared with
candidates, and what a slide costs does not depend on the window.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from scstory.discovery.calibrated.archive import Archive
from scstory.discovery.calibrated.corrected import Corrected
from scstory.discovery.calibrated.features import FeatureReader, Features
from scstory.discovery.calibrated.language_norms import LanguageNorms
from scstory.discovery.calibrated.open_slide import OpenSlide
from scstory.discovery.calibrated.pair_posteriors import PairPosteriors
from scstory.discovery.calibrated.settings import CalibratedSettings
from scstory.discovery.method import Decision, Scope
from scstory.discovery.window import Ints, Window

ALL = slice(None)
Slide_co = TypeVar("Slide_co", bound=OpenSlide, covariant=True)


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What articles and stories are compared by; the method changes it as the stream goes on."""

    settings: CalibratedSettings
    posterior: PairPosteriors
    norms: LanguageNorms
    archive: Archive
    corrected: Corrected
    reader: FeatureReader


class WindowStories(ABC, Generic[Slide_co]):
    """The stories of the window, as articles are compared with them and as a slide changes them."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self.settings, self.posterior = evidence.settings, evidence.posterior
        self.corrected = evidence.corrected
        self._slide: Slide_co | None = None

    @abstractmethod
    def features(self, scope: Scope, window: Window, chosen: Ints | slice) -> Features:
        """Return the features of articles in the scope's window or in another."""

    # -- the open slide -----------------------------------------------------------------------

    def slide(self, scope: Scope, end: int) -> Slide_co:
        """Return the open slide; it starts with the first `end` articles of the window."""
        if self._slide is None:
            end_of_slide = -np.inf if scope.slide is None else scope.end()
            start = end_of_slide - self.settings.slide_length.total_seconds()
            long_ago = end_of_slide - 2 * self.settings.window_length.total_seconds()
            self._slide = self._open(scope, end, start, long_ago)
        return self._slide

    @abstractmethod
    def _open(self, scope: Scope, end: int, start: float, strangers_before: float) -> Slide_co:
        """Open the slide that starts at a time, in seconds."""

    def forget_slide(self) -> None:
        """Take note that the window has changed, so that the slide is to be opened again."""
        self._slide = None

    def decided(self, window: Window, row: int) -> None:
        """Take note of an article that has got its story."""

    def moved(self, window: Window, rows: Ints, before: Ints) -> None:
        """Take note of articles that have moved to other stories from those before."""

    def left(self, gone: Window, window: Window) -> None:
        """Take note of articles that have left the window."""

    # -- when a slide closes ------------------------------------------------------------------

    @abstractmethod
    def review(self, scope: Scope, new: Ints) -> list[Decision]:
        """Let articles move to where they fit clearly better; divide and join stories."""

    @abstractmethod
    def explain(self, scope: Scope, rows: Ints) -> list[Decision]:
        """Return the present stories of some rows, each article compared as if it were left out."""

    @abstractmethod
    def to_learn_from(self, window: Window, new: Ints, rng: np.random.Generator) -> Ints:
        """Return the articles that M learns from."""

    @abstractmethod
    def renew(self, scope: Scope, new: Ints | slice, embed: Callable[[Ints], None]) -> None:
        """Have vectors made anew, and rate the articles of stories that have articles in `new`.

        These are the oldest vectors of the window; if `new` is `ALL`, they are all.
        """

    def oldest(self, window: Window) -> Ints:
        """Return the rows whose vectors are the oldest, as many as are made anew at a time."""
        made: Ints = np.argsort(window["embedded_in"], kind="stable")
        return made[: self.settings.refresh]

    # -- stopping and going on ----------------------------------------------------------------

    def state(self) -> dict[str, NDArray[Any]]:
        """Return what is not a function of the window, by names as in `MethodState`."""
        return {}
