"""The sliding window: articles cut into slides, and the ones still in scope side by side.

Time is publication time. Slides are aligned to the epoch, so a slide of a day is a calendar day
in UTC. The window ends where its last slide ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack
from torch import Tensor

from scstory.text import BUCKETS, Reading, Wording, field_counts, read
from scstory.types import Article, EncodedArticle

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
UNDECIDED = -1
OPENING = 5
"""Sentences, the title among them, that make the opening of an article."""


def slide_index(time: datetime, slide: timedelta) -> int:
    """Return the number of the slide a time falls into."""
    return (time - EPOCH) // slide


def slide_start(index: int, slide: timedelta) -> datetime:
    """Return when a slide begins."""
    return EPOCH + index * slide


class SlideCutter:
    """Collects articles until one of a later slide shows that theirs is over.

    An article that comes after its slide was closed goes with the slide that is open.
    """

    def __init__(self, slide: timedelta, *, current: int | None = None) -> None:
        self._slide = slide
        self._open = current
        self._articles: list[Article] = []

    def add(self, article: Article) -> list[Article]:
        """Take an article; return the slide it closed, if it closed one."""
        index = slide_index(article.published, self._slide)
        later = self._open is None or index > self._open
        closed = self.close() if later else []
        self._open = index if later else self._open
        self._articles.append(article)
        return closed

    def close(self) -> list[Article]:
        """Return the open slide, in publication order, and start afresh."""
        closed, self._articles = self._articles, []
        return sorted(closed, key=lambda article: article.published)

    def __len__(self) -> int:
        return len(self._articles)


def cut_slides(articles: Iterable[Article], slide: timedelta) -> Iterator[list[Article]]:
    """Cut a stream into slides that hold at least one article."""
    cutter = SlideCutter(slide)
    for article in articles:
        if closed := cutter.add(article):
            yield closed
    if closed := cutter.close():
        yield closed


class Window:
    """The articles in scope, oldest first, and what is known of each, row by row.

    The sentence vectors of all articles stand below each other in one matrix, `sentences`;
    article i has the rows `starts[i]` to `starts[i] + lengths[i]`. A batch of articles, real or
    augmented, is then a table of row numbers (see `rows`). Of the fields of its text
    (`scstory.text.FIELDS`) the terms of the first `fields` are counted.
    """

    def __init__(self, dim: int, fields: int = 1) -> None:
        self.fields = fields
        self.members: list[EncodedArticle] = []
        self.times: list[datetime] = []
        self.sentences = torch.empty((0, dim), dtype=torch.float32)
        self.lengths: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self.story: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self.confidence: NDArray[np.float64] = np.empty(0)
        self.vectors: NDArray[np.float32] = np.empty((0, dim), dtype=np.float32)
        self.embedded: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        """The slide in which each of the vectors was made."""
        self.openings: NDArray[np.float32] = np.empty((0, 2, dim), dtype=np.float32)
        self.terms = csr_array((0, fields * BUCKETS))
        self.wordings: list[Wording] = []
        self.pooling: list[NDArray[np.float32]] = []
        self.shares: list[NDArray[np.float32]] = []
        self.received: list[NDArray[np.float32]] = []

    def __len__(self) -> int:
        return len(self.members)

    @property
    def sentences(self) -> Tensor:
        """The sentence vectors of all articles, one below the other."""
        return self._room[: self._filled]

    @sentences.setter
    def sentences(self, vectors: Tensor) -> None:
        self._room, self._filled = vectors, len(vectors)

    def _add_sentences(self, new: Tensor) -> None:
        """Put sentences below the others; room is made ahead, so that few are ever copied."""
        end = self._filled + len(new)
        if end > len(self._room):
            room = torch.empty((end + end // 4, new.shape[1]), dtype=torch.float32)
            room[: self._filled] = self.sentences
            self._room = room
        self._room[self._filled : end] = new
        self._filled = end

    @property
    def starts(self) -> NDArray[np.int64]:
        """The first row of each article in `sentences`."""
        return np.cumsum(self.lengths) - self.lengths

    def append(self, articles: list[EncodedArticle], *, not_before: datetime) -> None:
        """Take new articles in; a late one counts from `not_before`."""
        self.append_unread(articles, not_before=not_before)
        self.read()

    def append_unread(self, articles: list[EncodedArticle], *, not_before: datetime) -> None:
        """Take new articles in, but for their texts, which `read` must follow for."""
        if not articles:
            return
        lengths = [len(article.vectors) for article in articles]
        self.members.extend(articles)
        self.times.extend(max(a.article.published, not_before) for a in articles)
        new = np.concatenate([article.vectors for article in articles])
        self._add_sentences(torch.from_numpy(new))
        self.lengths = np.concatenate([self.lengths, lengths])
        count = len(articles)
        self.story = np.concatenate([self.story, np.full(count, UNDECIDED)])
        self.confidence = np.concatenate([self.confidence, np.zeros(count)])
        dim = self.sentences.shape[1]
        self.vectors = np.concatenate([self.vectors, np.zeros((count, dim), dtype=np.float32)])
        self.embedded = np.concatenate([self.embedded, np.zeros(count, dtype=np.int64)])
        openings = [[m.vectors[0], m.vectors[:OPENING].mean(axis=0)] for m in articles]
        self.openings = np.concatenate([self.openings, np.array(openings, dtype=np.float32)])
        self.pooling.extend(np.zeros(n, dtype=np.float32) for n in lengths)
        self.shares.extend(np.zeros(n, dtype=np.float32) for n in lengths)
        self.received.extend(np.zeros(n, dtype=np.float32) for n in lengths)

    def read(self) -> None:
        """Read the texts of articles that were taken in without."""
        readings = [self._read(member) for member in self.members[len(self.wordings) :]]
        if readings:
            counts = field_counts([reading.fields for reading in readings], self.fields)
            self.terms = csr_array(vstack([self.terms, counts]))
            self.wordings.extend(reading.wording for reading in readings)

    def _read(self, member: EncodedArticle) -> Reading:
        article = member.article
        return read(article.title, member.sentences, article.text, fields=self.fields)

    def evict(self, before: datetime) -> Window:
        """Let the articles older than `before` go; return them."""
        gone = 0
        while gone < len(self.times) and self.times[gone] < before:
            gone += 1
        oldest, rest = self._part(0, gone), self._part(gone, len(self))
        if gone:
            self.__dict__.update(rest.__dict__)
        return oldest

    def _part(self, start: int, end: int) -> Window:
        """Return the articles from `start` to `end` as a window of their own."""
        part = Window(self.sentences.shape[1], self.fields)
        first = int(self.lengths[:start].sum())
        last = first + int(self.lengths[start:end].sum())
        part.members, part.times = self.members[start:end], self.times[start:end]
        part.sentences = self.sentences[first:last].clone()
        part.lengths, part.story = self.lengths[start:end], self.story[start:end]
        part.confidence, part.vectors = self.confidence[start:end], self.vectors[start:end]
        part.embedded, part.openings = self.embedded[start:end], self.openings[start:end]
        part.terms, part.wordings = self.terms[start:end], self.wordings[start:end]
        part.pooling, part.received = self.pooling[start:end], self.received[start:end]
        part.shares = self.shares[start:end]
        return part

    def after(self, older: Window) -> Window:
        """Return a window that holds the articles of an older one and then these."""
        joined = Window(self.sentences.shape[1], self.fields)
        joined.members, joined.times = older.members + self.members, older.times + self.times
        joined.sentences = torch.cat([older.sentences, self.sentences])
        joined.lengths = np.concatenate([older.lengths, self.lengths])
        joined.story = np.concatenate([older.story, self.story])
        joined.confidence = np.concatenate([older.confidence, self.confidence])
        joined.vectors = np.concatenate([older.vectors, self.vectors])
        joined.embedded = np.concatenate([older.embedded, self.embedded])
        joined.openings = np.concatenate([older.openings, self.openings])
        joined.terms = csr_array(vstack([older.terms, self.terms]))
        joined.wordings = older.wordings + self.wordings
        joined.pooling = older.pooling + self.pooling
        joined.shares = older.shares + self.shares
        joined.received = older.received + self.received
        return joined

    def keep_sentences(self, article: int, kept: NDArray[np.int64]) -> None:
        """Drop all sentences of an article but those in `kept`, for good."""
        start, length = int(self.starts[article]), int(self.lengths[article])
        member = self.members[article]
        self.members[article] = EncodedArticle(
            member.article, tuple(member.sentences[i] for i in kept), member.vectors[kept]
        )
        rows = self.sentences[start : start + length][torch.from_numpy(kept)]
        self.sentences = torch.cat([self.sentences[:start], rows, self.sentences[start + length :]])
        self.lengths = self.lengths.copy()
        self.lengths[article] = len(kept)
        self.pooling[article] = self.pooling[article][kept]
        self.shares[article] = self.shares[article][kept]
        self.received[article] = self.received[article][kept]

    def rows_of(self, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the sentence rows of articles, one article's after the other's."""
        lengths = self.lengths[chosen]
        before = np.cumsum(lengths) - lengths
        return np.repeat(self.starts[chosen] - before, lengths) + np.arange(lengths.sum())

    def rows(self, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the sentence rows of articles as a table, -1 where there is none."""
        lengths = self.lengths[chosen]
        columns = np.arange(lengths.max(initial=0))
        table = self.starts[chosen][:, None] + columns
        return np.where(columns < lengths[:, None], table, -1)


def gather(
    sentences: Tensor, rows: NDArray[np.int64], device: torch.device
) -> tuple[Tensor, Tensor]:
    """Return the sentences a table of rows names, (batch, L, h), and the mask of real ones."""
    table = torch.from_numpy(rows)
    mask = table >= 0
    return sentences[table.clamp(min=0)].to(device), mask.to(device)
