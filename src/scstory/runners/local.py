"""The runner for one machine: reads sources to their end and commits slide after slide."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields

from scstory.config import Settings
from scstory.discovery import StoryDiscovery
from scstory.discovery.presets import Parameters, from_dict, make_parameters
from scstory.discovery.window import SlideCutter
from scstory.errors import ConfigError
from scstory.feeds import Item, Source
from scstory.runners.keeper import Keeper, Slide
from scstory.store import Store
from scstory.types import Article
from scstory.vectors import make_encoder


@dataclass(slots=True)
class Summary:
    """What a run did."""

    articles: int = 0
    """Articles taken in."""
    new_stories: int = 0
    known: int = 0
    """Articles that an earlier run had already taken in."""
    problems: int = 0
    """Items that could not be used, each of them reported."""
    slides: int = 0
    complete: bool = True
    """Whether every source could be read to its end."""


def open_engine(store: Store, settings: Settings) -> StoryDiscovery:
    """Return the engine a store was left with, or a new one if the store is new.

    A store goes on with the parameters and encoder it was begun with: settings that say
    otherwise are refused rather than ignored.
    """
    state = store.state()
    if state is None:
        encoder = make_encoder(settings.encoder, threads=settings.threads, device=settings.device)
        return StoryDiscovery(settings.preset or "default", encoder=encoder, **settings.discovery)
    begun = from_dict(state.meta["parameters"])
    if settings.preset or settings.discovery:
        _refuse_change(begun, settings, store.name)
    encoder = make_encoder(
        settings.encoder or state.meta["encoder"], threads=settings.threads, device=settings.device
    )
    engine = StoryDiscovery(encoder=encoder)
    engine.restore(state)
    return engine


def _refuse_change(begun: Parameters, settings: Settings, db: str) -> None:
    if settings.preset:
        asked = make_parameters(settings.preset, settings.discovery)
        names = [field.name for field in fields(Parameters)]
    else:
        asked = make_parameters("default", settings.discovery)
        names = list(settings.discovery)
    for name in names:
        old, new = getattr(begun, name), getattr(asked, name)
        if old != new:
            raise ConfigError(
                f"{name} of {new}: {db} was begun with {old}; leave out --preset and "
                "--set to go on with it, or name another database with --db"
            )


def run(
    sources: Iterable[Source],
    engine: StoryDiscovery,
    store: Store,
    *,
    on_problem: Callable[[Item], None] = lambda item: None,
    on_read: Callable[[Source], None] = lambda source: None,
    on_slide: Callable[[Slide], None] = lambda slide: None,
) -> Summary:
    """Read sources to their end; decide on their articles and keep them, slide by slide.

    What was committed stays whatever happens; running the same sources again goes on from there.
    Articles that wait in the store's inbox are decided on first.
    """
    summary = Summary()

    def report(article: Article | None, problem: str) -> None:
        on_problem(Item(article.id if article else "store", None, problem))

    slides = _Slides(Keeper(engine, store, on_slide=on_slide, on_problem=report), summary)
    slides.take_waiting()
    started_after = store.last_sequence()
    for source in sources:
        for item in source:
            on_read(source)
            problem = item.problem
            if item.article is not None:
                problem = slides.refuses(item.article, started_after)
                if problem is None:
                    slides.take(item.article)
            if problem:
                summary.problems += 1
                on_problem(Item(item.place, None, problem))
        summary.complete &= source.complete
    slides.finish()
    return summary


class _Slides:
    """Collects slides and hands them to the keeper when they are over."""

    def __init__(self, keeper: Keeper, summary: Summary) -> None:
        self._keeper, self._summary = keeper, summary
        slide = keeper.engine.parameters.slide_length
        self._cutter = SlideCutter(slide, current=keeper.engine.current_slide)
        self._open: set[str] = set()

    def refuses(self, article: Article, started_after: int) -> str | None:
        """Say why an article cannot be taken, "" if it is simply known already, else None."""
        if article.id in self._open:
            return f"duplicate id {article.id!r}; the first is kept"
        record = self._keeper.store.article(article.id)
        if record is None:
            return None
        copy = record.article.id != article.id
        if copy or (record.sequence <= started_after and _same(record.article, article)):
            self._summary.known += 1
            return ""
        return f"duplicate id {article.id!r}; the first is kept"

    def take_waiting(self) -> None:
        """Take what waits in the inbox."""
        while slide := self._keeper.step():
            self._count(slide)

    def take(self, article: Article) -> None:
        if closed := self._cutter.add(article):
            self._hand_over(closed)
        self._open.add(article.id)

    def finish(self) -> None:
        if rest := self._cutter.close():
            self._hand_over(rest)
        if slide := self._keeper.finish():
            self._count(slide)

    def _hand_over(self, articles: list[Article]) -> None:
        slide = self._keeper.take(articles)
        self._open.clear()
        self._summary.problems += len(articles) - len(slide.articles)
        self._summary.slides += 1
        self._count(slide)

    def _count(self, slide: Slide) -> None:
        self._summary.articles += len(slide.articles)
        self._summary.new_stories += sum(decision.new for decision in slide.decided)


def _same(stored: Article, given: Article) -> bool:
    # Of an old article the text may have gone.
    text = stored.text or given.text
    return (stored.title, text, stored.published) == (given.title, given.text, given.published)
