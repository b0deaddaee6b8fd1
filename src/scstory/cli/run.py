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
    Config,
    Database,
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
    from scstory.feeds import Source
    from scstory.runners import Step, Summary
    from scstory.store import Store
    from scstory.types import Assignment

SOURCES = (
    "Files (.jsonl, .csv, .warc, .opml; - is standard input), web addresses of feeds or pages, "
    "or newsapi:QUERY."
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
    overrides: Overrides = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Read articles from files or the web, discover their stories, store both.

    A second run on the same database goes on where the first stopped. Articles in files (.jsonl or
    .csv, also .gz or .xz) need id, date, title and text; bad ones are reported on standard error
    and skipped. While a service or another run is the writer of the database, the articles are
    handed over to it, and the command reports its decisions.
    """
    from scstory.config import load_settings

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
    _run(settings, sources or [], follow=follow, as_json=as_json)


def _run(settings: Settings, names: list[str], *, follow: bool, as_json: bool) -> None:
    from scstory.cli.release_memory import release_memory_regularly
    from scstory.feeds import is_web, open_source
    from scstory.feeds.registry import feed_addresses
    from scstory.store import open_store

    followed = [name for name in names if is_web(name) or name.lower().endswith(".opml")]
    addresses = feed_addresses(followed) if follow else []
    to_read = [
        open_source(name, max_characters=settings.max_characters, settings=settings.feeds)
        for name in names
        if not follow or name not in followed
    ]
    if settings.threads:
        import torch

        torch.set_num_threads(settings.threads)
    release_memory_regularly()
    progress = _progress(to_read, as_json=as_json)
    with closing(open_store(settings.db)) as store:
        if follow:
            summary = _follow(store, settings, addresses, to_read, progress)
        else:
            summary = _read(store, settings, to_read, progress)
        counts = store.counts()
    progress.summary(summary, store.name, counts.articles, counts.stories)
    if not summary.complete:
        raise typer.Exit(1)


def _read(
    store: Store, settings: Settings, sources: list[Source], progress: RunProgress
) -> Summary:
    """Read sources to their end, and decide their articles here or have the writer decide them."""
    from scstory.errors import AlreadyClaimed
    from scstory.runners import opened, run
    from scstory.runners.handover import hand_over

    try:
        store.claim()
    except AlreadyClaimed as claimed:
        with progress:
            return hand_over(sources, store, settings, claimed, progress)
    with opened(store, settings, on_problem=progress.cluster) as (engine, encoding), progress:
        return run(sources, engine, store, encoding=encoding, listener=progress)


def _follow(
    store: Store,
    settings: Settings,
    addresses: list[str],
    sources: list[Source],
    progress: RunProgress,
) -> Summary:
    """Read sources to their end, then follow feeds until stopped."""
    from scstory.runners import Summary, opened, run
    from scstory.runners.run_feeds import follow, stand_by

    if not addresses and not store.subscriptions():
        raise UsageError("nothing to follow; name a feed, or: scstory feeds add URL")
    stand_by(store, on_wait=progress.notice)
    with opened(store, settings, on_problem=progress.cluster) as (engine, encoding), progress:
        summary = Summary()
        if sources:
            summary = run(sources, engine, store, encoding=encoding, listener=progress)
        with _until_stopped() as stop:
            progress.following()
            follow(
                addresses,
                engine,
                store,
                settings,
                stop,
                summary,
                encoding=encoding,
                listener=progress,
            )
        return summary


def _progress(sources: list[Source], *, as_json: bool) -> RunProgress:
    from scstory.cli.progress import RunProgress

    class Printing(RunProgress):
        """Also writes each decision to standard output."""

        def step(self, step: Step) -> None:
            super().step(step)
            for decision in step.decided:
                sys.stdout.write(json.dumps(_line(decision), ensure_ascii=False) + "\n")
            sys.stdout.flush()

    return Printing(sources) if as_json else RunProgress(sources)


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
