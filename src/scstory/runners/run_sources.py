"""Sources read to their end: their articles are accepted slide by slide, then decided."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from scstory.discovery import Engine
from scstory.discovery.slides import slide_index
from scstory.errors import SourceError
from scstory.feeds import Item, Source
from scstory.feeds.no_article import RepeatedTexts
from scstory.runners.listener import Listener
from scstory.runners.writer import MAX_STEP, Step, Writer
from scstory.store import Receipt, Store
from scstory.store.store_reader import utc_now
from scstory.types import Article
from scstory.vectors import Prefetcher

SILENT = Listener()
LOOK_AHEAD = 1_000
"""Articles with the same text that are read to find out whether there is another one."""


@dataclass(slots=True)
class Summary:
    """What a run did."""

    articles: int = 0
    """Articles that were decided, or taken into the first window."""
    known: int = 0
    """Articles that had been accepted before."""
    copies: int = 0
    """Articles that repeat the page or the text of another."""
    read: int = 0
    """Articles that the sources hold; if there are none, the run has failed."""
    headlines: int = 0
    """Articles among the decided ones that have a headline and no text."""
    unserved: Counter[str] = field(default_factory=Counter)
    """Articles among the decided ones that are in a language that the encoder does not serve."""
    problems: int = 0
    """Items that could not be used, each of them reported."""
    complete: bool = True
    """Whether every source could be read to its end."""
    founded: set[int] = field(default_factory=set)
    """New stories, without those that lost all their articles to others again."""

    @property
    def new_stories(self) -> int:
        """How many stories are new."""
        return len(self.founded)

    def add(self, step: Step) -> None:
        """Count what was decided and committed."""
        self.articles += len(step.articles)
        self.unserved.update(step.unserved)
        self.headlines += sum(not article.text.strip() for article in step.articles)
        self.founded |= {decision.story for decision in step.decided if decision.new}
        self.founded -= {story.id for story in step.stories if not story.size}


class Reading:
    """The articles of sources, read one after the other; unusable items are reported and counted.

    Iterating gives each source when its reading begins, then each of its articles.
    """

    def __init__(self, sources: Iterable[Source], listener: Listener = SILENT) -> None:
        self.summary, self.listener = Summary(), listener
        self._rest = self._read(sources)
        self._start: deque[tuple[Source, Item | None]] = deque()

    def has_articles(self) -> bool:
        """Read on until there is certainly an article; return whether there is one.

        The same text under many addresses is none, so the first article is not enough, except of a
        pipe or of the web, where more may come much later.
        """
        items: list[Item] = []
        texts: set[str] = set()
        repeated = RepeatedTexts()
        for source, item in self._rest:
            self._start.append((source, item))
            if item is None or item.article is None:
                continue
            items.append(item)
            texts.add(item.article.text)
            repeated.add([item.article])
            if source.size is None or len(texts) > 1 or len(items) > LOOK_AHEAD:
                return True
        if any(item.article and not repeated.problem(item.article) for item in items):
            return True
        self._start.clear()
        for item in items:
            self.refuse_repeated(item, repeated)
        return False

    def __iter__(self) -> Iterator[tuple[Source, Item | None]]:
        while self._start:
            yield self._start.popleft()
        yield from self._rest

    def refuse(self, item: Item) -> None:
        """Report and count an item that cannot be used."""
        self.summary.problems += 1
        self.listener.problem(item)

    def refuse_repeated(self, item: Item, repeated: RepeatedTexts) -> bool:
        """Refuse an item whose text stands under many addresses; return whether it does."""
        problem = repeated.problem(item.article) if item.article is not None else None
        if problem:
            self.summary.read -= 1
            self.refuse(Item(item.place, None, problem))
        return problem is not None

    def _read(self, sources: Iterable[Source]) -> Iterator[tuple[Source, Item | None]]:
        for source in sources:
            yield source, None
            for item in self._items(source):
                self.listener.read(source)
                if item.article is None:
                    self.refuse(item)
                else:
                    self.summary.read += 1
                    yield source, item
            self.summary.complete &= source.complete

    def _items(self, source: Source) -> Iterator[Item]:
        """Yield what a source holds; a source of the wrong kind is one problem."""
        try:
            yield from source
        except SourceError as error:
            self.summary.complete = False
            yield Item(source.name, None, str(error).removeprefix(f"{source.name}: "))


class Decider(Protocol):
    """What has accepted articles decided: the writer of this process, or another process."""

    @property
    def slide_length(self) -> timedelta:
        """The length of a slide."""

    @property
    def current_slide(self) -> int | None:
        """The number of the slide that was decided last."""

    def decide(self, articles: Sequence[Article], *, source_may_pause: bool) -> None:
        """Have articles decided that were accepted just now, at once or a little later."""

    def finish(self) -> None:
        """Have everything decided: the sources have ended."""


class LocalDecider:
    """Has this process's writer decide.

    While a slide is decided, the next one is read and encoded, unless its source may pause: then
    nothing waits for what may come much later.
    """

    def __init__(self, writer: Writer) -> None:
        self._writer, self._store = writer, writer.store
        self.slide_length = writer.engine.settings.slide_length

    @property
    def current_slide(self) -> int | None:
        """The number of the slide that was decided last."""
        return self._writer.engine.current_slide

    def decide(self, articles: Sequence[Article], *, source_may_pause: bool) -> None:
        """Decide all that waits, except for the last slide if that is worth prefetching."""
        writer = self._writer
        depth = 0 if source_may_pause else writer.encoding.depth(1)
        leave = max(len(articles), depth) if depth else 0
        waiting = self._store.waiting()
        if leave:
            writer.prefetch(min(waiting, leave + MAX_STEP))
        while waiting > leave:
            writer.step(min(MAX_STEP, waiting - leave), prefetch=leave)
            waiting = self._store.waiting()

    def finish(self) -> None:
        """Decide all that waits, and close the last slide."""
        self._writer.drain()
        self._writer.finish()


def run(
    sources: Iterable[Source],
    engine: Engine,
    store: Store,
    *,
    clock: Callable[[], datetime] = utc_now,
    encoding: Prefetcher | None = None,
    listener: Listener = SILENT,
) -> Summary:
    """Read sources to their end, and decide their articles in this process.

    What was committed stays whatever happens; running the same sources again goes on from there.
    Articles that wait in the inbox already are decided first.
    """
    return decide(Reading(sources, listener), engine, store, clock=clock, encoding=encoding)


def decide(
    reading: Reading,
    engine: Engine,
    store: Store,
    *,
    clock: Callable[[], datetime] = utc_now,
    encoding: Prefetcher | None = None,
) -> Summary:
    """Read on to the end of sources, and decide their articles in this process."""
    summary, listener = reading.summary, reading.listener
    writer = counting_writer(engine, store, summary, listener, clock=clock, encoding=encoding)
    writer.drain()
    accept_sources(reading, store, LocalDecider(writer))
    return summary


def counting_writer(
    engine: Engine,
    store: Store,
    summary: Summary,
    listener: Listener,
    *,
    clock: Callable[[], datetime] = utc_now,
    encoding: Prefetcher | None = None,
) -> Writer:
    """Return a writer whose steps and problems are counted and reported."""

    def count(step: Step) -> None:
        summary.add(step)
        listener.step(step)

    def report(article: Article | None, problem: str) -> None:
        summary.problems += article is not None
        listener.problem(Item(article.id if article else "store", None, problem))

    return Writer(engine, store, clock=clock, encoding=encoding, on_step=count, on_problem=report)


def accept_sources(reading: Reading, store: Store, decider: Decider) -> None:
    """Accept the articles of sources slide by slide, and have them decided."""
    slide = _Slide(decider.slide_length, decider.current_slide)
    repeated = RepeatedTexts()

    def accept(items: Sequence[Item], *, source_may_pause: bool) -> None:
        repeated.add(item.article for item in items if item.article is not None)
        items = [item for item in items if not reading.refuse_repeated(item, repeated)]
        receipts = store.accept([item.article for item in items if item.article is not None])
        accepted = []
        for item, receipt in zip(items, receipts, strict=True):
            if receipt.status == "accepted" and item.article is not None:
                accepted.append(item.article)
            else:
                _count_refused(item, receipt, reading)
        decider.decide(accepted, source_may_pause=source_may_pause)

    for source, item in reading:
        if item is None or item.article is None:
            if source.size is None:
                decider.decide([], source_may_pause=True)
        elif ended := slide.add(item, item.article.published):
            accept(ended, source_may_pause=source.size is None)
    if rest := slide.close():
        accept(rest, source_may_pause=False)
    decider.finish()


def _count_refused(item: Item, receipt: Receipt, reading: Reading) -> None:
    if receipt.of == receipt.article:
        problem = f"duplicate id {receipt.article!r}; the first article of that id is used"
        reading.refuse(Item(item.place, None, problem))
    elif receipt.status == "duplicate":
        reading.summary.copies += 1
    else:
        reading.summary.known += 1


class _Slide:
    """Collects items until one of a later slide shows that theirs has ended.

    An article of an earlier slide goes with the slide that is being collected.
    """

    def __init__(self, length: timedelta, current: int | None) -> None:
        self._length, self._index = length, current
        self._items: list[tuple[datetime, Item]] = []

    def add(self, item: Item, published: datetime) -> list[Item]:
        """Take an item; return the items of the slide that it ends, if it ends one."""
        index = slide_index(published, self._length)
        ended = []
        if self._index is None or index > self._index:
            ended, self._index = self.close(), index
        self._items.append((published, item))
        return ended

    def close(self) -> list[Item]:
        """Return the items of the slide in publication order, and start afresh."""
        items, self._items = self._items, []
        return [item for _, item in sorted(items, key=lambda pair: pair[0])]
