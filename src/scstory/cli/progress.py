"""What a run writes to standard error: a bar on a terminal, problems as they come, a summary."""

import shlex
import sys
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from scstory.cli.show import counted, program, safe
from scstory.feeds import Item, Source
from scstory.runners import Step, Summary
from scstory.runners.follow import Poll
from scstory.runners.listener import Listener


class _WhileShown:
    """Shows its bar from when it is entered until it is left."""

    _bar: Progress

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()


class Bar(_WhileShown):
    """A bar for work that is counted, on a terminal only."""

    def __init__(self, what: str) -> None:
        console = Console(stderr=True, highlight=False)
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.completed:,.0f} of {task.total:,.0f}"),
            TimeElapsedColumn(),
            console=console,
            disable=not console.is_terminal,
            transient=True,
        )
        self._task = self._bar.add_task(what, total=1)

    def show(self, done: int, total: int) -> None:
        """Show how much is done."""
        self._bar.update(self._task, completed=done, total=total)


class RunProgress(_WhileShown, Listener):
    """Shows the progress of a run. The bar is the share of the input's bytes that were read."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._console = Console(stderr=True, highlight=False)
        self._sources = sources
        known = [source.size for source in sources if source.size is not None]
        self._total = sum(known) if len(known) == len(sources) else None
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[articles]:,} articles · {task.fields[stories]:,} stories"),
            TimeElapsedColumn(),
            console=self._console,
            disable=not self._console.is_terminal,
            transient=True,
        )
        self._task = self._bar.add_task("reading", total=self._total, articles=0, stories=0)
        self._articles = self._stories = 0
        self._failing: dict[str, str | None] = {}

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
        self._bar.console.print("Following feeds; Ctrl-C stops.", markup=False)

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
            text = safe(f"{poll.was}: has moved permanently; followed at {feed.url} from now on")
            self._bar.console.print(text, markup=False, soft_wrap=True)
        if feed.error and self._failing.get(feed.url) != feed.error:
            text = f"{feed.url}: {feed.error}; next look {feed.due:%H:%M}"
            self._bar.console.print(safe(text), markup=False, soft_wrap=True)
        self._failing[feed.url] = feed.error

    def problem(self, item: Item) -> None:
        """Say what was wrong with an item, and where."""
        text = safe(f"{item.place}: {item.problem}")
        self._bar.console.print(text, markup=False, soft_wrap=True)

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
