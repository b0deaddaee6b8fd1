"""What all compared systems share: slides, the window, stories, and saving.

A system decides on the articles of a slide; what it looks at and how is its own. It sees the
articles of the slide and of the past, never labels, ids or the future.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scstory.config import parse_duration
from scstory.discovery.window import EPOCH, slide_index, slide_start
from scstory.errors import ConfigError
from scstory.text import TermStatistics, keywords, term_counts, terms, wording
from scstory.types import Assignment, EncodedArticle, KeySentence, State, Story


class Range(NamedTuple):
    """A parameter: its value when nobody tunes it, and the values tuning tries."""

    default: float
    grid: tuple[float, ...]


class Baseline(ABC):
    """A story discovery system behind the engine's interface.

    A subclass names its parameters in `ranges`, decides in `decide`, and puts what it remembers
    beyond the window into `remember` and `recall`.

    Parameters
    ----------
    pse
        Compare articles by the mean of their sentence vectors instead of by native features.
    parameters
        Values for the names in `ranges`.
    """

    name: ClassVar[str]
    ranges: ClassVar[Mapping[str, Range]] = {}

    def __init__(
        self, *, pse: bool = False, window: str = "7d", slide: str = "1d", **parameters: float
    ) -> None:
        for name in parameters:
            if name not in self.ranges:
                known = ", ".join(self.ranges) or "none"
                raise ConfigError(f"parameter {name!r} of {self.name}: there are {known}")
        self.pse = pse
        self.parameters = {n: parameters.get(n, r.default) for n, r in self.ranges.items()}
        self.window: timedelta = parse_duration(window, what="window")
        self.slide: timedelta = parse_duration(slide, what="slide")
        self.members: list[EncodedArticle] = []
        """The articles in the window, oldest first; while deciding, the new ones are at the end."""
        self.story: list[int] = []
        """The story of each member; -1 while undecided."""
        self.statistics = TermStatistics()
        """Document frequencies of the articles of past slides."""
        self._times: list[datetime] = []
        self._slide: int | None = None
        self._next_story = 1
        self._spans: dict[int, tuple[datetime, datetime, int]] = {}
        self._ended: list[Story] = []

    # -- for subclasses -----------------------------------------------------------------------

    @abstractmethod
    def decide(self, first: int) -> None:
        """Set `self.story[first:]`, and any earlier entry there is a change of mind about."""

    def forget(self, count: int) -> None:  # noqa: B027
        """Let go of what is remembered of the first `count` members; they leave the window."""

    def remember(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return what the system knows beyond the window, JSON-able and numeric."""
        return {}, {}

    def recall(self, meta: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:  # noqa: B027
        """Take back what `remember` returned; `members` and `story` are already in place."""

    def new_story(self) -> int:
        """Return the number for a story that is being founded."""
        self._next_story += 1
        return self._next_story - 1

    def now(self) -> datetime:
        """Return the end of the current slide."""
        assert self._slide is not None
        return slide_start(self._slide + 1, self.slide)

    def time_of(self, member: int) -> datetime:
        """Return when a member counts as published: a late one from when it came."""
        return self._times[member]

    # -- the engine's interface ---------------------------------------------------------------

    def process(self, articles: Sequence[EncodedArticle]) -> list[Assignment]:
        """Decide on the articles of one slide."""
        if not articles:
            return []
        indices = [slide_index(member.article.published, self.slide) for member in articles]
        self._slide = max(indices) if self._slide is None else max(self._slide, *indices)
        self._ended = []
        self._evict(self.now() - self.window)
        first = len(self.members)
        before = list(self.story)
        self.members.extend(articles)
        start = slide_start(self._slide, self.slide)
        self._times.extend(max(member.article.published, start) for member in articles)
        self.story.extend([-1] * len(articles))
        self.decide(first)
        assert min(self.story) >= 0, "every article must get a story"
        self.statistics.update(term_counts([article_terms(m) for m in articles]))
        return self._report(first, before)

    def finish(self) -> list[Assignment]:
        """Nothing is held back."""
        return []

    def stories(self) -> list[Story]:
        """Return the stories with an article in the window, the latest news first."""
        found = [self._describe(story) for story in sorted(set(self.story))]
        return sorted(found, key=lambda story: (story.last_seen, story.id), reverse=True)

    def ended(self) -> list[Story]:
        """Return the stories that left the window in the last call of `process`."""
        return self._ended

    def state(self) -> State:
        """Return all that is needed to go on exactly from here."""
        meta, arrays = self.remember()
        documents, used, counts = self.statistics.state()
        spans = [[s, a.isoformat(), b.isoformat(), n] for s, (a, b, n) in self._spans.items()]
        return State(
            {
                "system": self.name,
                "own": meta,
                "slide": self._slide,
                "next_story": self._next_story,
                "story": list(self.story),
                "times": [time.isoformat() for time in self._times],
                "spans": spans,
                "documents": documents,
            },
            {
                **{f"own.{name}": np.array(value) for name, value in arrays.items()},
                "terms.used": used,
                "terms.counts": counts,
            },
            tuple(self.members),
        )

    def restore(self, state: State) -> None:
        """Go on from a state."""
        meta = state.meta
        self.members = list(state.members)
        self.story = list(meta["story"])
        self._slide, self._next_story = meta["slide"], meta["next_story"]
        self._times = [datetime.fromisoformat(time) for time in meta["times"]]
        self._spans = {
            s: (datetime.fromisoformat(a), datetime.fromisoformat(b), n)
            for s, a, b, n in meta["spans"]
        }
        arrays = state.arrays
        self.statistics.restore(meta["documents"], arrays["terms.used"], arrays["terms.counts"])
        own = {k.removeprefix("own."): v for k, v in arrays.items() if k.startswith("own.")}
        self.recall(meta["own"], own)

    # -- inside -------------------------------------------------------------------------------

    def _evict(self, before: datetime) -> None:
        gone = sum(time < before for time in self._times)
        if not gone:
            return
        active = set(self.story[gone:])
        for story in sorted(set(self.story[:gone]) - active):
            self._ended.append(self._describe(story, active=False))
            del self._spans[story]
        self.forget(gone)
        del self.members[:gone], self.story[:gone], self._times[:gone]

    def _report(self, first: int, before: list[int]) -> list[Assignment]:
        known = set(before)
        decided = []
        for i, (member, story) in enumerate(zip(self.members, self.story, strict=True)):
            moved = i < first and before[i] != story
            if i >= first or moved:
                was = before[i] if moved else None
                new = story not in known and story not in self._spans
                decided.append(Assignment(member.article.id, story, 1.0, new, was=was))
                known.add(story)
        for i in range(first, len(self.members)):
            time, story = self.members[i].article.published, self.story[i]
            start, end, count = self._spans.get(story, (time, time, 0))
            self._spans[story] = (min(start, time), max(end, time), count + 1)
        for i in range(first):
            if before[i] != self.story[i]:
                self._move(self.members[i].article.published, before[i], self.story[i])
        active = set(self.story)
        self._spans = {s: span for s, span in self._spans.items() if s in active}
        return decided

    def _move(self, time: datetime, source: int, target: int) -> None:
        start, end, count = self._spans.get(target, (time, time, 0))
        self._spans[target] = (min(start, time), max(end, time), count + 1)
        start, end, count = self._spans[source]
        self._spans[source] = (start, end, count - 1)

    def _describe(self, story: int, *, active: bool = True) -> Story:
        rows = [i for i, s in enumerate(self.story) if s == story]
        articles = sorted(
            (self.members[i].article for i in rows), key=lambda article: article.published
        )
        texts = [wording(f"{article.title}. {article.text}") for article in articles]
        start, end, count = self._spans[story]
        return Story(
            id=story,
            title=articles[0].title or self.members[rows[0]].sentences[0],
            keywords=keywords(texts, self.statistics),
            key_sentences=tuple(
                KeySentence(self.members[i].sentences[-1], self.members[i].article.id, 1.0)
                for i in rows[:1]
            ),
            first_seen=start,
            last_seen=end,
            articles=tuple(article.id for article in articles),
            size=count,
            confidence=1.0,
            active=active,
        )


def article_terms(member: EncodedArticle) -> list[str]:
    """Return the terms of an article's title and text."""
    return terms(f"{member.article.title}\n{member.article.text}")


def mean_vector(member: EncodedArticle) -> NDArray[np.float64]:
    """Return the mean of an article's sentence vectors, of unit length: the +PSE feature."""
    mean = member.vectors.mean(axis=0, dtype=np.float64)
    return np.asarray(mean / max(float(np.linalg.norm(mean)), 1e-12))


def days(later: datetime, earlier: datetime) -> float:
    """Return the days from one time to another."""
    return (later - earlier) / timedelta(days=1)


def to_time(seconds: float) -> datetime:
    """Return the time a number of seconds after the epoch."""
    return EPOCH + timedelta(seconds=seconds)
