"""What a run says on standard error: a bar on a terminal, problems as they come, a summary."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from scstory.cli.show import counted, program, safe
from scstory.feeds import Item, Source
from scstory.runners import Slide, Summary
from scstory.runners.follow import Poll


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


class RunProgress(_WhileShown):
    """Follows a run. The bar is the share of the input's bytes read."""

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

    def slide(self, slide: Slide) -> None:
        """Show a slide that was decided."""
        self._articles += len(slide.articles)
        self._stories += sum(decision.new for decision in slide.decided)
        last = max((m.article.published for m in slide.articles), default=None)
        self._bar.update(
            self._task,
            description=f"{last:%Y-%m-%d}" if last else "finishing",
            articles=self._articles,
            stories=self._stories,
        )

    def following(self) -> None:
        """Say that from here on it goes on until stopped."""
        self._bar.update(self._task, description="following", total=None)
        self._bar.console.print("Following feeds; Ctrl-C stops.", markup=False)

    def waiting(self, reason: str) -> None:
        """Say what is waited for."""
        self._bar.console.print(safe(reason), markup=False, soft_wrap=True)

    def poll(self, poll: Poll) -> None:
        """Say when a feed begins to fail, and when it fails differently; not at every look."""
        feed = poll.feed
        if poll.was:
            text = safe(f"{poll.was}: has moved for good; followed at {feed.url} from now on")
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
        """Say what was done and where to look next."""
        parts = [
            f"{counted(summary.articles, 'article')} taken in, "
            f"{counted(summary.new_stories, 'new story')}"
        ]
        if summary.known:
            parts.append(f"{summary.known:,} already known")
        if summary.problems:
            parts.append(f"{summary.problems:,} skipped (see above)")
        sys.stderr.write(
            f"{'; '.join(parts)}.\n"
            f"{db} now holds {counted(articles, 'article')} of {counted(stories, 'story')}: "
            f"{program()} stories{'' if db == 'scstory.db' else f' --db {shlex.quote(db)}'}\n"
        )
