"""Measures what is named, or all of it; writes results, docs/performance.md and its picture."""

from __future__ import annotations

import sys
import time

from benchmarks import (
    actors,
    encoder,
    end_to_end,
    memory,
    page,
    reference,
    scale,
    serve_load,
    slides,
    soak,
    startup,
    window,
    writer,
)
from scstory.cli.release_memory import release_memory_regularly

PARTS = {
    "encoder": encoder,
    "slides": slides,
    "reference": reference,
    "memory": memory,
    "end-to-end": end_to_end,
    "window": window,
    "writer": writer,
    "actors": actors,
    "startup": startup,
    "serve": serve_load,
    "soak": soak,
    "scale": scale,
}
"""What comes later may use the results of what comes before."""


def main() -> None:
    """Measure, keep, show."""
    names = sys.argv[1:] or [name for name in PARTS if name not in ("soak", "reference", "window")]
    if unknown := [name for name in names if name not in (*PARTS, "page")]:
        raise SystemExit(f"{unknown[0]}: there are {', '.join(PARTS)}, and page to redraw only")
    release_memory_regularly()  # as the command does
    for name in names:
        if name in PARTS:
            sys.stderr.write(f"{name} …\n")
            started = time.perf_counter()
            result = PARTS[name].measure()
            page.keep(name, result)
            sys.stdout.write(f"{PARTS[name].table(result)}\n\n")
            sys.stderr.write(f"{name}: {time.perf_counter() - started:.0f} s\n")
    for name, part in PARTS.items():
        if result := page.kept(name):
            where = page.source(result)
            bare = {
                key: value
                for key, value in result.items()
                if key not in ("machine", "date", "load")
            }
            on = page.SCALE if part is scale else page.PAGE
            page.fill(name, f"{part.table(bare)}\n\n{where}", on)
    page.draw()


if __name__ == "__main__":
    main()
