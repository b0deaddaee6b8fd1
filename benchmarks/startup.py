"""How long commands take to start: `--help`, a list of stories, a run with nothing left to do."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from scstory.sample import load_sample

REPEATS = 7


def measure() -> dict[str, Any]:
    """Return median seconds by command, on the clock and of the processor."""
    with tempfile.TemporaryDirectory(prefix="scstory-bench-") as folder:
        source = Path(folder) / "articles.jsonl"
        with source.open("w", encoding="utf-8") as file:
            for item in load_sample()[:30]:
                a = item.article
                assert a is not None
                line = {
                    "id": a.id,
                    "date": a.published.isoformat(),
                    "title": a.title,
                    "text": a.text,
                }
                file.write(json.dumps(line) + "\n")
        again = ["run", str(source), "--db", str(Path(folder) / "a.db")]
        _seconds(again)
        return {
            "scstory --help": _medians(["--help"]),
            "scstory stories": _medians(["stories", "--db", str(Path(folder) / "a.db")]),
            "scstory run, all articles known": _medians(again),
        }


def _medians(arguments: list[str]) -> dict[str, float]:
    taken = [_seconds(arguments) for _ in range(REPEATS)]
    return {
        "wall": median(wall for wall, _ in taken),
        "processor": median(processor for _, processor in taken),
    }


def _seconds(arguments: list[str]) -> tuple[float, float]:
    before, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, "-m", "scstory", *arguments]
    subprocess.run(command, check=True, capture_output=True, env=os.environ)
    wall, after = time.perf_counter() - wall, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def table(result: dict[str, Any]) -> str:
    """Return the result as Markdown."""
    lines = ["| command | seconds | processor seconds |", "|---|---:|---:|"]
    for command, row in result.items():
        lines.append(f"| `{command}` | {row['wall']:.2f} | {row['processor']:.2f} |")
    return "\n".join(lines)
