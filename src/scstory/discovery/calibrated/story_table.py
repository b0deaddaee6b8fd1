"""The sums of the stories of a large window, kept from slide to slide.

Features are rounded to multiples of a unit. Sums and inner products of such numbers are exact, in
whatever order they are computed. So a sum to which articles were added and from which others were
subtracted has the same bits as one that is computed anew from the window after a restart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from scstory.discovery.calibrated.features import Features
from scstory.discovery.calibrated.gaps import spans
from scstory.discovery.calibrated.story_features import ArticleFeatures
from scstory.discovery.paper.story_vectors import membership
from scstory.discovery.window import Floats, Ints
from scstory.text import BUCKETS

UNIT = 2.0**-15
"""What the features of articles are multiples of."""
SEARCHED_AT_ONCE = 4096
"""Stories whose vectors are in single precision at a time."""
LOOKED_UP = 4096
"""Terms of a story from which on the article's terms are looked up in it, and not the reverse."""
SEARCHED = 4000
"""The greatest length of a vector in the search for candidates, where vectors consist of whole
numbers: products of two such vectors are below 2**24, so they are exact in single precision."""


def rounded(rows: Features) -> Features:
    """Return features as multiples of the unit."""
    terms = rows.terms
    data = np.rint(terms.data / UNIT) * UNIT
    return Features(
        np.rint(rows.dense / UNIT) * UNIT,
        csr_array((data, terms.indices, terms.indptr), shape=terms.shape),
        rows.language,
    )


class StoryTable:
    """The stories of a window, each in a column of its own, and the sums of their articles."""

    def __init__(self, dense: int, fields: int, dim: int) -> None:
        self._fields = fields
        self._column: dict[int, int] = {}
        self._free: list[int] = []
        self.ids: Ints = np.empty(0, dtype=np.int64)
        """The story of each column, -1 where there is none."""
        self.sizes, self.newest, self.oldest = np.empty((3, 0))
        """How many articles each story has, and when its latest and its first are of."""
        self._dense: NDArray[np.int32] = np.empty((0, dense, dim), dtype=np.int32)
        self._squares: Floats = np.empty((0, dense + fields))
        self._search: NDArray[np.int16] = np.empty((0, dim), dtype=np.int16)
        self._terms: list[_Terms] = []
        self._stale: set[int] = set()
        """Columns whose squares and vectors for the search are to be computed again."""
        self._changed: list[int] = []
        """The column of each change, one after the other."""
        self._number = np.zeros(fields * BUCKETS, dtype=np.int32)
        """The numbers of an article's terms, from 1 on, while stories are compared with it."""

    def __len__(self) -> int:
        return len(self._column)

    def __contains__(self, story: int) -> bool:
        return story in self._column

    def columns_of(self, stories: Sequence[int]) -> Ints:
        """Return the columns of some stories, those that there are."""
        known = (self._column.get(story, -1) for story in stories)
        return np.array([column for column in known if column >= 0], dtype=np.int64)

    # -- articles come and go -----------------------------------------------------------------

    def add(self, story: int, article: ArticleFeatures, times: int = 1) -> None:
        """Add an article to a story, which may be a new one, or take it away with `times` −1."""
        weights = np.rint(article.weights / UNIT).astype(np.int32)
        dense = np.rint(article.dense / UNIT).astype(np.int32)
        self._add(story, times, dense * times, article.terms, weights * times)
        if times > 0:
            self._extend(story, article.time, article.time)

    def add_all(self, story: Ints, rows: Features, dates: Floats, times: int = 1) -> None:
        """Add articles to their stories, or take them away."""
        if not len(story):
            return
        ids, members = membership(story)
        sums = rows.summed(members)
        dense = np.rint(sums.dense / UNIT).astype(np.int32).transpose(1, 0, 2)
        terms = sums.terms
        terms.sort_indices()
        weights = np.rint(terms.data / UNIT).astype(np.int32)
        sizes = np.diff(members.indptr).tolist()
        ends = terms.indptr.tolist()
        for k, (number, size) in enumerate(zip(ids.tolist(), sizes, strict=True)):
            own = slice(ends[k], ends[k + 1])
            indices = terms.indices[own].astype(np.int32)
            self._add(number, times * size, times * dense[k], indices, times * weights[own])
        if times > 0:
            newest, oldest = spans(story, dates, ids)
            for number, last, first in zip(
                ids.tolist(), newest.tolist(), oldest.tolist(), strict=True
            ):
                self._extend(number, last, first)

    def _extend(self, story: int, newest: float, oldest: float) -> None:
        column = self._column[story]
        self.newest[column] = max(self.newest[column], newest)
        self.oldest[column] = min(self.oldest[column], oldest)

    def set_span(self, story: int, dates: Floats) -> None:
        """Set the time that a story spans, after articles were taken away from it."""
        if story in self._column:
            column = self._column[story]
            self.newest[column], self.oldest[column] = dates.max(), dates.min()

    def _add(
        self,
        story: int,
        count: int,
        dense: NDArray[np.int32],
        terms: NDArray[np.int32],
        weights: NDArray[np.int32],
    ) -> None:
        column = self._column.get(story)
        if column is None:
            column = self._column[story] = self._free.pop() if self._free else self._grow()
            self.ids[column], self.newest[column], self.oldest[column] = story, -np.inf, np.inf
        self._dense[column] += dense
        self.sizes[column] += count
        self._terms[column] = self._terms[column].plus(terms, weights)
        self._stale.add(column)
        self._changed.append(column)
        if not self.sizes[column]:
            del self._column[story]
            self._free.append(column)
            self.ids[column], self._terms[column] = -1, _NO_TERMS

    def _grow(self) -> int:
        """Return a column that is free, with more room if there is none."""
        column = len(self._terms)
        if column == len(self.ids):
            more = max(256, column // 4)
            self.ids = np.concatenate([self.ids, np.full(more, -1)])
            self.sizes, self.newest, self.oldest = (
                np.concatenate([part, np.zeros(more)])
                for part in (self.sizes, self.newest, self.oldest)
            )
            self._dense, self._squares, self._search = (
                np.concatenate([part, np.zeros((more, *part.shape[1:]), dtype=part.dtype)])
                for part in (self._dense, self._squares, self._search)
            )
        self._terms.append(_NO_TERMS)
        return column

    # -- an article and some stories ----------------------------------------------------------

    def products(self, article: ArticleFeatures, columns: Ints) -> Floats:
        """Return an article's inner products with some stories, (features, stories)."""
        sums = self._dense[columns].transpose(1, 0, 2) * UNIT
        dense = np.matmul(sums, article.dense[:, :, None])[:, :, 0]
        return np.concatenate([dense, self._term_products(article, columns)])

    def squares(self, columns: Ints) -> Floats:
        """Return the squared lengths of some stories, (features, stories)."""
        self._refresh()
        return self._squares[columns].T

    def least(self, columns: Ints, coherence: float) -> Floats:
        """Return what squared lengths count as at least."""
        return np.asarray(coherence * np.square(self.sizes[columns]))

    def _term_products(self, article: ArticleFeatures, columns: Ints) -> Floats:
        fields = self._fields
        found = np.zeros((fields, len(columns)))
        few: list[int] = []
        for place, column in enumerate(columns.tolist()):
            terms = self._terms[column]
            if len(terms.columns) > LOOKED_UP:
                values = article.weights * terms.at(article.terms)
                found[:, place] = np.bincount(article.terms // BUCKETS, values, minlength=fields)
            else:
                few.append(place)
        if not few:
            return found * UNIT
        some = [self._terms[column] for column in columns[few].tolist()]
        every = np.concatenate([terms.columns for terms in some])
        weights = np.concatenate([terms.weights for terms in some])
        self._number[article.terms] = np.arange(1, len(article.terms) + 1)
        number = self._number[every]
        self._number[article.terms] = 0
        shared = np.flatnonzero(number)
        values = article.weights[number[shared] - 1] * weights[shared]
        ends = np.cumsum([len(terms.columns) for terms in some])
        owner = np.array(few)[np.searchsorted(ends, shared, side="right")]
        group = owner * fields + every[shared] // BUCKETS
        sums = np.bincount(group, values, minlength=len(columns) * fields)
        return (found + sums.reshape(len(columns), fields).T) * UNIT

    def as_article(self, story: int, time: float) -> ArticleFeatures:
        """Return a story as if it were an article: its sums, of unit length."""
        column = self._column[story]
        lengths = np.sqrt(np.maximum(self.squares(np.array([column]))[:, 0], 1e-12))
        terms, dense = self._terms[column], self._dense[column]
        kinds = len(dense)
        weights = UNIT * terms.weights / lengths[kinds + terms.columns // BUCKETS]
        unit = UNIT * dense / lengths[:kinds, None]
        return ArticleFeatures(unit, terms.columns, weights, np.ones(len(lengths)), time)

    # -- searching ----------------------------------------------------------------------------

    def scores(self, rows: Sequence[ArticleFeatures]) -> NDArray[np.float32]:
        """Return how close the vectors of articles are to those of all columns."""
        self._refresh()
        wanted = _searched(np.stack([row.dense for row in rows])).astype(np.float32)
        found = np.empty((len(rows), len(self._search)), dtype=np.float32)
        for start in range(0, len(self._search), SEARCHED_AT_ONCE):
            some = slice(start, start + SEARCHED_AT_ONCE)
            np.matmul(wanted, self._search[some].T.astype(np.float32), out=found[:, some])
        return found

    def forget_changes(self) -> None:
        """Forget which columns have changed: nothing that was searched for before is used again."""
        self._changed.clear()

    def changed(self, story: int, since: int) -> bool:
        """Say whether a story has changed since the table had changed so often."""
        return self._column.get(story) in self._changed[since:]

    @property
    def changes(self) -> int:
        """How often the table has changed."""
        return len(self._changed)

    def update_scores(
        self, scores: NDArray[np.float32], article: ArticleFeatures, since: int
    ) -> NDArray[np.float32]:
        """Return the scores of an article, computed again where the table changed since then."""
        self._refresh()
        columns = np.unique(np.array(self._changed[since:], dtype=np.int64))
        if len(columns):
            scores = np.pad(scores, (0, len(self._search) - len(scores)))
            wanted = _searched(article.dense[None])[0].astype(np.float32)
            scores[columns] = self._search[columns].astype(np.float32) @ wanted
        return scores

    def _refresh(self) -> None:
        if not self._stale:
            return
        columns = np.array(sorted(self._stale))
        dense = self._dense[columns] * UNIT
        kinds = dense.shape[1]
        self._squares[columns, :kinds] = np.einsum("kvd,kvd->kv", dense, dense)
        for column in columns.tolist():
            terms = self._terms[column]
            squares = np.square(UNIT * terms.weights)
            fields = np.bincount(terms.columns // BUCKETS, squares, minlength=self._fields)
            self._squares[column, kinds:] = fields
        self._search[columns] = _searched(dense)
        self._stale.clear()


def _searched(dense: Floats) -> NDArray[np.int16]:
    """Return the sums of vectors, (n, kinds, dim), each kind of one length, as whole numbers."""
    lengths = np.sqrt(np.einsum("nvd,nvd->nv", dense, dense))
    share = SEARCHED / max(1, dense.shape[1])
    unit = dense * (share / np.maximum(lengths, 1e-12))[:, :, None]
    return np.asarray(np.rint(unit.sum(axis=1)), dtype=np.int16)


class _Terms:
    """The terms of a story in ascending order, and their weights in units.

    Most stories have few articles, so that their weights fit into half the memory.
    """

    __slots__ = ("columns", "weights")

    def __init__(self, columns: NDArray[np.int32], weights: NDArray[np.int32]) -> None:
        self.columns = columns
        self.weights: NDArray[np.int32] | NDArray[np.uint16] = weights
        if weights.min(initial=0) >= 0 and weights.max(initial=0) < 2**16:
            self.weights = weights.astype(np.uint16)

    def plus(self, columns: NDArray[np.int32], weights: NDArray[np.int32]) -> _Terms:
        """Return these terms and others, without those whose weights add up to nothing."""
        if not len(self.columns):
            return _Terms(columns.copy(), weights.copy())
        place = np.searchsorted(self.columns, columns)
        known = self.columns[np.minimum(place, len(self.columns) - 1)] == columns
        merged = self.weights.astype(np.int32)
        merged[place[known]] += weights[known]
        every = np.insert(self.columns, place[~known], columns[~known])
        merged = np.insert(merged, place[~known], weights[~known])
        kept = merged != 0
        return _Terms(every, merged) if kept.all() else _Terms(every[kept], merged[kept])

    def at(self, columns: NDArray[np.int32]) -> NDArray[np.integer[Any]]:
        """Return the weights of some terms."""
        place = np.minimum(np.searchsorted(self.columns, columns), len(self.columns) - 1)
        return np.where(self.columns[place] == columns, self.weights[place], 0)


_NO_TERMS = _Terms(np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int32))
