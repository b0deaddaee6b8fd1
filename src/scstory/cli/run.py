"""``scstory run``: read articles, discover their stories, store both."""

from __future__ import annotations

import json
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scstory.cli.options import (
    AsJson,
    Columns,
    Config,
    Database,
    DayFirst,
    Device,
    EncoderName,
    Overrides,
    Preset,
    RayAddress,
    Runner,
    Threads,
    parse_overrides,
)
from scstory.errors import UsageError

if TYPE_CHECKING:
    from scstory.cli.progress import RunProgress
    from scstory.config import Settings
    from scstory.runners import Reading, Step, Summary
    from scstory.store import Store
    from scstory.types import Assignment

SOURCES = (
    "Files, folders and patterns (JSON, CSV, Parquet, WARC, OPML …; - is standard input), web "
    "addresses of feeds or pages, or newsapi:QUERY."
)


def command(
    sources: Annotated[list[str] | None, typer.Argument(metavar="SOURCE...", help=SOURCES)] = None,
    db: Database = None,
    follow: Annotated[
        bool,
        typer.Option(
            "--follow",
            help="Then follow the feeds named, and those of `scstory feeds`, until stopped.",
        ),
    ] = False,
    preset: Preset = None,
    encoder: EncoderName = None,
    device: Device = None,
    threads: Threads = None,
    runner: Runner = None,
    ray_address: RayAddress = None,
    columns: Columns = None,
    day_first: DayFirst = False,
    overrides: Overrides = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Read articles from files or the web, discover their stories, store both.

    A second run on the same database goes on where the first stopped. Files may be JSON (lines,
    lists, answers of news APIs), tables (CSV, TSV, Parquet) or archives of pages, compressed or
    not; their content says what they are. An article needs a title or a text, and a date; bad
    ones are reported on standard error and skipped. While a service or another run is the writer
    of the database, the articles are handed over to it, and the command reports its decisions.
    """
    from scstory.config import load_settings
    from scstory.feeds.columns import parse_map

    settings = load_settings(
        config=config,
        db=db,
        preset=preset,
        encoder=encoder,
        device=device,
        threads=threads,
        runner=runner,
        ray_address=ray_address,
        discovery=parse_overrides(overrides),
    )
    if not sources and not follow:
        raise UsageError("no SOURCE; name a file or a web address, or --follow your feeds")
    files = {"columns": parse_map(columns or []), "day_first": day_first}
    _run(settings, sources or [], files, follow=follow, as_json=as_json)


def _run(
    settings: Settings, names: list[str], files: dict[str, Any], *, follow: bool, as_json: bool
) -> None:
    from scstory.cli.release_memory import release_memory_regularly
    from scstory.errors import NoArticles
    from scstory.feeds import SourceOptions, is_web, open_source
    from scstory.feeds.registry import feed_addresses
    from scstory.runners import Reading
    from scstory.store import open_store
    from scstory.store.address import database_exists

    progress = _progress(as_json=as_json)
    options = SourceOptions(
        settings.feeds, settings.max_characters, on_notice=progress.how_read, **files
    )
    followed = [name for name in names if is_web(name) or name.lower().endswith(".opml")]
    addresses = feed_addresses(followed) if follow else []
    sources = [open_source(name, options) for name in names if not follow or name not in followed]
    progress.expect(sources)
    if settings.threads:
        import torch

        torch.set_num_threads(settings.threads)
    release_memory_regularly()
    reading = Reading(sources, progress)
    # Where there is nothing to store, no database is made.
    if follow or database_exists(settings.db) or reading.has_articles():
        with closing(open_store(settings.db)) as store:
            if follow:
                _follow(store, settings, addresses, reading, progress)
            else:
                _read(store, settings, reading, progress)
            counts = store.counts()
        progress.summary(reading.summary, store.name, counts.articles, counts.stories)
    if not (follow or reading.summary.read):
        progress.folded()
        raise NoArticles(_nothing(names, reading.summary))
    if not reading.summary.complete:
        raise typer.Exit(1)


def _nothing(names: list[str], summary: Summary) -> str:
    where = names[0] if len(names) == 1 else f"{len(names)} sources"
    skipped = f" ({summary.problems:,} skipped, see above)" if summary.problems else ""
    return f"{where}: no usable article{skipped}; nothing was stored"


def _read(store: Store, settings: Settings, reading: Reading, progress: RunProgress) -> None:
    """Read sources to their end, and decide their articles here or have the writer decide them."""
    from scstory.errors import AlreadyClaimed
    from scstory.runners import decide, opened
    from scstory.runners.handover import hand_over

    try:
        store.claim()
    except AlreadyClaimed as claimed:
        with progress:
            hand_over(reading, store, settings, claimed)
        return
    with opened(store, settings, on_problem=progress.cluster) as (engine, encoding), progress:
        decide(reading, engine, store, encoding=encoding)


def _follow(
    store: Store,
    settings: Settings,
    addresses: list[str],
    reading: Reading,
    progress: RunProgress,
) -> None:
    """Read sources to their end, then follow feeds until stopped."""
    from scstory.runners import decide, opened
    from scstory.runners.run_feeds import follow, stand_by
    from scstory.store.address import db_option

    if not addresses and not store.subscriptions():
        raise UsageError(
            "nothing to follow; name a feed, or: scstory feeds add URL" + db_option(store.name)
        )
    stand_by(store, on_wait=progress.notice)
    with opened(store, settings, on_problem=progress.cluster) as (engine, encoding), progress:
        decide(reading, engine, store, encoding=encoding)
        with _until_stopped() as stop:
            progress.following()
            follow(
                addresses,
                engine,
                store,
                settings,
                stop,
                reading.summary,
                encoding=encoding,
                listener=progress,
            )


def _progress(*, as_json: bool) -> RunProgress:
    from scstory.cli.progress import RunProgress

    class Printing(RunProgress):
        """Also writes each decision to standard output."""

        def step(self, step: Step) -> None:
            super().step(step)
            for decision in step.decided:
                sys.stdout.write(json.dumps(_line(decision), ensure_ascii=False) + "\n")
            sys.stdout.flush()

    return Printing() if as_json else RunProgress()


def _line(decision: Assignment) -> dict[str, Any]:
    values = {"article": decision.article, "story": decision.story}
    if decision.was is not None:
        return {**values, "was": decision.was, "moved": True}
    return {**values, "confidence": round(decision.confidence, 6), "new": decision.new}


@contextmanager
def _until_stopped() -> Iterator[threading.Event]:
    """Yield an event that the first SIGINT or SIGTERM sets; the second one has its usual effect."""
    stop = threading.Event()
    signals = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.getsignal(number) for number in signals}

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    def handle(number: int, frame: FrameType | None) -> None:
        stop.set()
        restore()

    for number in signals:
        signal.signal(number, handle)
    try:
        yield stop
    finally:
        restore()
