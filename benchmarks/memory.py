"""Memory over a long stream: does it stay flat once the window is full?"""

from __future__ import annotations

import gc
import os
import time
from pathlib import Path
from typing import Any

import torch

from benchmarks.data import Given, MadeUp, days
from scstory import StoryDiscovery

TOTAL = int(os.environ.get("BENCH_ARTICLES", 50_000))
A_DAY = 150
PRESET = "default"


def measure() -> dict[str, Any]:
    """Return resident memory after every slide."""
    torch.set_num_threads(2)
    discovery = StoryDiscovery(PRESET, encoder=Given())
    megabytes, started = [], time.perf_counter()
    for slide in days(MadeUp(), TOTAL, A_DAY):
        discovery.process(slide)
        discovery.stories()
        discovery.ended()
        gc.collect()
        megabytes.append(_resident())
    return {
        "preset": PRESET,
        "articles": TOTAL,
        "a_day": A_DAY,
        "megabytes": [round(value, 1) for value in megabytes],
        "seconds": time.perf_counter() - started,
    }


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
            f"`{result['preset']}` over {result['articles']:,} made-up articles, "
            f"{result['a_day']} a day, vectors given: "
            f"{result['articles'] / result['seconds']:,.0f} articles/s; at most "
            f"{max(megabytes):,.0f} MB.",
        ]
    )
