"""Articles a second from file to database: vectors to be made, and vectors in the cache."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch

from benchmarks.data import START, articles
from benchmarks.rounds import alternate
from scstory.discovery import make_engine, make_settings
from scstory.feeds import open_source
from scstory.runners import run
from scstory.store import open_store
from scstory.vectors import Prefetcher, encode_articles
from scstory.vectors.disk_cache import disk_cached
from scstory.vectors.minilm import MiniLM

THREADS = 2
NUMBER = int(os.environ.get("BENCH_NUMBER", 122))
A_DAY = int(os.environ.get("BENCH_A_DAY", 0))
"""How many articles come a day; as many as their dates say if 0."""


def measure() -> dict[str, Any]:
    """Return articles a second, cold and warm, and for encoding alone."""
    torch.set_num_threads(THREADS)
    name, found = articles()
    found = sorted(found, key=lambda article: article.published)[:NUMBER]
    if A_DAY:
        found = [
            replace(article, published=START + timedelta(days=place / A_DAY))
            for place, article in enumerate(found)
        ]
    encoder = MiniLM(threads=THREADS)
    with tempfile.TemporaryDirectory(prefix="scstory-bench-") as folder:
        source = Path(folder) / "articles.jsonl"
        with source.open("w", encoding="utf-8") as file:
            for a in found:
                line = {
                    "id": a.id,
                    "date": a.published.isoformat(),
                    "title": a.title,
                    "text": a.text,
                }
                file.write(json.dumps(line) + "\n")
        times = iter(range(1_000_000))

        def go(encoder: Any, *, prefetch: bool = True) -> None:
            store = open_store(str(Path(folder) / f"{next(times)}.db"))
            engine = make_engine(make_settings(), encoder)
            encoding = Prefetcher(encoder, prefetch=prefetch)
            try:
                run([open_source(str(source))], engine, store, encoding=encoding)
            finally:
                encoding.close()
                store.close()

        warm = disk_cached(encoder, folder=Path(folder))
        timings = alternate(
            {
                "from text, with an empty cache": lambda: go(encoder),
                "the same, without prefetching": lambda: go(encoder, prefetch=False),
                "from text, with all vectors cached": lambda: go(warm),
                "encoding alone": lambda: encode_articles(found, encoder),
            },
            rounds=3,
        )
    return {
        "data": name,
        "articles": len(found),
        "a_day": A_DAY,
        "threads": THREADS,
        "rates": {way: len(found) / timing.seconds() for way, timing in timings.items()},
    }


def table(result: dict[str, Any]) -> str:
    """Return the result as Markdown."""
    lines = ["| | articles/s |", "|---|---:|"]
    lines += [f"| {way} | {rate:,.1f} |" for way, rate in result["rates"].items()]
    return "\n".join(
        [
            *lines,
            "",
            f"The benchmark runs {result['articles']} articles of {result['data']}, "
            f"{result['a_day'] or 'a few'} per day, from a JSON Lines file to SQLite, with "
            f"`default` and {result['threads']} threads, and commits every slide.",
        ]
    )
