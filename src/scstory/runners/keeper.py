"""The keeper: the one who decides on articles and commits, a step a transaction.

It is fed in two ways: from the store's inbox, article by article as they were accepted (`step`),
or with whole slides (`take`), as a run from files does. Whatever goes wrong on the way, the engine
goes back to what the store has, and nothing is lost or done twice.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import takewhile

import numpy as np

from scstory.discovery import StoryDiscovery
from scstory.discovery.window import slide_index, slide_start
from scstory.errors import Kept
from scstory.runners.late import LatePlacer
from scstory.store import Store
from scstory.types import Article, Assignment, EncodedArticle, Story
from scstory.vectors import EncodeAhead, Unencodable

GRACE = timedelta(minutes=30)
"""How long after its end a slide stays open for articles that are on their way."""
AHEAD = timedelta(minutes=15)
"""How far into the future a date may lie: clocks differ a little."""
LONGEST_WAIT = 60.0
"""Seconds between attempts when the store keeps failing."""


@dataclass(frozen=True, slots=True)
class Slide:
    """Articles that have been decided and committed, and the stories after that."""

    articles: Sequence[EncodedArticle]
    decided: Sequence[Assignment]
    stories: Sequence[Story]


def _now() -> datetime:
    return datetime.now(UTC)


class Keeper:
    """Takes articles from where they wait, has them decided, commits.

    Parameters
    ----------
    clock
        What time it is, for closing slides and for dates in the future.
    grace
        How long after its end a slide stays open.
    stand_by
        Whether to wait for a store that somebody else keeps, where stores allow that.
    on_slide
        Called after every commit.
    encoding
        Who encodes; a thread beside the keeper unless given.
    on_problem
        Called with an article and what was wrong with it, or with None and what went wrong.
    """

    def __init__(
        self,
        engine: StoryDiscovery,
        store: Store,
        *,
        clock: Callable[[], datetime] = _now,
        grace: timedelta = GRACE,
        encoding: EncodeAhead | None = None,
        stand_by: bool = False,
        on_slide: Callable[[Slide], None] = lambda slide: None,
        on_problem: Callable[[Article | None, str], None] = lambda article, problem: None,
    ) -> None:
        self.engine, self.store = engine, store
        self.encoding = encoding or EncodeAhead(
            engine.encoder, max_sentences=engine.parameters.max_sentences
        )
        self._clock, self._grace = clock, grace
        self._on_slide, self._on_problem = on_slide, on_problem
        self._late = LatePlacer(engine, store)
        self._begun = engine.state()
        self._stale = False
        self.standing_by: str | None = None
        """Who keeps the store instead, if somebody does."""
        try:
            store.claim()
        except Kept as kept:
            if not stand_by or not store.shared:
                raise
            self._stale, self.standing_by = True, str(kept)

    # -- from the inbox -----------------------------------------------------------------------

    def run(self, stop: threading.Event, *, poll: float = 1.0) -> None:
        """Decide on what comes in until told to stop; what fails is reported and tried again."""
        wait = poll
        while not stop.is_set():
            try:
                while not stop.is_set() and self.step():
                    pass
                self.close_if_due()
                wait = poll
            except Kept as kept:
                if self.standing_by != str(kept):
                    self._on_problem(None, f"standing by: {kept}")
                wait, self.standing_by = poll, str(kept)
            except Exception as error:  # whatever it is, the engine goes back to what is stored
                wait = min(2 * wait, LONGEST_WAIT)
                self._on_problem(None, str(error))
            stop.wait(wait)

    def step(self, limit: int = 256) -> Slide | None:
        """Decide on what waits, commit it, return it; None if nothing waits."""
        with self._whole():
            waiting = self.store.pending(limit + self.encoding.ahead(limit))
            if not waiting:
                return None
            now = self._clock()
            dated = [_not_after(now, article) for article in waiting]
            in_time = self._in_time(dated)
            self.encoding.expect([a for a in dated if a.id in in_time], at_a_time=limit)
            timely = [*takewhile(lambda article: article.id in in_time, dated[:limit])]
            if not timely:
                return self._take_late(waiting[0])
            for article in waiting[: len(timely)]:
                if article.published > now + AHEAD:
                    date = f"{article.published:%Y-%m-%d %H:%M}"
                    self._on_problem(article, f"dated {date}, in the future; taken as of now")
            return self._decide(self._encode(timely))

    def close_if_due(self) -> Slide | None:
        """Close the open slide if its time and the grace are over; return what that changed."""
        with self._whole():
            slide = self.engine.current_slide
            if slide is None or not self.engine.open_articles:
                return None
            end = slide_start(slide + 1, self.engine.parameters.slide_length)
            if self._clock() < end + self._grace:
                return None
            return self._commit([], self.engine.close())

    # -- slide by slide -----------------------------------------------------------------------

    def take(self, articles: Sequence[Article]) -> Slide:
        """Decide on the articles of a slide, close it, commit."""
        with self._whole():
            encoded = self._encode(articles)
            try:
                decided = self.engine.process(encoded)
            except Exception:
                self._go_back()
                encoded = self._sound(encoded)
                decided = self.engine.process(encoded)
            return self._commit(encoded, decided)

    def finish(self) -> Slide | None:
        """Decide on what the engine still holds back, since the stream has ended."""
        with self._whole():
            was_open = self.engine.open_articles > 0
            decided = self.engine.finish()
            return self._commit([], decided) if decided or was_open else None

    # -- how it is done -----------------------------------------------------------------------

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """Let the engine go back to what the store has if something fails on the way."""
        if self._stale or not self.store.keeping():
            self._stale = True
            self.store.claim()  # somebody else may have become the one who commits
            self.standing_by = None
            self._go_back()
        self._stale = True
        yield
        self._stale = False

    def _go_back(self) -> None:
        self.engine.restore(self.store.state() or self._begun)
        self._stale = False

    def _in_time(self, articles: Sequence[Article]) -> set[str]:
        """Return which articles are not older than the window by the time they are decided on."""
        parameters, current = self.engine.parameters, self.engine.current_slide
        found = set()
        for article in articles:
            if current is not None:
                end = slide_start(current + 1, parameters.slide_length)
                if article.published < end - parameters.window_length:
                    continue
            index = slide_index(article.published, parameters.slide_length)
            current = index if current is None else max(current, index)
            found.add(article.id)
        return found

    def _take_late(self, article: Article) -> Slide:
        """Keep an article from before the window, with its old story if there is one."""
        decision, story = self._late.place(article)
        member = EncodedArticle(article, (), np.empty((0, self.engine.encoder.dim), np.float32))
        return self._commit([member], [decision], also=[story], late=[article.id])

    def _encode(self, articles: Sequence[Article]) -> list[EncodedArticle]:
        """Encode articles; park those that cannot be."""
        found = []
        for one in self.encoding.encode(articles):
            if isinstance(one, Unencodable):
                self._park(one.article, one.error)
            else:
                found.append(one)
        return found

    def _decide(self, encoded: Sequence[EncodedArticle]) -> Slide:
        """Decide on articles of the inbox; if that fails, on the first of them alone."""
        try:
            decided = self.engine.decide(encoded)
        except Exception as error:
            self._go_back()
            if len(encoded) > 1:
                return self._decide(encoded[:1])
            self._park(encoded[0].article, error)
            return Slide((), (), ())
        return self._commit(encoded, decided)

    def _sound(self, articles: Sequence[EncodedArticle]) -> list[EncodedArticle]:
        """Return the articles that can be decided on; park the others."""
        found = []
        for member in articles:
            try:
                self.engine.decide([member])
                found.append(member)
            except Exception as error:
                self._park(member.article, error)
                self._go_back()
                self.engine.decide(found)
        self._go_back()
        return found

    def _park(self, article: Article, error: Exception) -> None:
        reason = f"{type(error).__name__}: {error}"
        self.store.park(article, reason)
        self._on_problem(article, f"put aside ({reason}); scstory doctor --retry tries again")

    def _commit(
        self,
        articles: Sequence[EncodedArticle],
        decided: Sequence[Assignment],
        *,
        also: Sequence[Story] = (),
        late: Collection[str] = (),
    ) -> Slide:
        engine = self.engine
        stories = [*engine.stories(), *engine.ended(), *also]
        self.store.commit(
            articles, decided, stories, engine.state(), late=late, redirects=self._merged(decided)
        )
        slide = Slide(articles, decided, stories)
        self._on_slide(slide)
        return slide

    def _merged(self, decided: Sequence[Assignment]) -> dict[int, int]:
        """Return the stories that are left without an article, and where the last one went."""
        went = {d.was: d.story for d in decided if d.was is not None}
        merged = {s.id: went[s.id] for s in self.engine.ended() if not s.size and s.id in went}
        for old, new in merged.items():
            while new in merged:
                new = merged[new]
            merged[old] = new
        return merged


def _not_after(now: datetime, article: Article) -> Article:
    """Return an article as it is, or as of now if its date lies in the future."""
    return article if article.published <= now + AHEAD else replace(article, published=now)
