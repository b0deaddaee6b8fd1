"""Memory over a long stream: does it stay flat once the window is full?"""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import torch

from benchmarks.data import START, Given, MadeUp, articles, days
from scstory.discovery import make_engine, make_settings
from scstory.types import EncodedArticle
from scstory.vectors import encode_articles
from scstory.vectors.disk_cache import disk_cached
from scstory.vectors.minilm import MiniLM

TOTAL = int(os.environ.get("BENCH_ARTICLES", 50_000))
A_DAY = 150
PRESET = "default"


def measure() -> dict[str, Any]:
    """Return resident memory after every slide."""
    torch.set_num_threads(2)
    engine = make_engine(make_settings(PRESET), Given())
    if "BENCH_DATA" in os.environ:
        name, slides = _repeated()
    else:
        name, slides = "made-up articles", days(MadeUp(), TOTAL, A_DAY)
    megabytes, started = [], time.perf_counter()
    for slide in slides:
        engine.decide(slide)
        engine.close()
        engine.stories()
        engine.ended()
        gc.collect()
        megabytes.append(_resident())
    return {
        "data": name,
        "preset": PRESET,
        "articles": TOTAL,
        "a_day": A_DAY,
        "megabytes": [round(value, 1) for value in megabytes],
        "seconds": time.perf_counter() - started,
    }


def _repeated() -> tuple[str, Iterator[list[EncodedArticle]]]:
    """Return real articles, again and again, with new ids and dates."""
    name, found = articles()
    encoder = disk_cached(MiniLM(threads=2))
    encoded = encode_articles(sorted(found, key=lambda article: article.published), encoder)
    encoder.close()
    again = cycle(encoded)

    def slide(day: int) -> list[EncodedArticle]:
        found = []
        for place, member in enumerate(islice(again, A_DAY)):
            date = START + timedelta(days=day, seconds=86_000 * place / A_DAY)
            article = replace(member.article, id=f"{day}-{place}", published=date)
            found.append(replace(member, article=article))
        return found

    return f"articles of {name}, repeated", map(slide, range(TOTAL // A_DAY))


def _resident() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def table(result: dict[str, Any]) -> str:
    """Return the result as Markdown."""
    megabytes = result["megabytes"]
    lines = ["| after articles | MB |", "|---:|---:|"]
    for share in (0, 0.04, 0.1, 0.25, 0.5, 0.75, 1):
        slide = min(len(megabytes) - 1, round(share * len(megabytes)))
        seen = min(result["articles"], (slide + 1) * result["a_day"])
        lines.append(f"| {seen:,} | {megabytes[slide]:,.0f} |")
    return "\n".join(
        [
            *lines,
            "",
            f"The `{result['preset']}` preset read {result['articles']:,} {result['data']}, "
            f"{result['a_day']} per day, with the vectors given, at "
            f"{result['articles'] / result['seconds']:,.0f} articles/s; its memory was at most "
            f"{max(megabytes):,.0f} MB.",
        ]
    )
