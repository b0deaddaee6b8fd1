"""A window with many stories: what a slide costs depends on the slide, and not on the window.

An article is compared with candidates only, and when a slide closes, only what it brought or
touched is looked at again. The reference of the sums (`large_sums.py`) is made anew, and all sums
with it, once the stream has grown by a share of itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scstory.discovery.calibrated.features import Features
from scstory.discovery.calibrated.large_review import LargeReview
from scstory.discovery.calibrated.large_slide import LargeSlide
from scstory.discovery.calibrated.large_sums import LargeSums
from scstory.discovery.calibrated.window_stories import Evidence, WindowStories
from scstory.discovery.method import Decision, Scope
from scstory.discovery.window import Ints, Window

LEARNED_FROM = 4000
"""Articles that the batches of M are drawn from."""


class LargeWindow(WindowStories[LargeSlide]):
    """The stories of a large window, whose sums are kept from slide to slide."""

    def __init__(self, evidence: Evidence, sums: LargeSums) -> None:
        super().__init__(evidence)
        self.sums = sums

    @classmethod
    def of(cls, evidence: Evidence, scope: Scope) -> LargeWindow:
        """Sum the stories of the window, with a reference as of now."""
        large = cls(evidence, _as_of_now(evidence, scope))
        large.sums.build(scope.window)
        return large

    @classmethod
    def restored(
        cls, evidence: Evidence, scope: Scope, state: Mapping[str, NDArray[Any]]
    ) -> LargeWindow:
        """Return what `state` was asked of; the window is already restored."""
        large = cls(evidence, _as_of_now(evidence, scope))
        large.sums.restore(scope.window, state)
        return large

    def features(self, scope: Scope, window: Window, chosen: Ints | slice) -> Features:
        """Return the features of articles as of the reference."""
        return self.sums.features(window, chosen)

    # -- the open slide -----------------------------------------------------------------------

    def _open(self, scope: Scope, end: int, start: float, strangers_before: float) -> LargeSlide:
        window, sums = scope.window, self.sums
        sums.table.forget_changes()
        first = int(np.searchsorted(window.times, start))
        before, since = (np.unique(story) for story in np.split(window.story, [first]))
        founded = since[since > before.max(initial=0)].tolist()
        return LargeSlide(
            window,
            sums.table,
            sums.telling,
            before,
            founded,
            sums.near,
            archive=self.evidence.archive,
            strangers_before=strangers_before,
            posterior=self.posterior,
            settings=self.settings,
        )

    def decided(self, window: Window, row: int) -> None:
        """Let an article be found by its telling terms; the slide has added it to the sums."""
        self.sums.telling.add(window, row)

    def moved(self, window: Window, rows: Ints, before: Ints) -> None:
        """Take note of articles that have moved to other stories from those before."""
        self.sums.moved(window, rows, before)

    def left(self, gone: Window, window: Window) -> None:
        """Take away the articles that have left the window."""
        self.sums.leave(gone, window)

    # -- when a slide closes ------------------------------------------------------------------

    def review(self, scope: Scope, new: Ints) -> list[Decision]:
        """Let articles move to where they fit clearly better; divide and join stories."""
        return self._look(scope).review(new)

    def explain(self, scope: Scope, rows: Ints) -> list[Decision]:
        """Return the present stories of some rows, each article compared as if it were left out."""
        return self._look(scope).explain(rows)

    def _look(self, scope: Scope) -> LargeReview:
        return LargeReview(self.sums, scope, self.slide(scope, len(scope.window)))

    def to_learn_from(self, window: Window, new: Ints, rng: np.random.Generator) -> Ints:
        """Return the articles of some of the stories that grew."""
        rows, found, count = window.rows_of, [np.empty(0, dtype=np.int64)], 0
        for story in rng.permutation(np.unique(window.story[new])).tolist():
            if count < LEARNED_FROM:
                found.append(rows.of(story)[-LEARNED_FROM:])
                count += len(found[-1])
        return np.sort(np.concatenate(found))

    def renew(self, scope: Scope, new: Ints | slice, embed: Callable[[Ints], None]) -> None:
        """Have the oldest vectors made anew, or all, with the sums that they are in."""
        window = scope.window
        renewed = np.arange(len(window)) if isinstance(new, slice) else self.oldest(window)
        self.sums.take_out(window, renewed)
        embed(renewed)
        self.sums.put_in(window, renewed)
        self.sums.rate(window, np.unique(window.story[new]).tolist())

    # -- stopping and going on ----------------------------------------------------------------

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the reference, and which stories are looked at when the slide closes."""
        return self.sums.state()


def _as_of_now(evidence: Evidence, scope: Scope) -> LargeSums:
    """Return sums of nothing, with a reference as of now."""
    centre = evidence.norms.means.values(scope.window["language"][:1])
    return LargeSums(evidence, centre, scope.statistics)
