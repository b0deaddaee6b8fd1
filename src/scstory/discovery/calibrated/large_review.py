"""The second look and the regrouping of a large window: at what a slide brought, and its like."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from scstory.discovery.calibrated.gaps import Gaps
from scstory.discovery.calibrated.large_slide import AT_ONCE, LargeSlide, compared
from scstory.discovery.calibrated.large_sums import READ_AT_ONCE, LargeSums
from scstory.discovery.calibrated.log_odds import log_odds, sigmoid
from scstory.discovery.calibrated.open_slide import Newcomer
from scstory.discovery.calibrated.regrouping import Regrouping, joining_limits
from scstory.discovery.method import Decision, Scope
from scstory.discovery.paper.assignment import RUNNERS_UP, cosines
from scstory.discovery.window import Floats, Ints, Window
from scstory.types import RunnerUp


class Fit(NamedTuple):
    """How an article fits its own story without itself, and other stories."""

    own: Floats
    """The evidence that it is in its own story."""
    alone: bool
    stories: list[int]
    elsewhere: Floats
    """The evidence that it is in others, (kinds of evidence, stories)."""

    @property
    def here(self) -> float:
        """The log-odds of its own story."""
        return float(self.own.sum())


class LargeReview:
    """What is done in a large window when a slide closes."""

    def __init__(self, sums: LargeSums, scope: Scope, slide: LargeSlide) -> None:
        self._sums, self._scope, self._slide = sums, scope, slide
        self._window: Window = scope.window
        self._settings, self._posterior = sums.settings, sums.posterior
        self._corrected = sums.corrected
        self._rows = self._window.rows_of

    def review(self, new: Ints) -> list[Decision]:
        """Let articles move, divide and join stories; return the new decisions on what moved."""
        before = self._window.story.copy()
        for _ in range(self._settings.second_look):
            if not self._look_again(new):
                break
        if self._settings.regroup:
            self._regroup(new)
        moved = np.flatnonzero(self._window.story != before)
        changed = {*before[moved].tolist(), *self._window.story[moved].tolist()}
        self._sums.rate(self._window, sorted(changed))
        self._sums.near.clear()
        return self.explain(moved)

    # -- the second look ----------------------------------------------------------------------

    def _look_again(self, new: Ints) -> bool:
        """Let articles move that are new, alone or not certain; say whether any did."""
        window, settings = self._window, self._settings
        rows_of, grown = self._rows, set(window.story[new].tolist())
        looked_at = [new]
        for number in sorted(grown | self._sums.near):
            if number in rows_of:
                rows = rows_of.of(number)
                uncertain = window.confidence[rows] < settings.second_look_certain
                looked_at.append(rows if len(rows) == 1 else rows[uncertain])
        chosen = np.unique(np.concatenate(looked_at))
        chosen = chosen[~self._corrected.held(len(window))[chosen]]
        threshold, margin = log_odds(settings.delta), settings.second_look_margin
        suspects = [
            row
            for row, newcomer in self._newcomers(chosen)
            if self._best(self._fit(row, newcomer, grown), threshold, margin) is not None
        ]
        moved = False
        for row, newcomer in self._newcomers(np.array(suspects, dtype=np.int64)):
            to = self._best(self._fit(row, newcomer, grown), threshold, margin)
            if to is None or self._corrected.bars(row, to):
                continue
            target = self._scope.new_story() if to < 0 else to
            left = int(window.story[row])
            self._move(np.array([row]), np.array([target]))
            if row >= new[0]:
                grown.add(target)
            if not self._has_new(left, int(new[0])):
                grown.discard(left)
            moved = True
        return moved

    def _has_new(self, story: int, first: int) -> bool:
        return story in self._rows and bool(self._rows.of(story)[-1] >= first)

    def _best(self, fit: Fit, threshold: float, margin: float) -> int | None:
        """Return the story that an article moves to, −1 for a new one, None if it stays."""
        here = threshold if fit.alone else fit.here
        there = fit.elsewhere.sum(axis=0)
        best = int(there.argmax()) if len(there) else -1
        if best >= 0 and there[best] >= max(here + margin, threshold):
            return fit.stories[best]
        return -1 if here < threshold - margin and not fit.alone else None

    # -- stories and their parts --------------------------------------------------------------

    def _regroup(self, new: Ints) -> None:
        """Divide stories that grew, and join those that are one."""
        window, sums = self._window, self._sums
        grown = np.unique(window.story[new]).tolist()
        for rows in sums.some_stories(window, self._divisible(grown)):
            story = window.story[rows].copy()
            groups = self._groups(rows, story)
            self._scope.next_story = groups.split(
                np.unique(story), next_story=self._scope.next_story
            )
            self._corrected.follow(groups.corrected)
            self._move(rows, groups.story)
        grown = np.unique(window.story[new]).tolist()
        for start in range(0, len(grown), AT_ONCE):
            self._merge_all([n for n in grown[start : start + AT_ONCE] if self._is_group(n)])

    def _divisible(self, stories: list[int]) -> list[int]:
        rows_of, settings = self._rows, self._settings
        least, most = 2 * settings.group_least, settings.regroup_most
        return [number for number in stories if least <= len(rows_of.of(number)) <= most]

    def _groups(self, rows: Ints, story: Ints) -> Regrouping:
        features = self._sums.features(self._window, rows)
        return Regrouping(
            story,
            self._window.times[rows],
            features,
            self._posterior,
            self._settings,
            self._corrected.of_rows(rows),
        )

    def _move(self, rows: Ints, story: Ints) -> None:
        """Move articles to the stories given."""
        moved = np.flatnonzero(self._window.story[rows] != story)
        if len(moved):
            before = self._window.story[rows[moved]]
            self._window.story[rows[moved]] = story[moved]
            self._sums.moved(self._window, rows[moved], before)
            self._rows = self._window.rows_of

    def _is_group(self, number: int) -> bool:
        return number in self._rows and len(self._rows.of(number)) >= self._settings.group_least

    def _merge_all(self, numbers: list[int]) -> None:
        """Join stories that grew with those that they are one with; they are searched for at once.

        A story that another one has become part of meanwhile is searched for again.
        """
        table, since = self._sums.table, self._sums.table.changes
        for number, newcomer in zip(numbers, self._as_newcomers(numbers), strict=True):
            if not table.changed(number, since):
                self._merge(number, newcomer)
            elif self._is_group(number):
                self._merge(number, *self._as_newcomers([number]))

    def _as_newcomers(self, numbers: list[int]) -> list[Newcomer]:
        latest = [int(self._rows.of(number)[-1]) for number in numbers]
        return self._slide.as_newcomers(numbers, np.array(latest, dtype=np.int64))

    def _merge(self, number: int, newcomer: Newcomer) -> None:
        """Join a story that grew with the one that it is one with, if there is one."""
        window, settings, table = self._window, self._settings, self._sums.table
        rows_of = self._rows
        rows = rows_of.of(number)
        columns = self._slide.candidates(newcomer)
        columns = columns[
            (table.ids[columns] != number) & (table.sizes[columns] >= settings.group_least)
        ]
        times = window.times[rows]
        nearest = np.clip(times.min(), table.oldest[columns], table.newest[columns])
        nearest = np.clip(nearest, times.min(), times.max())
        article = newcomer.article
        similar = compared(
            table, article, columns, table.products(article, columns), settings.coherence
        )
        gaps = Gaps.between(nearest, table.newest[columns], table.oldest[columns])
        rated = self._posterior.evidence(similar, gaps).sum(axis=0)
        smaller = np.minimum(table.sizes[columns], len(rows))
        limits = joining_limits(settings, smaller, settings.merge_margin)
        order = np.argsort(-rated, kind="stable")
        for k in order[rated[order] >= limits[order]].tolist():
            other = int(table.ids[columns[k]])
            if self._are_one(number, other):
                both = np.sort(np.concatenate([rows_of.of(number), rows_of.of(other)]))
                first, second = sorted([number, other])
                self._move(both, np.full(len(both), first))
                self._corrected.joined({second: first})
                return

    def _are_one(self, number: int, other: int) -> bool:
        """Say whether the articles of each of two stories would have joined the other."""
        most, rows_of = self._settings.regroup_most, self._rows
        both = [rows_of.of(one)[-most:] for one in (number, other)]
        rows = np.sort(np.concatenate(both))
        groups = self._groups(rows, self._window.story[rows].copy())
        groups.merge(np.array([number]))
        return bool((groups.story == groups.story[0]).all())

    # -- an article and its likes -------------------------------------------------------------

    def explain(self, rows: Ints) -> list[Decision]:
        """Return the present stories of some rows, each article compared as if it were left out."""
        decisions = []
        for row, newcomer in self._newcomers(rows):
            fit = self._fit(row, newcomer, None)
            rated = sigmoid(fit.elsewhere.sum(axis=0))
            order = np.argsort(-rated, kind="stable")[:RUNNERS_UP]
            named = zip(self._posterior.names, fit.own.tolist(), strict=True)
            decisions.append(
                Decision(
                    row,
                    int(self._window.story[row]),
                    1.0 if fit.alone else float(sigmoid(fit.own.sum())),
                    runners_up=tuple(RunnerUp(fit.stories[k], float(rated[k])) for k in order),
                    evidence={} if fit.alone else dict(named),
                )
            )
        return decisions

    def _newcomers(self, rows: Ints) -> Iterator[tuple[int, Newcomer]]:
        """Yield articles of the window as they would be decided now."""
        window = self._window
        for start in range(0, len(rows), READ_AT_ONCE):
            some = rows[start : start + READ_AT_ONCE]
            features = self._sums.features(window, some)
            counts = window.term_table("term_counts", some)
            times = window.times[some].tolist()
            yield from zip(
                some.tolist(), self._slide.searched(features, times, counts), strict=True
            )

    def _fit(self, row: int, newcomer: Newcomer, among: set[int] | None) -> Fit:
        """Compare an article with its own story and with those among its candidates."""
        table, window = self._sums.table, self._window
        story = int(window.story[row])
        columns = self._slide.candidates(newcomer)
        ids = table.ids[columns].tolist()
        kept = [k for k, n in enumerate(ids) if n != story and (among is None or n in among)]
        columns = np.append(columns[kept], table.columns_of([story]))
        article = newcomer.article
        products, squares = table.products(article, columns), table.squares(columns).copy()
        sizes, newest, oldest = (
            part[columns].copy() for part in (table.sizes, table.newest, table.oldest)
        )
        # The last one is its own story, from which the article is left out.
        squares[:, -1] = np.maximum(squares[:, -1] - 2 * products[:, -1] + article.squares, 0)
        products[:, -1] -= article.squares
        sizes[-1] -= 1
        rows = self._rows.of(story)
        if len(rows) > 1:
            others = window.times[rows[rows != row]]
            newest[-1], oldest[-1] = others.max(), others.min()
        least = self._settings.coherence * np.square(sizes)
        similar = cosines(products, article.squares[:, None], squares, least)
        evidence = self._posterior.evidence(similar, Gaps.between(article.time, newest, oldest))
        stories = table.ids[columns[:-1]].tolist()
        return Fit(evidence[:, -1], len(rows) == 1, stories, evidence[:, :-1])
