"""Seconds per slide of 100 new articles, vectors given, for windows of 100 to 10,000 articles."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import replace
from statistics import median
from typing import Any

import torch

from benchmarks.data import Given, MadeUp
from scstory.discovery import Engine
from scstory.evaluation.systems import make_system
from scstory.types import EncodedArticle

WINDOWS = (100, 300, 1_000, 3_000, 10_000)
NEW = 100
SYSTEMS = (
    ("scstory", "default"),
    ("scstory", "paper"),
    *((name, None) for name in ("hrstory", "tfidf", "mean", "constream", "newslens", "batclus")),
    *((name, None) for name in ("densps", "ustory", "textclust")),
)
PATIENCE = float(os.environ.get("BENCH_PATIENCE", 120))
"""Seconds that filling a window may take before a system's larger ones are left out."""
REPEATS = 3
THREADS = 2


def measure() -> dict[str, Any]:
    """Return seconds per slide by system and window."""
    torch.set_num_threads(THREADS)
    seconds: dict[str, dict[str, float]] = {}
    for name, preset in SYSTEMS:
        row = seconds.setdefault(f"{name}, {preset}" if preset else name, {})
        for window in WINDOWS:
            taken, filling = one(name, preset, window)
            sys.stderr.write(f"  {name} {preset or ''} {window:,}: {taken:.2f} s\n")
            row[str(window)] = taken
            if filling > PATIENCE:
                break
    return {"seconds": seconds, "new": NEW, "threads": THREADS}


def one(name: str, preset: str | None, window: int) -> tuple[float, float]:
    """Return the median seconds of a slide, and of filling the window."""
    made_up = MadeUp()
    system = make_system(name, Given(), preset=preset or "default")
    started = time.perf_counter()
    # Six days fill the window; a seventh closes what systems with a cold start hold back.
    for day in range(6):
        _process(system, made_up.slide(day, max(1, window // 6)))
    slide = made_up.slide(6, NEW)
    _process(system, made_up.slide(6, 1))
    state = system.state()
    filling = time.perf_counter() - started
    taken = []
    for _ in range(REPEATS):
        again = make_system(name, Given(), preset=preset or "default")
        again.restore(state)
        read = again.settings.reader()
        started = time.perf_counter()
        # Vectors are given; what else is read from the text takes its time here.
        _process(again, [replace(m, reading=read(m.article, sentences=m.sentences)) for m in slide])
        taken.append(time.perf_counter() - started)
    return median(taken), filling


def _process(engine: Engine, slide: list[EncodedArticle]) -> None:
    """Decide on a slide and close it."""
    engine.decide(slide)
    engine.close()


def table(result: dict[str, Any]) -> str:
    """Return the result as Markdown."""
    lines = [
        "| system | " + " | ".join(f"{window:,}" for window in WINDOWS) + " |",
        "|---|" + "---:|" * len(WINDOWS),
    ]
    for name, row in result["seconds"].items():
        cells = [f"{row[str(w)]:.2f}" if str(w) in row else "–" for w in WINDOWS]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(
        [
            *lines,
            "",
            f"The table shows the seconds for one slide of {result['new']} new articles of 20 "
            "sentences, by articles in the window, with the vectors given, learning included and "
            f"{result['threads']} threads. A dash (–) means that filling the window took too long.",
        ]
    )
