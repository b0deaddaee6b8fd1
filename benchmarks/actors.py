"""Encoding by Ray: what a second encoder brings, and what the way there costs."""

from __future__ import annotations

import os
from typing import Any

from benchmarks.data import articles
from benchmarks.rounds import alternate
from scstory.runners.ray_encoder import RayEncoder
from scstory.vectors import Prefetcher, encode_articles
from scstory.vectors.minilm import MiniLM
from scstory.vectors.remote import RemoteEncoder

NUMBER = int(os.environ.get("BENCH_NUMBER", 122))
ROUNDS = 5


class Forgetful(RemoteEncoder):
    """An encoder that does not remember what it encoded in an earlier round."""

    def __init__(self, spec: str | None, threads: int, device: str | None) -> None:
        self._encoder = MiniLM(threads=threads)


def measure() -> dict[str, Any]:
    """Return articles a second for one and two actors, and for one and two threads without."""
    name, found = articles()
    found = sorted(found, key=lambda article: article.published)[:NUMBER]
    pool = RayEncoder(address="local", worker=Forgetful)
    try:
        while pool.lanes < 2:
            if not pool._watcher.is_alive() or (os.cpu_count() or 1) < 2:
                raise SystemExit("two cores are needed to compare one actor with two")
        at_once = max(1, len(found) // 8)
        lanes = {
            number: Prefetcher(
                pool, lanes=lambda number=number: number, most_lanes=number, at_once=at_once
            )
            for number in (1, 2)
        }

        def encode(number: int) -> None:
            lanes[number].expect([])  # forget the last round
            lanes[number].encode(found)

        threads = {number: MiniLM(threads=number) for number in (1, 2)}
        timings = alternate(
            {
                "1 actor": lambda: encode(1),
                "2 actors": lambda: encode(2),
                "1 thread, no Ray": lambda: encode_articles(found, threads[1]),
                "2 threads, no Ray": lambda: encode_articles(found, threads[2]),
            },
            rounds=ROUNDS,
        )
    finally:
        pool.close()
    return {
        "data": name,
        "articles": len(found),
        "at_once": at_once,
        "rates": {way: len(found) / timing.seconds() for way, timing in timings.items()},
    }


def table(result: dict[str, Any]) -> str:
    """Return the result as Markdown."""
    rates = result["rates"]
    lines = ["| encoding | articles/s | times |", "|---|---:|---:|"]
    lines += [
        f"| {way} | {rate:,.1f} | {rate / rates['1 actor']:.2f} |" for way, rate in rates.items()
    ]
    return "\n".join(
        [
            *lines,
            "",
            f"The benchmark encodes {result['articles']} articles of {result['data']} with "
            f"`minilm-int8`, one core per actor and batches of {result['at_once']} articles. The "
            "figures are medians of alternating rounds. Two actors encode "
            f"{rates['2 actors'] / rates['1 actor']:.2f} times as fast as one.",
        ]
    )
