"""The runner for one machine: reads sources to their end and commits slide after slide."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields

from scstory.config import Settings
from scstory.discovery import StoryDiscovery
from scstory.discovery.presets import Parameters, from_dict, make_parameters
from scstory.discovery.window import SlideCutter
from scstory.errors import ConfigError
from scstory.feeds import Item, Source
from scstory.store import Store
from scstory.types import Article, Assignment, EncodedArticle, Story
from scstory.vectors import encode_articles, make_encoder


@dataclass(frozen=True, slots=True)
class Slide:
    """A slide that has been decided and committed."""

    articles: Sequence[EncodedArticle]
    decided: Sequence[Assignment]
    stories: Sequence[Story]


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
        encoder = make_encoder(settings.encoder or "minilm", threads=settings.threads)
        return StoryDiscovery(settings.preset or "default", encoder=encoder, **settings.discovery)
    begun = from_dict(state.meta["parameters"])
    if settings.preset or settings.discovery:
        _refuse_change(begun, settings)
    encoder = make_encoder(settings.encoder or state.meta["encoder"], threads=settings.threads)
    engine = StoryDiscovery(encoder=encoder)
    engine.restore(state)
    return engine


def _refuse_change(begun: Parameters, settings: Settings) -> None:
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
                f"{name} of {new}: {settings.db} was begun with {old}; leave out --preset and "
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
    """
    summary = Summary()
    keeper = _Keeper(engine, store, summary, on_slide)
    started_after = store.last_sequence()
    for source in sources:
        for item in source:
            on_read(source)
            problem = item.problem
            if item.article is not None:
                problem = keeper.refuses(item.article, started_after)
                if problem is None:
                    keeper.take(item.article)
            if problem:
                summary.problems += 1
                on_problem(Item(item.place, None, problem))
        summary.complete &= source.complete
    keeper.finish()
    return summary


class _Keeper:
    """Collects a slide, has it encoded and decided, and commits it."""

    def __init__(
        self,
        engine: StoryDiscovery,
        store: Store,
        summary: Summary,
        on_slide: Callable[[Slide], None],
    ) -> None:
        self._engine, self._store = engine, store
        self._summary, self._on_slide = summary, on_slide
        slide = engine.parameters.slide_length
        self._cutter = SlideCutter(slide, current=engine.current_slide)
        self._open: dict[str, Article] = {}

    def refuses(self, article: Article, started_after: int) -> str | None:
        """Say why an article cannot be taken, "" if it is simply known already, else None."""
        if article.id in self._open:
            return f"duplicate id {article.id!r}; the first is kept"
        record = self._store.article(article.id)
        if record is None:
            return None
        if record.sequence <= started_after and _same(record.article, article):
            self._summary.known += 1
            return ""
        return f"duplicate id {article.id!r}; the first is kept"

    def take(self, article: Article) -> None:
        if closed := self._cutter.add(article):
            self._decide(closed)
        self._open[article.id] = article

    def finish(self) -> None:
        if rest := self._cutter.close():
            self._decide(rest)
        if decided := self._engine.finish():
            self._commit([], decided)

    def _decide(self, articles: list[Article]) -> None:
        limit = self._engine.parameters.max_sentences
        encoded = encode_articles(articles, self._engine.encoder, max_sentences=limit)
        decided = self._engine.process(encoded)
        self._summary.articles += len(articles)
        self._summary.slides += 1
        self._open.clear()
        self._commit(encoded, decided)

    def _commit(self, encoded: list[EncodedArticle], decided: list[Assignment]) -> None:
        stories = [*self._engine.stories(), *self._engine.ended()]
        self._store.commit(encoded, decided, stories, self._engine.state())
        self._summary.new_stories += sum(decision.new for decision in decided)
        self._on_slide(Slide(encoded, decided, stories))


def _same(stored: Article, given: Article) -> bool:
    return (stored.title, stored.text, stored.published) == (
        given.title,
        given.text,
        given.published,
    )
