"""Articles handed over to the writer in another process, and reports of what becomes of them."""

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import timedelta

from scstory.config import Settings
from scstory.discovery.presets import make_settings, saved_settings
from scstory.errors import AlreadyClaimed
from scstory.feeds import Item
from scstory.runners.engine_setup import opened, refuse_other_settings
from scstory.runners.listener import Listener
from scstory.runners.run_sources import (
    LocalDecider,
    Reading,
    Summary,
    accept_sources,
    counting_writer,
)
from scstory.runners.writer import Step, Writer
from scstory.store import Store
from scstory.store.address import db_option
from scstory.text.language import language_of
from scstory.types import Article, Assignment
from scstory.vectors.auto_encoder import unserved
from scstory.vectors.registry import SERVED

POLL_SECONDS = 0.25
"""Seconds between two queries for decisions."""
CLAIM_SECONDS = 3.0
"""Seconds without a decision after which this process tries to become the writer itself."""
SILENT_SECONDS = 30.0
"""Seconds without a decision after which the user gets a notice."""
MAX_HANDED_OVER = 10_000
"""Articles that may wait for their decision before more are read."""


def hand_over(
    reading: Reading, store: Store, settings: Settings, claimed: AlreadyClaimed
) -> Summary:
    """Read sources to their end and have the writer of the store decide their articles.

    Returns when all of them are decided. If the writer ends meanwhile, this process becomes the
    writer and decides the rest. Settings that contradict those of the database are refused.
    """
    refuse_other_settings(store, settings)
    summary, listener = reading.summary, reading.listener
    listener.notice(
        f"{claimed.database}: {claimed.holder} is its writer, so these articles are handed over to "
        "it; Ctrl-C leaves them in its inbox"
    )
    with ExitStack() as stack:

        def take_over() -> Writer:
            engine, encoding = stack.enter_context(
                opened(store, settings, on_problem=listener.notice)
            )
            return counting_writer(engine, store, summary, listener, encoding=encoding)

        decider = RemoteDecider(store, settings, summary, listener, claimed.holder, take_over)
        accept_sources(reading, store, decider)
    return summary


class RemoteDecider:
    """Has another process decide, by way of the store; decides itself if that process ends."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        summary: Summary,
        listener: Listener,
        holder: str,
        take_over: Callable[[], Writer],
    ) -> None:
        self._store, self._summary, self._listener = store, summary, listener
        self._holder, self._take_over = holder, take_over
        self._sequence, self._event = store.last_sequence(), store.last_event()
        self._undecided: dict[str, Article] = {}
        self._stories: dict[str, int] = {}
        self._local: LocalDecider | None = None
        self._last_report = self._last_claim = time.monotonic()
        self._silence_reported = False
        engine = store.engine()
        self.slide_length: timedelta = (
            saved_settings(engine)
            if engine
            else make_settings(settings.preset or "default", settings.discovery)
        ).slide_length
        self.current_slide: int | None = engine.get("slide")

    def decide(self, articles: Sequence[Article], *, source_may_pause: bool) -> None:
        """Report what has been decided; wait only if very many articles are undecided."""
        if self._local:
            self._local.decide(articles, source_may_pause=source_may_pause)
            return
        self._undecided |= {article.id: article for article in articles}
        if self._report() or articles:
            self._last_report = time.monotonic()
        while len(self._undecided) > MAX_HANDED_OVER:
            self._wait()

    def finish(self) -> None:
        """Wait until all articles are decided."""
        while self._undecided:
            self._wait()
        if self._local:
            self._local.finish()

    def _wait(self) -> None:
        """Report what has been decided; if nothing was for some time, try to become the writer."""
        now = time.monotonic()
        if self._report() or self._report_parked():
            self._last_report, self._silence_reported = now, False
            return
        silent = now - self._last_report
        if silent > CLAIM_SECONDS and now - self._last_claim > CLAIM_SECONDS:
            try:
                self._store.claim()
            except AlreadyClaimed as claimed:
                self._holder = claimed.holder
            else:
                self._become_writer()
                return
            self._last_claim = time.monotonic()
        if silent > SILENT_SECONDS and not self._silence_reported:
            self._silence_reported = True
            self._listener.notice(
                f"{self._holder} has decided nothing for {silent:.0f} s; if it hangs, stop it and "
                "this run goes on by itself; Ctrl-C leaves the articles in the inbox"
            )
        time.sleep(POLL_SECONDS)

    def _become_writer(self) -> None:
        """Decide what is left in this process, since the writer has ended."""
        while self._report():
            pass
        self._report_parked()
        self._listener.notice(f"{self._holder} has ended, so the rest is decided here")
        writer = self._take_over()
        self._local = LocalDecider(writer)
        writer.drain()
        self._undecided.clear()

    def _report(self) -> bool:
        """Report decisions on the articles of this run; say whether the writer decided anything."""
        found, decided = [], []
        rows = self._store.decisions(self._sequence)
        for row in rows:
            self._sequence = row.sequence
            article = self._undecided.pop(row.article, None)
            if article is None:
                continue
            found.append(article)
            if row.story is not None and row.confidence is not None:
                self._stories[row.article] = row.story
                decided.append(Assignment(row.article, row.story, row.confidence, row.new))
        decided += self._moves()
        if found or decided:
            step = Step(found, decided, (), self._unserved(found))
            self._summary.add(step)
            self._listener.step(step)
        return bool(rows or decided)

    def _unserved(self, articles: Sequence[Article]) -> dict[str, int]:
        """Return how many articles are in each language that the writer's encoder serves not."""
        served = SERVED.get(str(self._store.engine().get("encoder")))
        return unserved(map(language_of, articles), served)

    def _moves(self) -> list[Assignment]:
        """Return the later changes of decisions on the articles of this run."""
        moves = []
        for event in self._store.events(self._event):
            self._event = event.number
            if event.kind == "merged":
                self._summary.founded.discard(event.story)
            for article in event.articles if event.kind == "moved" else ():
                was = self._stories.get(article)
                if was is not None and was != event.story:
                    self._stories[article] = event.story
                    moves.append(Assignment(article, event.story, 0.0, False, was=was))
        return moves

    def _report_parked(self) -> bool:
        """Report the articles of this run that could not be decided."""
        found = [p for p in self._store.parked() if p.article.id in self._undecided]
        for parked in found:
            del self._undecided[parked.article.id]
            self._summary.problems += 1
            retry = f"scstory doctor --retry{db_option(self._store.name)}"
            reason = f"parked ({parked.reason}); {retry} tries again"
            self._listener.problem(Item(parked.article.id, None, reason))
        return bool(found)
