"""The runner for one machine: reads sources to their end and commits slide after slide."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from scstory.discovery import StoryDiscovery
from scstory.discovery.window import SlideCutter
from scstory.errors import SourceError
from scstory.feeds import Item, Source
from scstory.runners.keeper import Keeper, Slide
from scstory.store import Store
from scstory.types import Article
from scstory.vectors import EncodeAhead


@dataclass(slots=True)
class Summary:
    """What a run did."""

    articles: int = 0
    """Articles taken in."""
    known: int = 0
    """Articles that an earlier run had already taken in."""
    problems: int = 0
    """Items that could not be used, each of them reported."""
    slides: int = 0
    complete: bool = True
    """Whether every source could be read to its end."""
    founded: set[int] = field(default_factory=set)
    """Stories that are new, without those that a second look has emptied again."""

    @property
    def new_stories(self) -> int:
        """How many stories are new."""
        return len(self.founded)

    def add(self, slide: Slide) -> None:
        """Count what was decided and committed."""
        self.articles += len(slide.articles)
        self.founded |= {decision.story for decision in slide.decided if decision.new}
        self.founded -= {story.id for story in slide.stories if not story.size}


def run(
    sources: Iterable[Source],
    engine: StoryDiscovery,
    store: Store,
    *,
    encoding: EncodeAhead | None = None,
    on_problem: Callable[[Item], None] = lambda item: None,
    on_read: Callable[[Source], None] = lambda source: None,
    on_slide: Callable[[Slide], None] = lambda slide: None,
) -> Summary:
    """Read sources to their end; decide on their articles and keep them, slide by slide.

    What was committed stays whatever happens; running the same sources again goes on from there.
    Articles that wait in the store's inbox are decided on first. While a slide is decided on, the
    next is read and encoded, unless its source may pause: then nothing is kept waiting.
    """
    summary = Summary()

    def report(article: Article | None, problem: str) -> None:
        on_problem(Item(article.id if article else "store", None, problem))

    keeper = Keeper(engine, store, encoding=encoding, on_slide=on_slide, on_problem=report)
    slides = _Slides(keeper, summary)
    slides.take_waiting()
    started_after = store.last_sequence()
    for source in sources:
        slides.reading(source)
        for item in _items(source, summary):
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


def _items(source: Source, summary: Summary) -> Iterator[Item]:
    """Yield what a source holds; one that turns out to be of the wrong kind is a problem of it."""
    try:
        yield from source
    except SourceError as error:
        summary.complete = False
        yield Item(source.name, None, str(error).removeprefix(f"{source.name}: "))


class _Slides:
    """Collects slides and hands them to the keeper, when the next ones are being encoded."""

    def __init__(self, keeper: Keeper, summary: Summary) -> None:
        self._keeper, self._summary = keeper, summary
        slide = keeper.engine.parameters.slide_length
        self._cutter = SlideCutter(slide, current=keeper.engine.current_slide)
        self._open: set[str] = set()
        self._closed: deque[list[Article]] = deque()
        self._waiting: set[str] = set()
        self._pauses = False

    def reading(self, source: Source) -> None:
        """Get ready for a source: one without a known size may pause, as a pipe does."""
        self._pauses = source.size is None
        if self._pauses:
            self.settle()

    def refuses(self, article: Article, started_after: int) -> str | None:
        """Say why an article cannot be taken, "" if it is simply known already, else None."""
        if article.id in self._open:
            return f"duplicate id {article.id!r}; the first is kept"
        if article.id in self._waiting:
            self.settle()  # whether the other was taken is known only then
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
            self._summary.add(slide)

    def take(self, article: Article) -> None:
        if closed := self._cutter.add(article):
            self._hand_over(closed)
        self._open.add(article.id)

    def finish(self) -> None:
        if rest := self._cutter.close():
            self._hand_over(rest)
        self.settle()
        if slide := self._keeper.finish():
            self._summary.add(slide)

    def _hand_over(self, articles: list[Article]) -> None:
        """Have a slide encoded; decide on those that need not wait any longer."""
        self._open.clear()
        self._closed.append(articles)
        self._waiting.update(article.id for article in articles)
        encoding = self._keeper.encoding
        encoding.expect([article for slide in self._closed for article in slide])
        while self._closed and (self._pauses or self._beyond_first() >= encoding.ahead(1)):
            self._decide()

    def _beyond_first(self) -> int:
        return sum(map(len, self._closed)) - len(self._closed[0])

    def settle(self) -> None:
        """Decide on all slides that are over."""
        while self._closed:
            self._decide()

    def _decide(self) -> None:
        articles = self._closed.popleft()
        self._waiting.difference_update(article.id for article in articles)
        slide = self._keeper.take(articles)
        self._summary.problems += len(articles) - len(slide.articles)
        self._summary.slides += 1
        self._summary.add(slide)


def _same(stored: Article, given: Article) -> bool:
    # Of an old article the text may have gone.
    text = stored.text or given.text
    return (stored.title, text, stored.published) == (given.title, given.text, given.published)
