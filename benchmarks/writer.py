"""What an article costs the writer: processor time, memory, and bytes in the database."""

from __future__ import annotations

import os
import sqlite3
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.optimize import nnls

from benchmarks.data import SENTENCES, MadeUp
from scstory.discovery import make_engine, make_settings
from scstory.runners import Writer
from scstory.store import open_store
from scstory.text import split_article
from scstory.types import Article

WINDOWS = [int(w) for w in os.environ.get("BENCH_WINDOWS", "600 1500 3000 10000").split()]
NEW = 256
DIM = 384


class Known:
    """Gives the vectors that were made up with the sentences."""

    name, dim = "known", DIM

    def __init__(self) -> None:
        self.vectors: dict[str, np.ndarray] = {}

    def encode(self, sentences: list[str]) -> np.ndarray:
        """Look them up."""
        return np.stack([self.vectors[sentence] for sentence in sentences])


def measure() -> dict[str, Any]:
    """Return the costs for each size of the window, and a line through them."""
    rows = {}
    for window in WINDOWS:  # each in a process of its own, for the sake of its memory
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
            rows[str(window)] = process.submit(_one, window).result()
    costs = {
        what: line(WINDOWS, [rows[str(w)][what] for w in WINDOWS])
        for what in ("decide_ms", "close_ms", "megabytes")
    }
    return {"windows": rows, "costs": costs, "sentences": SENTENCES}


def line(windows: Sequence[float], values: Sequence[float]) -> dict[str, float]:
    """Return the line nearest to the values that neither falls nor starts below 0."""
    rows = np.stack([np.ones(len(windows)), windows], axis=1)
    fixed, slope = nnls(rows, np.array(values))[0]
    return {"fixed": float(fixed), "per_window_article": float(slope)}


def _one(window: int) -> dict[str, float]:
    """Fill a window through the writer; measure a step and the end of a slide."""
    torch.set_num_threads(1)
    made_up, encoder = MadeUp(), Known()

    def articles(day: int, number: int) -> list[Article]:
        found = []
        for member in made_up.slide(day, number):
            title, *lines = (line.capitalize() for line in member.sentences)
            article = replace(member.article, title=title, text=f"{'. '.join(lines)}.")
            sentences = split_article(article)
            encoder.vectors.update(zip(sentences, member.vectors, strict=True))
            found.append(article)
        return found

    with tempfile.TemporaryDirectory(prefix="scstory-bench-") as folder:
        path = Path(folder) / "writer.db"
        store = open_store(str(path))
        writer = Writer(make_engine(make_settings(), encoder), store)
        for day in range(6):
            store.accept(articles(day, window // 6))
            writer.drain()
            encoder.vectors.clear()
        store.accept(articles(6, NEW))
        began = time.process_time()
        while writer.step(NEW):
            pass
        decided = time.process_time()
        writer.finish()
        closed = time.process_time()
        store.close()
        kept, in_window = _kilobytes(path)
        return {
            "decide_ms": 1000 * (decided - began) / NEW,
            "close_ms": 1000 * (closed - decided),
            "megabytes": _most_megabytes(),
            "kept_kb": kept,
            "window_kb": in_window,
        }


def _most_megabytes() -> float:
    """Return the most memory this process has had; getrusage would count its parent's in."""
    status = Path("/proc/self/status").read_text().splitlines()
    (line,) = (line for line in status if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024 / 1e6


def _kilobytes(path: Path) -> tuple[float, float]:
    """Return what the database has for an article for good, and more while it is in the window."""
    with sqlite3.connect(path) as db:
        sizes = dict(db.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name"))
        articles = db.execute("SELECT count(*) FROM articles").fetchone()[0]
        members = db.execute("SELECT count(*) FROM vectors").fetchone()[0]
    window = sizes.pop("vectors")
    sizes.pop("engine_parts")  # as large at the end as at the start
    return sum(sizes.values()) / articles / 1000, window / members / 1000


def table(result: dict[str, Any]) -> str:
    """Return the result as Markdown."""
    lines = [
        "| articles in the window | ms to decide one | ms to close a slide | MB at most | "
        "KB per article, permanently | KB more while in the window |",
        "|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {int(window):,} | {row['decide_ms']:.1f} | {row['close_ms']:,.0f} | "
        f"{row['megabytes']:,.0f} | {row['kept_kb']:.1f} | {row['window_kb']:.1f} |"
        for window, row in result["windows"].items()
    ]
    return "\n".join(
        [
            *lines,
            "",
            f"The benchmark decides generated articles of {result['sentences']} sentences with "
            "`default` and SQLite; the vectors are given. Times are processor time of one thread "
            "and include everything: reading the inbox, deciding, describing the stories and "
            "committing. MB are the memory of the whole process, KB the size of the database.",
        ]
    )
