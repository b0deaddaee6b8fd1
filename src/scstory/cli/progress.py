"""What a run writes to standard error: a bar on a terminal, problems as they come, a summary."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from scstory.cli.folding import Folding
from scstory.cli.show import counted, program, safe
from scstory.feeds import Item, Source
from scstory.runners import Step, Summary
from scstory.runners.follow import Poll
from scstory.runners.listener import Listener
from scstory.store.address import db_option
from scstory.text.phrases import by_words_alone

SHOWN_TITLES = 3
"""New stories that are named when articles are decided while feeds are followed."""


def _progress(numbers: str) -> Progress:
    """Return a bar with numbers beside it, on a terminal only.

    Texts come from outside: `[red]` and `:100:` in them are neither colours nor pictures.
    """
    console = Console(stderr=True, highlight=False, markup=False, emoji=False)
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn(numbers, markup=False),
        TimeElapsedColumn(),
        console=console,
        disable=not console.is_terminal,
        transient=True,
    )


@contextmanager
def counting_bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar; yield a function that shows how much is done, of how much."""
    with _progress("{task.completed:,.0f} of {task.total:,.0f}") as bar:
        task = bar.add_task(what, total=1)
        yield lambda done, total: bar.update(task, completed=done, total=total)


class RunProgress(Listener):
    """Shows the progress of a run. The bar is the share of the input's bytes that were read."""

    def __init__(self) -> None:
        self._sources: Sequence[Source] = ()
        self._total: int | None = None
        self._bar = _progress(
            "{task.fields[articles]:,} articles · {task.fields[stories]:,} stories"
        )
        self._task = self._bar.add_task("reading", total=None, articles=0, stories=0)
        self._articles = self._stories = 0
        self._following = False
        self._failing: dict[str, str | None] = {}
        self._folding = Folding()
        self._said: set[str] = set()

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.stop()

    def expect(self, sources: Sequence[Source]) -> None:
        """Name the sources that are going to be read."""
        self._sources = sources
        known = [source.size for source in sources if source.size is not None]
        self._total = sum(known) if len(known) == len(sources) else None
        self._bar.update(self._task, total=self._total)

    def read(self, source: Source) -> None:
        """Show how far the reading has come."""
        if self._total is not None:
            done = sum(source.position for source in self._sources)
            self._bar.update(self._task, completed=done)

    def step(self, step: Step) -> None:
        """Show that articles were decided; while feeds are followed, also in words."""
        self._articles += len(step.articles)
        self._stories += sum(decision.new for decision in step.decided)
        last = max((article.published for article in step.articles), default=None)
        self._bar.update(
            self._task,
            description=f"{last:%Y-%m-%d}" if last else "finishing",
            articles=self._articles,
            stories=self._stories,
        )
        if self._following and step.articles:
            self.notice(_in_words(step))

    def following(self) -> None:
        """Say that the run goes on until it is stopped."""
        self._following = True
        self._bar.update(self._task, description="following", total=None)
        self.notice("Following feeds; Ctrl-C stops.")

    def notice(self, text: str) -> None:
        """Say something that the user should know: on one line, except on a terminal."""
        self._bar.console.print(safe(text), soft_wrap=not self._bar.console.is_terminal)

    def how_read(self, text: str) -> None:
        """Say how a file is read, unless another one is read in the same way."""
        how = text.partition(": ")[2]
        if how not in self._said:
            self._said.add(how)
            self.notice(text)

    def cluster(self, problem: str) -> None:
        """Say what is wrong with a machine of the cluster."""
        self.notice(f"cluster: {problem}")

    def poll(self, poll: Poll) -> None:
        """Say when a feed begins to fail, or fails for another reason; not every time."""
        feed = poll.feed
        if poll.was:
            self.notice(f"{poll.was}: has moved permanently; followed at {feed.url} from now on")
        if feed.error and self._failing.get(feed.url) != feed.error:
            self.notice(f"{feed.url}: {feed.error}; next look {feed.due:%H:%M}")
        self._failing[feed.url] = feed.error

    def problem(self, item: Item) -> None:
        """Say what was wrong with an item, and where; many of one kind are summed up."""
        for line in self._folding.lines(item):
            self.notice(line)

    def folded(self) -> None:
        """Say how many problems were not shown."""
        for line in self._folding.rest():
            self.notice(line)

    def summary(self, summary: Summary, db: str, articles: int, stories: int) -> None:
        """Say what was done and how to see the result."""
        self.folded()
        taken = f"{counted(summary.articles, 'article')} taken in"
        if summary.headlines:
            whole = summary.headlines == summary.articles > 1
            headlines = "all headlines" if whole else counted(summary.headlines, "headline")
            taken += f" ({headlines} without text)"
        parts = [f"{taken}, {counted(summary.new_stories, 'new story')}"]
        if summary.known:
            parts.append(f"{summary.known:,} already known")
        if summary.copies:
            parts.append(f"{counted(summary.copies, 'copy')} of other articles")
        if summary.problems:
            parts.append(f"{summary.problems:,} skipped (see above)")
        if summary.unserved:
            parts.append(by_words_alone(dict(summary.unserved.most_common()), "the encoder"))
        self.notice(f"{'; '.join(parts)}.")
        self.notice(
            f"{db} now holds {counted(articles, 'article')} of {counted(stories, 'story')}: "
            f"{program()} stories{db_option(db)}"
        )


def _in_words(step: Step) -> str:
    """Return what a step has brought: `+3 articles · new story “Alder rises”`."""
    titles = {story.id: story.title for story in step.stories}
    founded = dict.fromkeys(d.story for d in step.decided if d.new and d.was is None)
    parts = [f"+{counted(len(step.articles), 'article')}"]
    parts += [f"new story “{titles.get(story, '')}”" for story in list(founded)[:SHOWN_TITLES]]
    if (more := len(founded) - SHOWN_TITLES) > 0:
        parts.append(f"{counted(more, 'more new story')}")
    return " · ".join(parts)
