"""The sliding window: the articles in scope, oldest first, as a table.

A column is declared once, by the window itself or by a method. Appending, slicing, joining,
evicting and saving rows all follow from the declaration.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy.sparse import csr_array

from scstory.discovery.story_rows import StoryRows
from scstory.text import BUCKETS, FIELDS
from scstory.types import EncodedArticle, Reading

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

UNDECIDED = -1
"""The story of an article that has none yet."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the window: a value for each article, or for each of its sentences or terms.

    `derive` makes the values of new articles; without it they are `fill`. A column that is derived
    is not saved: it is derived again.
    """

    name: str
    dtype: DTypeLike
    shape: tuple[int, ...] = ()
    per: Literal["article", "sentence", "term"] = "article"
    fill: float = 0
    derive: Callable[[Sequence[EncodedArticle]], NDArray[Any]] | None = None


_LENGTHS = {"article": None, "sentence": "lengths", "term": "term_lengths"}
"""The column that holds how many values each article has in the columns of a kind."""

BASE = (
    Column("times", np.float64),
    Column(
        "published",
        np.float64,
        derive=lambda new: np.array([m.article.published.timestamp() for m in new]),
    ),
    Column("story", np.int64, fill=UNDECIDED),
    Column("confidence", np.float64),
    Column("weights", np.float32, per="sentence"),
    Column("lengths", np.int64, derive=lambda new: np.array([len(m.vectors) for m in new])),
    Column(
        "term_lengths",
        np.int64,
        derive=lambda new: np.array([len(m.reading.columns) for m in new]),
    ),
    Column(
        "term_columns",
        np.int32,
        per="term",
        derive=lambda new: np.concatenate([m.reading.columns for m in new]),
    ),
    Column(
        "term_counts",
        np.float64,
        per="term",
        derive=lambda new: np.concatenate([m.reading.counts for m in new]),
    ),
)
"""What is known of every article, whatever the method: when it counts as published and when it was,
in seconds; its story and the confidence in it; how story-indicative each of its sentences is; its
terms."""


class Window:
    """The articles in scope and what is known of each."""

    def __init__(self, columns: Sequence[Column] = ()) -> None:
        self.members: list[EncodedArticle] = []
        self._added = columns
        self._columns = {column.name: column for column in (*BASE, *columns)}
        self._values = {name: _Values(column) for name, column in self._columns.items()}
        self._ends = {kind: _Ends() for kind, lengths in _LENGTHS.items() if lengths}
        self._ids: set[str] = set()
        self._rows_of = StoryRows()
        self.first = 0
        """How many articles have left the window: the serial number of the first row."""

    def __len__(self) -> int:
        return len(self.members)

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return a column. Writing to it changes the window."""
        return self._values[name].view()

    @property
    def times(self) -> Floats:
        """When each article counts as published, in seconds: a late one from when it arrived."""
        return self["times"]

    @property
    def story(self) -> Ints:
        """The story of each article."""
        return self["story"]

    @property
    def confidence(self) -> Floats:
        """How confident the method is of each article's story."""
        return self["confidence"]

    @property
    def lengths(self) -> Ints:
        """How many sentences each article has."""
        return self["lengths"]

    @property
    def rows_of(self) -> StoryRows:
        """Which rows each story consists of; the rows without one are those of `UNDECIDED`."""
        self._rows_of.update(self.story, self.first)
        return self._rows_of

    def known(self, article: str) -> bool:
        """Say whether an article of this id is in the window."""
        return article in self._ids

    @property
    def terms(self) -> csr_array:
        """How often each article has each term, the fields side by side."""
        return self.term_table("term_counts", slice(None))

    def term_table(self, name: str, chosen: Ints | slice) -> csr_array:
        """Return some articles' values of a column of terms as a table, the fields side by side."""
        if isinstance(chosen, slice):
            start, stop, _ = chosen.indices(len(self))
            some = self._span(name, start, stop)
            lengths = self["term_lengths"][start:stop]
            values, columns = self[name][some], self["term_columns"][some]
        else:
            lengths = self["term_lengths"][chosen]
            places = _places(self._ends["term"].starts(chosen), lengths)
            values, columns = self[name][places], self["term_columns"][places]
        ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
        return csr_array((values, columns, ends), shape=(len(lengths), len(FIELDS) * BUCKETS))

    def of(self, name: str, article: int) -> NDArray[Any]:
        """Return an article's values in a column of sentences or terms."""
        return self[name][self._span(name, article, article + 1)]

    # -- rows come and go ---------------------------------------------------------------------

    def append(self, articles: Sequence[EncodedArticle], *, not_before: float) -> Ints:
        """Add new articles, a late one as of `not_before`; return their rows."""
        if not articles:
            return np.empty(0, dtype=np.int64)
        first = len(self)
        self.members.extend(articles)
        self._ids.update(member.article.id for member in articles)
        times = [max(member.article.published.timestamp(), not_before) for member in articles]
        counts = {
            "article": len(articles),
            "sentence": sum(len(member.vectors) for member in articles),
            "term": sum(len(member.reading.columns) for member in articles),
        }
        for name, column in self._columns.items():
            if name == "times":
                self._values[name].extend(np.array(times))
            elif column.derive:
                self._values[name].extend(column.derive(articles))
            else:
                shape = (counts[column.per], *column.shape)
                self._values[name].extend(np.full(shape, column.fill, dtype=column.dtype))
        self._add_ends(first)
        return np.arange(first, len(self))

    def evict(self, before: float) -> Window:
        """Remove the articles older than `before`, in seconds; return them as a window."""
        count = int(np.argmin(np.append(self.times < before, False)))
        gone = self.part(0, count)
        if count:
            spans = {name: self._span(name, 0, count) for name in self._columns}
            for name, span in spans.items():
                self._values[name].drop(span.stop)
            for ends in self._ends.values():
                ends.drop(count)
            self._ids.difference_update(member.article.id for member in gone.members)
            del self.members[:count]
            self.first += count
        return gone

    def part(self, start: int, stop: int) -> Window:
        """Return a copy of the rows from `start` to `stop`."""
        part = Window(self._added)
        part.members = self.members[start:stop]
        for name, values in part._values.items():
            values.extend(self[name][self._span(name, start, stop)])
        part._add_ends(0)
        return part

    def joined(self, later: Window) -> Window:
        """Return a window with these articles and then the later ones."""
        both = self.part(0, len(self))
        both.members += later.members
        for name, values in both._values.items():
            values.extend(later[name])
        both._add_ends(len(self))
        return both

    def keep_sentences(self, kept: NDArray[np.bool_], reader: Callable[..., Reading]) -> None:
        """Drop sentences for good; `kept` has a value for each sentence in the window.

        What is derived from articles that lost some is derived again.
        """
        for i, own in enumerate(np.split(kept, np.cumsum(self.lengths)[:-1]) if len(self) else []):
            member = self.members[i]
            if not own.all():
                sentences = [s for s, stays in zip(member.sentences, own, strict=True) if stays]
                reading = reader(member.article, sentences=sentences)
                self.members[i] = EncodedArticle(member.article, reading, member.vectors[own])
        for name, column in self._columns.items():
            if column.derive and len(self):
                self._values[name].set(column.derive(self.members).astype(column.dtype))
            elif column.per == "sentence":
                self._values[name].set(self[name][kept])
        self._ends = {kind: _Ends() for kind in self._ends}
        self._add_ends(0)

    # -- sentences ----------------------------------------------------------------------------

    def sentence_rows(self, chosen: Ints) -> Ints:
        """Return the rows of articles' sentences, one article's after another's."""
        return _places(self._ends["sentence"].starts(chosen), self.lengths[chosen])

    def sentence_table(self, chosen: Ints) -> Ints:
        """Return the rows of articles' sentences, (articles, longest); -1 where there is none."""
        lengths = self.lengths[chosen]
        places = np.arange(lengths.max(initial=0))
        table = self._ends["sentence"].starts(chosen)[:, None] + places
        return np.where(places < lengths[:, None], table, -1)

    # -- saving -------------------------------------------------------------------------------

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the columns that cannot be derived from the articles."""
        return {name: self[name] for name, column in self._columns.items() if not column.derive}

    def restore(
        self, members: Sequence[EncodedArticle], arrays: Mapping[str, NDArray[Any]]
    ) -> None:
        """Replace everything by articles and what `arrays` returned."""
        self.__dict__ = Window(self._added).__dict__
        self.append(members, not_before=-np.inf)
        for name, expected in self.arrays().items():
            if arrays[name].shape != expected.shape:
                raise ValueError(f"{name} of shape {arrays[name].shape}, not {expected.shape}")
            expected[:] = arrays[name]

    def _span(self, name: str, start: int, stop: int) -> slice:
        """Return where the values of the articles from `start` to `stop` are in a column."""
        kind = self._columns[name].per
        return slice(start, stop) if kind == "article" else self._ends[kind].span(start, stop)

    def _add_ends(self, first: int) -> None:
        """Note where the values of the rows from `first` on end."""
        for kind, ends in self._ends.items():
            ends.extend(self[str(_LENGTHS[kind])][first:])


def _places(starts: Ints, lengths: Ints) -> Ints:
    """Return the places of values that stand in runs of some lengths."""
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(lengths.sum())


class _Values:
    """An array that grows at its end and shrinks at its front, and is rarely copied."""

    def __init__(self, column: Column) -> None:
        self._room: NDArray[Any] = np.empty((0, *column.shape), dtype=column.dtype)
        self._start = self._stop = 0

    def view(self) -> NDArray[Any]:
        return self._room[self._start : self._stop]

    def extend(self, values: NDArray[Any]) -> None:
        count = self._stop - self._start + len(values)
        if self._stop + len(values) > len(self._room):
            room = np.empty((count + count // 4, *self._room.shape[1:]), dtype=self._room.dtype)
            room[: self._stop - self._start] = self.view()
            self._room, self._start, self._stop = room, 0, self._stop - self._start
        self._room[self._stop : self._stop + len(values)] = values
        self._stop += len(values)

    def drop(self, count: int) -> None:
        self._start += count

    def set(self, values: NDArray[Any]) -> None:
        self._room, self._start, self._stop = values, 0, len(values)


class _Ends:
    """Where the values of each article end in a column that has several for each."""

    def __init__(self) -> None:
        self._ends = _Values(Column("ends", np.int64))
        self._gone = 0

    def extend(self, lengths: Ints) -> None:
        ends = self._ends.view()
        last = int(ends[-1]) if len(ends) else self._gone
        self._ends.extend(last + np.cumsum(lengths))

    def drop(self, count: int) -> None:
        self._gone = int(self._ends.view()[count - 1])
        self._ends.drop(count)

    def starts(self, rows: Ints) -> Ints:
        before = self._ends.view()[rows - 1] - self._gone
        return np.where(rows > 0, before, 0)

    def span(self, start: int, stop: int) -> slice:
        first, last = (self._end_of(row) for row in (start, stop))
        return slice(first, max(first, last))

    def _end_of(self, count: int) -> int:
        """Return where the values of the first `count` articles end."""
        ends = self._ends.view()[:count]
        return int(ends[-1]) - self._gone if len(ends) else 0
