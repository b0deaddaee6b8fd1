"""The sliding window: the articles in scope, oldest first, as a table.

A column is declared once, by the window itself or by a method. Appending, slicing, joining,
evicting and saving rows all follow from the declaration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from scstory.discovery.columns import Column, Ends, Ints, Values, places_of
from scstory.discovery.key_index import KeyIndex
from scstory.discovery.members import Members
from scstory.discovery.story_rows import StoryRows
from scstory.text import BUCKETS, FIELDS
from scstory.types import EncodedArticle, Reading, Vectors

__all__ = ["BASE", "Column", "Floats", "Ints", "Window"]
Floats = NDArray[np.float64]

UNDECIDED = -1
"""The story of an article that has none yet."""
MOST_USES = 2**8 - 1
"""Uses of a term that count in an article."""
EVERY = 2**62
"""More articles than there are."""
RESTORED = 512
"""Articles that are restored at a time: the others are not in memory meanwhile."""


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
        np.uint8,
        per="term",
        derive=lambda new: np.minimum(np.concatenate([m.reading.counts for m in new]), MOST_USES),
    ),
)
"""What is known of every article, whatever the method: when it counts as published and when it was,
in seconds; its story and the confidence in it; how story-indicative each of its sentences is; its
terms."""


class Window:
    """The articles in scope and what is known of each."""

    def __init__(self, columns: Sequence[Column] = ()) -> None:
        self.members = Members()
        self._added = columns
        self._columns = {column.name: column for column in (*BASE, *columns)}
        self._values = {name: Values(column) for name, column in self._columns.items()}
        self._ends = {kind: Ends() for kind, lengths in _LENGTHS.items() if lengths}
        self._ids: set[str] = set()
        self._rows_of = StoryRows()
        self._indexes: dict[str, tuple[KeyIndex, int]] = {}
        """Which articles have a number in a column, and up to which serial number that is known."""
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
            places = places_of(self._ends["term"].starts(chosen), lengths)
            values, columns = self[name][places], self["term_columns"][places]
        ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
        if values.dtype == np.float16:
            values = values.astype(np.float32)
        elif not np.issubdtype(values.dtype, np.floating):
            values = values.astype(np.float64)
        return csr_array((values, columns, ends), shape=(len(lengths), len(FIELDS) * BUCKETS))

    def of(self, name: str, article: int) -> NDArray[Any]:
        """Return an article's values in a column of sentences or terms."""
        return self[name][self._span(name, article, article + 1)]

    def having(self, name: str, keys: Ints) -> tuple[Ints, Ints]:
        """Return the articles that have some of these numbers in a column of sentences.

        They are returned as places in `keys` and rows, in ascending order of rows. Numbers count as
        equal if their lower 32 bits are, so an article may be returned that has none of them.
        """
        index, known = self._indexes.get(name, (KeyIndex(), self.first))
        new = np.arange(max(known - self.first, 0), len(self))
        if len(new):
            serials = self.first + np.repeat(new, self.lengths[new])
            index.add_many(serials, self[name][self.sentence_rows(new)], first=self.first)
        self._indexes[name] = index, self.first + len(self)
        places, serials = index.find(keys, first=self.first, most=EVERY)
        order = np.argsort(serials, kind="stable")
        return places[order], serials[order] - self.first

    # -- rows come and go ---------------------------------------------------------------------

    def append(self, articles: Sequence[EncodedArticle], *, not_before: float) -> Ints:
        """Add new articles, a late one as of `not_before`; return their rows."""
        if not articles:
            return np.empty(0, dtype=np.int64)
        first = len(self)
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
        self.members.extend(articles)
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
            self._ids.difference_update(gone.members.ids)
            self.members.drop(count)
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
        both.members.extend(later.members)
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
        self._ends, self._indexes = {kind: Ends() for kind in self._ends}, {}
        self._add_ends(0)

    # -- sentences ----------------------------------------------------------------------------

    def sentence_rows(self, chosen: Ints) -> Ints:
        """Return the rows of articles' sentences, one article's after another's."""
        return places_of(self._ends["sentence"].starts(chosen), self.lengths[chosen])

    def sentence_table(self, chosen: Ints) -> Ints:
        """Return the rows of articles' sentences, (articles, longest); -1 where there is none."""
        lengths = self.lengths[chosen]
        places = np.arange(lengths.max(initial=0))
        table = self._ends["sentence"].starts(chosen)[:, None] + places
        return np.where(places < lengths[:, None], table, -1)

    def sentence_vectors(self, rows: Ints) -> Vectors:
        """Return the vectors of sentences, given as `sentence_rows` returns them."""
        owner = self._ends["sentence"].owners(rows)
        starts = self._ends["sentence"].starts(owner)
        first = np.flatnonzero(np.diff(owner, prepend=-1))
        parts = [
            self.members.vectors(int(owner[start]))[rows[start:stop] - starts[start]]
            for start, stop in pairwise([*first.tolist(), len(rows)])
        ]
        return np.concatenate(parts) if parts else np.empty((0, 0), dtype=np.float32)

    # -- saving -------------------------------------------------------------------------------

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the columns that cannot be derived from the articles."""
        return {name: self[name] for name, column in self._columns.items() if not column.derive}

    def layout(self) -> dict[str, Any]:
        """Return how many articles and sentences have left, and the columns of sentences."""
        of_sentences = [name for name, c in self._columns.items() if c.per == "sentence"]
        gone = self._ends["sentence"].gone
        return {"articles": self.first, "sentences": gone, "of_sentences": of_sentences}

    def restore(
        self,
        members: Iterable[EncodedArticle],
        arrays: Mapping[str, NDArray[Any]],
        layout: Mapping[str, Any] | None = None,
    ) -> None:
        """Replace everything by articles and what `arrays` and `layout` returned."""
        self.__dict__ = Window(self._added).__dict__
        if layout:
            self.first = int(layout["articles"])
            self._ends["sentence"].gone = int(layout["sentences"])
        rest = iter(members)
        while some := list(islice(rest, RESTORED)):
            self.append(some, not_before=-np.inf)
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
