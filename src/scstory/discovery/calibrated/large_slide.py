"""The open slide of a large window: each article is compared with candidates only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from scipy.sparse import csr_array

from scstory.discovery.calibrated.archive import Archive
from scstory.discovery.calibrated.candidates import TellingTerms, in_order, nearest_vectors
from scstory.discovery.calibrated.features import Features
from scstory.discovery.calibrated.gaps import Gaps
from scstory.discovery.calibrated.open_slide import Compared, Newcomer, OpenSlide
from scstory.discovery.calibrated.pair_posteriors import PairPosteriors
from scstory.discovery.calibrated.settings import CalibratedSettings
from scstory.discovery.calibrated.story_features import ArticleFeatures, one_by_one
from scstory.discovery.calibrated.story_table import StoryTable
from scstory.discovery.paper.assignment import cosines
from scstory.discovery.window import Floats, Ints, Window

_NONE: Floats = np.empty((0, 0))

AT_ONCE = 64
"""Articles that are searched for together."""
UNRELATED = 128
"""Stories that stand for those that are unrelated to an article."""
NEAR = -3.0
"""The log-odds from which on a story that an article did not join is looked at again."""


class LargeSlide(OpenSlide):
    """The stories of a large window, which the table sums, as of the latest article."""

    def __init__(
        self,
        window: Window,
        table: StoryTable,
        telling: TellingTerms,
        before: Ints,
        founded: list[int],
        near: set[int],
        *,
        archive: Archive,
        strangers_before: float,
        posterior: PairPosteriors,
        settings: CalibratedSettings,
    ) -> None:
        """Start with the stories of the table; `before` are those from before the slide."""
        self._window, self._table, self._telling = window, table, telling
        self._before, self._founded = before, founded
        self._last = int(before[-1]) if len(before) else 0
        self.near = near
        """Stories that an article of the slide is similar to."""
        self._begin(archive, strangers_before, posterior, settings)
        self._past_vectors = np.rint(archive.sums.dense * 2.0**15) / 2.0**15
        self._ended = np.array(
            [story not in table for story in archive.stories.tolist()], dtype=bool
        )

    def newcomers(
        self, rows: Features, times: Sequence[float], counts: csr_array | None = None
    ) -> Iterator[Newcomer]:
        """Yield articles to be decided, given how often each has each term."""
        assert counts is not None
        for start in range(0, len(rows), AT_ONCE):
            few = slice(start, start + AT_ONCE)
            some = rows[few]
            dense = some.dense @ self._past_vectors.transpose(0, 2, 1)
            terms = self._archived.initial_products(some.terms)
            past = np.concatenate([dense, terms])
            for i, newcomer in enumerate(self.searched(some, times[few], counts[few])):
                yield newcomer._replace(archived=past[:, i])

    def searched(
        self, rows: Features, times: Sequence[float], counts: csr_array
    ) -> Iterator[Newcomer]:
        """Yield articles that are searched for in the window, and not beyond it."""
        articles = one_by_one(rows, times)
        for start in range(0, len(articles), AT_ONCE):
            some = articles[start : start + AT_ONCE]
            scores, since = self._table.scores(some), self._table.changes
            for i, article in enumerate(some, start):
                own = slice(counts.indptr[i], counts.indptr[i + 1])
                telling = counts.indices[own], counts.data[own]
                yield Newcomer(article, scores[i - start], _NONE, *telling, since)

    def as_newcomers(self, stories: Sequence[int], rows: Ints) -> list[Newcomer]:
        """Return stories as if they were articles, with the telling terms of a row of each."""
        window, table = self._window, self._table
        articles = [
            table.as_article(story, time)
            for story, time in zip(stories, window.times[rows].tolist(), strict=True)
        ]
        scores = table.scores(articles) if articles else ()
        return [
            Newcomer(
                article,
                own,
                _NONE,
                window.of("term_columns", row),
                window.of("term_counts", row),
                table.changes,
            )
            for article, own, row in zip(articles, scores, rows.tolist(), strict=True)
        ]

    def _compare(self, newcomer: Newcomer) -> Compared:
        article, table = newcomer.article, self._table
        columns = self.candidates(newcomer)
        products = table.products(article, columns)
        similar = compared(table, article, columns, products, self._settings.coherence)
        gaps = Gaps.between(article.time, table.newest[columns], table.oldest[columns])
        ids = table.ids[columns].tolist()
        return Compared(ids, products, similar, gaps, self._unrelated(article, ids, similar))

    def candidates(self, newcomer: Newcomer) -> Ints:
        """Return the columns of the stories that an article is compared with."""
        table, most = self._table, self._settings.candidates
        scores = table.update_scores(newcomer.ongoing, newcomer.article, newcomer.since)
        sharing = self._telling.nearest(self._window, newcomer.terms, newcomer.counts, most)
        found = np.union1d(nearest_vectors(table, scores, most), table.columns_of(sharing))
        return in_order(table, found.astype(np.int64))

    def _unrelated(self, article: ArticleFeatures, ids: list[int], similar: Floats) -> Gaps:
        """Return the gaps between an article and some stories that are far from it."""
        settings, before, count = self._settings, self._before, len(self._before)
        related = int(np.ceil(settings.related_share * len(self._table)))
        nearest = self._posterior.order(similar)[: max(settings.related_least, related)]
        total = count + len(self._founded)
        step = max(1, total // UNRELATED)
        places = (int(article.time) + step * np.arange(min(UNRELATED, total))) % max(1, total)
        excluded = {ids[k] for k in nearest.tolist()}
        some = [int(before[k]) if k < count else self._founded[k - count] for k in places.tolist()]
        columns = self._table.columns_of([story for story in some if story not in excluded])
        return Gaps.between(article.time, self._table.newest[columns], self._table.oldest[columns])

    def _past(self, newcomer: Newcomer) -> Floats:
        return newcomer.archived

    def _take_note(self, ids: list[int], evidence: Floats) -> None:
        near = np.flatnonzero(evidence.sum(axis=0) >= NEAR)
        self.near.update(ids[k] for k in near.tolist())

    def _number_of_stories(self) -> int:
        return len(self._table)

    def _join(self, article: ArticleFeatures, products: Floats, number: int) -> None:
        if number not in self._table and number > self._last:
            self._founded.append(number)
        self._table.add(number, article)


def compared(
    table: StoryTable,
    article: ArticleFeatures,
    columns: Ints,
    products: Floats,
    coherence: float,
) -> Floats:
    """Return the cosines of an article with some stories of the table, (features, stories)."""
    least = table.least(columns, coherence)
    return cosines(products, article.squares[:, None], table.squares(columns), least)
