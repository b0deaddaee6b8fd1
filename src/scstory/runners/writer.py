"""The writer: the one process that decides the articles of a store's inbox and commits.

Articles are decided in the order in which they were accepted, some of them at a time (`step`), and
each step is one transaction. Whatever fails on the way, the engine goes back to the state that the
store has, so nothing is lost or done twice.
"""

import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import takewhile

from scstory.discovery import Engine
from scstory.discovery.slides import slide_index, slide_start
from scstory.errors import AlreadyClaimed, ScstoryError, StoreError
from scstory.runners.closed_slides import ClosedSlides
from scstory.runners.desk import Desk, Outcome
from scstory.runners.late import LatePlacer
from scstory.store import Store
from scstory.store.address import db_option
from scstory.store.correction_records import CorrectionRow
from scstory.store.store_reader import utc_now
from scstory.text.language import language_of
from scstory.types import Article, Assignment, EncodedArticle, Story
from scstory.vectors import Prefetcher, Unencodable
from scstory.vectors.auto_encoder import AUTO, AutoEncoder, served_languages, unserved

FIRST_DAY = 10_000
"""How many articles of the first slide are looked at to choose the encoder `auto`."""
MAX_STEP = 256
"""How many articles are decided in one step at most."""
SLIDE_GRACE = timedelta(minutes=30)
"""How long after its end a slide stays open for articles that are on their way."""
CLOCK_SKEW = timedelta(minutes=15)
"""How far in the future a date may lie, since clocks differ a little."""
LONGEST_PAUSE = 60.0
"""Seconds between two attempts when the store keeps failing."""


@dataclass(frozen=True, slots=True)
class Step:
    """Articles that were decided and committed together, and the stories that this changed."""

    articles: Sequence[Article]
    decided: Sequence[Assignment]
    stories: Sequence[Story]
    unserved: Mapping[str, int] = field(default_factory=dict)
    """How many of the articles are in each language that the encoder does not serve."""


class Writer:
    """Takes articles from the inbox, has the engine decide them, and commits.

    Parameters
    ----------
    clock
        The time, for closing slides and for dates in the future.
    grace
        How long after its end a slide stays open.
    encoding
        What encodes articles; a thread of this process unless given.
    stand_by
        Whether to wait for a store that has another writer, where the store allows that.
    on_step
        Called after every commit.
    on_problem
        Called with an article that was parked and the reason, or with None and what failed.
    """

    def __init__(
        self,
        engine: Engine,
        store: Store,
        *,
        clock: Callable[[], datetime] = utc_now,
        grace: timedelta = SLIDE_GRACE,
        encoding: Prefetcher | None = None,
        stand_by: bool = False,
        on_step: Callable[[Step], None] = lambda step: None,
        on_problem: Callable[[Article | None, str], None] = lambda article, problem: None,
    ) -> None:
        self.engine, self.store = engine, store
        self.encoding = encoding or Prefetcher(engine.encoder, reader=engine.settings.reader())
        self.standing_by: str | None = None
        """Why this process only stands by, if it does: which process is the writer."""
        self._clock, self._grace = clock, grace
        self._on_step, self._on_problem = on_step, on_problem
        self._late, self._desk = LatePlacer(engine, store), Desk(engine, store)
        self._closed = ClosedSlides(engine)
        self._initial = engine.state()
        self._stale = False
        self._warned_of: set[str] = set()
        try:
            store.claim()
        except AlreadyClaimed as claimed:
            if not stand_by or not store.shared:
                raise
            self._stale, self.standing_by = True, str(claimed)

    def run(self, stop: threading.Event, *, poll: float = 1.0) -> None:
        """Decide what comes in until told to stop; report what fails, and retry."""
        pause = poll
        while not stop.is_set():
            try:
                while not stop.is_set() and self.step():
                    pass
                self.close_if_due()
                pause = poll
            except AlreadyClaimed as claimed:
                if self.standing_by != str(claimed):
                    self._on_problem(None, f"standing by: {claimed}")
                pause, self.standing_by = poll, str(claimed)
            except Exception as error:  # whatever it is, the engine goes back to the stored state
                pause = min(2 * pause, LONGEST_PAUSE)
                self._on_problem(None, str(error))
            stop.wait(pause)

    def step(self, limit: int = MAX_STEP, *, prefetch: int | None = None) -> Step | None:
        """Decide and commit the articles that have waited longest; None if none waits.

        A correction that waits comes first. Meanwhile the next articles are encoded, `prefetch` of
        them.
        """
        with self._consistent():
            if (asked := self.store.waiting_correction()) is not None:
                return self._correct(asked)
            self._choose_encoder()
            if prefetch is None:
                prefetch = self.encoding.depth(limit)
            waiting = self.store.pending(limit + prefetch)
            if not waiting:
                return None
            now = self._clock()
            dated = [_not_after(now, article) for article in waiting]
            in_time = self._in_time(dated)
            self.encoding.expect([a for a in dated if a.id in in_time], at_a_time=limit)
            timely = [*takewhile(lambda article: article.id in in_time, dated[:limit])]
            if not timely:
                return self._place_late(waiting[0])
            for article in waiting[: len(timely)]:
                if article.published > now + CLOCK_SKEW:
                    date = f"{article.published:%Y-%m-%d %H:%M}"
                    problem = f"{article.id}: dated {date}, in the future; taken as of now"
                    self._on_problem(None, problem)
            return self._decide(self._encode(timely))

    def prefetch(self, limit: int) -> None:
        """Begin to encode the articles that have waited longest."""
        self._choose_encoder()
        self.encoding.expect(self.store.pending(limit))

    def drain(self) -> None:
        """Decide everything that waits."""
        while self.step():
            pass

    def close_if_due(self) -> Step | None:
        """Close the open slide if its time and the grace have passed; return what that changed."""
        with self._consistent():
            slide = self.engine.current_slide
            if slide is None or not self.engine.open_articles:
                return None
            end = slide_start(slide + 1, self.engine.settings.slide_length)
            if self._clock() < end + self._grace:
                return None
            return self._commit([], self.engine.close())

    def finish(self) -> Step | None:
        """Close the open slide and decide what the engine holds back: the sources have ended."""
        with self._consistent():
            was_open = self.engine.open_articles > 0
            decided = self.engine.finish()
            return self._commit([], decided) if decided or was_open else None

    # -- how it is done -----------------------------------------------------------------------

    @contextmanager
    def _consistent(self) -> Iterator[None]:
        """Restore the engine from the store the next time if something fails on the way."""
        if self._stale or not self.store.is_writer():
            self._stale = True
            self.store.claim()  # another process may have become the writer
            self._restore()
            if self.standing_by:
                self._on_problem(None, "taken over: this process is the writer from now on")
                self.standing_by = None
        self._stale = True
        yield
        self._stale = False

    def _choose_encoder(self) -> None:
        """Let the articles of the first slide choose the encoder `auto`, as far as they are here.

        However many of them are encoded at a time, it is these that choose it.
        """
        encoder = self.engine.encoder
        if not isinstance(encoder, AutoEncoder) or encoder.name != AUTO:
            return
        if waiting := self.store.pending(FIRST_DAY):
            length = self.engine.settings.slide_length
            first = slide_index(waiting[0].published, length)
            some = [a for a in waiting if slide_index(a.published, length) == first]
            encoder.choose([language_of(article) for article in some])

    def _restore(self) -> None:
        self.engine.restore(self.store.state() or self._initial)
        self._closed.forget()
        self._stale = False

    def _correct(self, asked: CorrectionRow) -> Step:
        """Carry out and commit a correction; refuse one that cannot be carried out."""
        try:
            outcome = self._desk.carry_out(asked)
        except StoreError:
            raise
        except Exception as error:
            self._restore()
            known = isinstance(error, ScstoryError)
            reason = str(error) if known else f"{type(error).__name__}: {error}"
            self.store.refuse(asked.number, reason)
            self._on_problem(None, f"correction {asked.number}: refused ({reason})")
            return Step((), (), ())
        return self._commit([], outcome.decided, also=outcome.also, outcome=outcome)

    def _in_time(self, articles: Sequence[Article]) -> set[str]:
        """Return which articles are not older than the window when their turn comes."""
        settings, current = self.engine.settings, self.engine.current_slide
        found = set()
        for article in articles:
            if current is not None:
                end = slide_start(current + 1, settings.slide_length)
                if article.published < end - settings.window_length:
                    continue
            index = slide_index(article.published, settings.slide_length)
            current = index if current is None else max(current, index)
            found.add(article.id)
        return found

    def _place_late(self, article: Article) -> Step:
        """Commit an article from before the window, with its old story if there is one."""
        decision, story = self._late.place(article)
        return self._commit([article], [decision], also=[story], late=[article.id])

    def _encode(self, articles: Sequence[Article]) -> list[EncodedArticle]:
        """Encode articles; park those that cannot be encoded."""
        found = []
        for one in self.encoding.encode(articles):
            if isinstance(one, Unencodable) and isinstance(one.error, OSError):
                # A full disk, say, is not the fault of the article: it waits, and so do the others.
                self.encoding.expect([])
                raise StoreError(f"{one.article.id}: cannot be read for now ({one.error})")
            if isinstance(one, Unencodable):
                self._park(one.article, one.error)
            else:
                found.append(one)
        return found

    def _decide(self, encoded: Sequence[EncodedArticle]) -> Step:
        """Decide and commit articles; if that fails, the first half of them, down to a single one.

        The other half waits for the next step. A single article that fails is parked.
        """
        try:
            decided = self.engine.decide(encoded)
        except StoreError:  # no room for a temporary file, say, is not the fault of an article
            raise
        except Exception as error:
            self._restore()
            if len(encoded) > 1:
                return self._decide(encoded[: len(encoded) // 2])
            self._park(encoded[0].article, error)
            return Step((), (), ())
        served = served_languages(self.engine.encoder)
        unserved_here = unserved((member.reading.language for member in encoded), served)
        return self._commit(
            [member.article for member in encoded], decided, unserved_here=unserved_here
        )

    def _park(self, article: Article, error: Exception) -> None:
        reason = f"{type(error).__name__}: {error}"
        self.store.park(article, reason)
        retry = f"scstory doctor --retry{db_option(self.store.name)}"
        self._on_problem(article, f"parked ({reason}); {retry} tries again")

    def _commit(
        self,
        articles: Sequence[Article],
        decided: Sequence[Assignment],
        *,
        also: Sequence[Story] = (),  # unless the engine has them
        late: Collection[str] = (),
        outcome: Outcome | None = None,
        unserved_here: Mapping[str, int] | None = None,
    ) -> Step:
        engine = self.engine
        stories = [*engine.changed_stories(), *engine.ended()]
        stories += [past for past in also if past.id not in {story.id for story in stories}]
        redirects = self._merged(decided) | dict(outcome.redirects if outcome else {})
        self.store.commit(
            articles,
            decided,
            stories,
            engine.state(),
            late=late,
            redirects=redirects,
            correction=outcome.applied if outcome else None,
            closings=self._closed.closings,
        )
        self._closed.forget()
        step = Step(articles, decided, stories, unserved_here or {})
        self._warn_of(step.unserved)
        self._on_step(step)
        return step

    def _warn_of(self, unserved: Mapping[str, int]) -> None:
        """Say once of each language that the encoder does not serve what that means."""
        for language in unserved.keys() - self._warned_of:
            self._warned_of.add(language)
            self._on_problem(
                None,
                f"articles in {language}: the encoder {self.engine.encoder.name} does not serve "
                "this language, so they are compared by their words alone (see docs/languages.md)",
            )

    def _merged(self, decided: Sequence[Assignment]) -> dict[int, int]:
        """Return the stories that are left without an article, and where their last one went."""
        went = {d.was: d.story for d in decided if d.was is not None}
        merged = {s.id: went[s.id] for s in self.engine.ended() if not s.size and s.id in went}
        for old, new in merged.items():
            while new in merged:
                new = merged[new]
            merged[old] = new
        return merged


def _not_after(now: datetime, article: Article) -> Article:
    """Return an article as it is, or as of now if its date lies in the future."""
    return article if article.published <= now + CLOCK_SKEW else replace(article, published=now)
