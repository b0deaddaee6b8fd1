"""What a run writes to standard error: a bar on a terminal, problems as they come, a summary."""

import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from scstory.cli.show import counted, program, safe
from scstory.feeds import Item, Source
from scstory.runners import Step, Summary
from scstory.runners.follow import Poll
from scstory.runners.listener import Listener


def _progress(numbers: str) -> Progress:
    """Return a bar with numbers beside it, on a terminal only."""
    console = Console(stderr=True, highlight=False)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn(numbers),
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

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = sources
        known = [source.size for source in sources if source.size is not None]
        self._total = sum(known) if len(known) == len(sources) else None
        self._bar = _progress(
            "{task.fields[articles]:,} articles · {task.fields[stories]:,} stories"
        )
        self._task = self._bar.add_task("reading", total=self._total, articles=0, stories=0)
        self._articles = self._stories = 0
        self._failing: dict[str, str | None] = {}

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.stop()

    def read(self, source: Source) -> None:
        """Show how far the reading has come."""
        if self._total is not None:
            done = sum(source.position for source in self._sources)
            self._bar.update(self._task, completed=done)

    def step(self, step: Step) -> None:
        """Show that articles were decided."""
        self._articles += len(step.articles)
        self._stories += sum(decision.new for decision in step.decided)
        last = max((article.published for article in step.articles), default=None)
        self._bar.update(
            self._task,
            description=f"{last:%Y-%m-%d}" if last else "finishing",
            articles=self._articles,
            stories=self._stories,
        )

    def following(self) -> None:
        """Say that the run goes on until it is stopped."""
        self._bar.update(self._task, description="following", total=None)
        self.notice("Following feeds; Ctrl-C stops.")

    def notice(self, text: str) -> None:
        """Say something that the user should know."""
        self._bar.console.print(safe(text), markup=False, soft_wrap=True)

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
        """Say what was wrong with an item, and where."""
        self.notice(f"{item.place}: {item.problem}")

    def summary(self, summary: Summary, db: str, articles: int, stories: int) -> None:
        """Say what was done and how to see the result."""
        parts = [
            f"{counted(summary.articles, 'article')} taken in, "
            f"{counted(summary.new_stories, 'new story')}"
        ]
        if summary.known:
            parts.append(f"{summary.known:,} already known")
        if summary.copies:
            parts.append(f"{counted(summary.copies, 'copy')} of other articles")
        if summary.problems:
            parts.append(f"{summary.problems:,} skipped (see above)")
        sys.stderr.write(
            f"{'; '.join(parts)}.\n"
            f"{db} now holds {counted(articles, 'article')} of {counted(stories, 'story')}: "
            f"{program()} stories{'' if db == 'scstory.db' else f' --db {shlex.quote(db)}'}\n"
        )
