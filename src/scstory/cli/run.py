"""``scstory run``: read articles, discover their stories, keep both."""

from __future__ import annotations

import json
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
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
    from scstory.runners import Slide
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
    """Read articles from files or the web, discover their stories, keep both.

    Run again on the same database, it goes on where it stopped. Articles in files (.jsonl or
    .csv, also .gz or .xz) need id, date, title and text; bad ones are reported on standard error
    and skipped.
    """
    from scstory.cli.memory import stay_lean
    from scstory.cli.progress import RunProgress
    from scstory.config import load_settings
    from scstory.feeds import Item, is_web, open_source
    from scstory.feeds.opening import feed_addresses
    from scstory.runners import Summary, opened, run
    from scstory.runners.live import follow as keep_following
    from scstory.runners.live import stand_by
    from scstory.store import open_store

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
    names = sources or []
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
    stay_lean()
    store = open_store(settings.db)
    progress = RunProgress(to_read)
    try:
        if follow and not addresses and not store.subscriptions():
            raise UsageError("nothing to follow; name a feed, or: scstory feeds add URL")
        if follow:
            stand_by(store, on_wait=progress.waiting)
        else:
            store.claim()

        def on_slide(slide: Slide) -> None:
            progress.slide(slide)
            if as_json:
                for decision in slide.decided:
                    sys.stdout.write(json.dumps(_line(decision), ensure_ascii=False) + "\n")
                sys.stdout.flush()

        def on_cluster(problem: str) -> None:
            progress.problem(Item("cluster", None, problem))

        summary = Summary()
        with opened(store, settings, on_problem=on_cluster) as (engine, encoding), progress:
            if to_read:
                summary = run(
                    to_read,
                    engine,
                    store,
                    encoding=encoding,
                    on_problem=progress.problem,
                    on_read=progress.read,
                    on_slide=on_slide,
                )
            if follow:
                with _until_stopped() as stop:
                    progress.following()
                    keep_following(
                        addresses,
                        engine,
                        store,
                        settings,
                        stop,
                        summary,
                        encoding=encoding,
                        on_problem=progress.problem,
                        on_poll=progress.poll,
                        on_slide=on_slide,
                    )
        articles, stories = store.counts()
    finally:
        store.close()
    progress.summary(summary, store.name, articles, stories)
    if not summary.complete:
        raise typer.Exit(1)


def _line(decision: Assignment) -> dict[str, Any]:
    if decision.was is not None:
        return {
            "article": decision.article,
            "story": decision.story,
            "was": decision.was,
            "moved": True,
        }
    return {
        "article": decision.article,
        "story": decision.story,
        "confidence": round(decision.confidence, 6),
        "new": decision.new,
    }


@contextmanager
def _until_stopped() -> Iterator[threading.Event]:
    """Give an event that the first SIGINT or SIGTERM sets; the second one works as always."""
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
