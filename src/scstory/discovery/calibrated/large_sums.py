"""What is known of the stories of a large window from slide to slide: their sums, and an index.

The sums (`story_table.py`) are those of features as of a *reference*: how common terms were, and
what the mean vector was, when it was made. All that decides is a function of the window and of the
reference, so a restart changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scstory.discovery.calibrated.candidates import TellingTerms
from scstory.discovery.calibrated.features import Features
from scstory.discovery.calibrated.leave_one_out import LeaveOneOut
from scstory.discovery.calibrated.story_table import StoryTable, rounded
from scstory.discovery.calibrated.window_stories import Evidence
from scstory.discovery.method import unprefixed
from scstory.discovery.window import UNDECIDED, Ints, Window
from scstory.text import FIELDS, TermStatistics
from scstory.types import Vectors

READ_AT_ONCE = 2000
"""Articles whose features are in memory at a time."""


class LargeSums:
    """The sums of a large window's stories, kept up to date as articles come, move and go."""

    def __init__(self, evidence: Evidence, centre: Vectors, statistics: TermStatistics) -> None:
        """Start with a reference: a mean vector, and how common terms are."""
        self.settings, self.posterior = evidence.settings, evidence.posterior
        self.corrected, self._reader = evidence.corrected, evidence.reader
        self._centre = centre.copy()
        self._statistics = TermStatistics(len(FIELDS))
        self._statistics.restore(*statistics.state())
        self.table, self.telling = self._empty()
        self.near: set[int] = set()
        """Stories beside those that grew that are looked at when the slide closes."""

    def _empty(self) -> tuple[StoryTable, TellingTerms]:
        table = StoryTable(self._reader.kinds, self._reader.fields, len(self._centre))
        return table, TellingTerms(self._statistics)

    def build(self, window: Window) -> None:
        """Sum the stories of a window anew."""
        self.table, self.telling = self._empty()
        self._add(window, np.flatnonzero(window.story != UNDECIDED))
        self.telling.build(window)

    def is_old(self, statistics: TermStatistics) -> bool:
        """Say whether the stream has grown so much that the reference is to be made anew."""
        grown = 1 + self.settings.reference_growth
        return statistics.documents >= grown * self._statistics.documents

    def features(self, window: Window, chosen: Ints | slice) -> Features:
        """Return the features of articles as of the reference."""
        return rounded(
            self._reader.read(window, chosen, centre=self._centre, statistics=self._statistics)
        )

    # -- articles come and go -----------------------------------------------------------------

    def _add(self, window: Window, rows: Ints, times: int = 1) -> None:
        for start in range(0, len(rows), READ_AT_ONCE):
            some = rows[start : start + READ_AT_ONCE]
            story, dates = window.story[some], window.times[some]
            self.table.add_all(story, self.features(window, some), dates, times)

    def leave(self, gone: Window, window: Window) -> None:
        """Take away the articles that have left the window."""
        self._add(gone, np.arange(len(gone)), -1)
        self._set_spans(window, np.unique(gone.story).tolist())

    def take_out(self, window: Window, rows: Ints) -> None:
        """Take articles away whose features or stories are about to change."""
        self._add(window, rows, -1)

    def put_in(self, window: Window, rows: Ints, left: Iterable[int] = ()) -> None:
        """Put them back in as they are now; some stories were left by articles."""
        self._add(window, rows)
        self._set_spans(window, left)

    def moved(self, window: Window, rows: Ints, before: Ints) -> None:
        """Take note of articles that have moved to other stories from those before."""
        now = window.story[rows]
        window.story[rows] = before
        self.take_out(window, rows)
        window.story[rows] = now
        self.put_in(window, rows, np.unique(before).tolist())

    def _set_spans(self, window: Window, stories: Iterable[int]) -> None:
        rows = window.rows_of
        for story in stories:
            if story in rows:
                self.table.set_span(story, window.times[rows.of(story)])

    # -- stories by themselves ----------------------------------------------------------------

    def some_stories(self, window: Window, stories: Iterable[int]) -> Iterator[Ints]:
        """Yield the rows of stories, those of several stories at a time."""
        rows, found, count = window.rows_of, [], 0
        for story in stories:
            if story not in rows:
                continue
            found.append(rows.of(story))
            count += len(found[-1])
            if count >= READ_AT_ONCE:
                yield np.sort(np.concatenate(found))
                found, count = [], 0
        if found:
            yield np.sort(np.concatenate(found))

    def rate(self, window: Window, stories: Iterable[int]) -> None:
        """Set the confidence of the articles of some stories to that in their own story."""
        for rows in self.some_stories(window, stories):
            window.confidence[rows] = self.fit(window, rows).own_confidence(self.posterior)
        window.confidence[self.corrected.held(len(window))] = 1.0

    def fit(self, window: Window, rows: Ints) -> LeaveOneOut:
        """Return how all articles of some stories fit their own."""
        story, times = window.story[rows], window.times[rows]
        features, coherence = self.features(window, rows), self.settings.coherence
        return LeaveOneOut.of(story, times, features, coherence=coherence)

    # -- stopping and going on ----------------------------------------------------------------

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the reference, and which stories are looked at when the slide closes.

        They are parts of their own: the reference hardly ever changes, the stories always do.
        """
        documents, used, counts = self._statistics.state()
        return {
            "reference.documents": np.array(documents),
            "reference.used": used,
            "reference.counts": counts,
            "reference.centre": self._centre,
            "near.stories": np.array(sorted(self.near), dtype=np.int64),
        }

    def restore(self, window: Window, state: Mapping[str, NDArray[Any]]) -> None:
        """Go back to what `state` returned; the window is already restored."""
        reference = unprefixed("reference", state)
        self._centre = reference["centre"].copy()
        documents = float(reference["documents"])
        self._statistics.restore(documents, reference["used"], reference["counts"])
        self.near.clear()
        near = "near.stories" if "near.stories" in state else "reference.near"  # of format 11
        self.near.update(state[near].tolist())
        self.build(window)
