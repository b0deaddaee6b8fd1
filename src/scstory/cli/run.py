"""``scstory run``: read articles, discover their stories, keep both."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from scstory.cli.options import (
    AsJson,
    Config,
    Database,
    EncoderName,
    Overrides,
    Preset,
    Threads,
    parse_overrides,
)


def command(
    sources: Annotated[
        list[str], typer.Argument(metavar="SOURCE...", help="Files; - is standard input.")
    ],
    db: Database = None,
    preset: Preset = None,
    encoder: EncoderName = None,
    threads: Threads = None,
    overrides: Overrides = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Read articles (.jsonl or .csv, also .gz or .xz), discover their stories, keep both.

    Run again on the same database, it goes on where it stopped. Articles need id, date, title
    and text; bad ones are reported on standard error and skipped.
    """
    from scstory.cli.progress import RunProgress
    from scstory.config import load_settings
    from scstory.feeds import open_source
    from scstory.runners import Slide, open_engine, run
    from scstory.store import open_store

    settings = load_settings(
        config=config,
        db=db,
        preset=preset,
        encoder=encoder,
        threads=threads,
        discovery=parse_overrides(overrides),
    )
    opened = [open_source(path, max_characters=settings.max_characters) for path in sources]
    if settings.threads:
        import torch

        torch.set_num_threads(settings.threads)
    store = open_store(settings.db)
    progress = RunProgress(opened)
    try:
        store.claim()
        engine = open_engine(store, settings)

        def on_slide(slide: Slide) -> None:
            progress.slide(slide)
            if as_json:
                for decision in slide.decided:
                    line = {
                        "article": decision.article,
                        "story": decision.story,
                        "confidence": round(decision.confidence, 6),
                        "new": decision.new,
                    }
                    sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")
                sys.stdout.flush()

        with progress:
            summary = run(
                opened,
                engine,
                store,
                on_problem=progress.problem,
                on_read=progress.read,
                on_slide=on_slide,
            )
        articles, stories = store.counts()
    finally:
        store.close()
    progress.summary(summary, settings.db, articles, stories)
    if not summary.complete:
        raise typer.Exit(1)
