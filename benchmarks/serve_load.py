"""Front page and stories API under load, while articles keep coming in.

    python benchmarks/serve_load.py [--rate 200] [--seconds 30] [--posts 2] [--articles FILE]

Starts `scstory serve` on a database of its own, lets it read half of the articles, then asks for
the front page and /api/stories in turn at a steady rate, on a few kept connections, and posts the
other half at a steady rate meanwhile. Requests are sent when their time has come, whether or not
earlier ones have been answered; a latency counts from that time. Prints one line of JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from scstory.feeds import open_source
from scstory.sample import load_sample
from scstory.types import Article

TOKEN = "a-token-for-the-load-test"
PATHS = ("/", "/api/stories")
CONNECTIONS = 16


class Connection:
    """A kept HTTP/1.1 connection, no more than is needed to measure with."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._reader: asyncio.StreamReader | None = None

    async def ask(self, method: str, path: str, body: bytes = b"") -> int:
        """Send a request, read the whole answer, return its status."""
        if self._reader is None:
            self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {TOKEN}\r\n"
            f"Accept-Encoding: gzip\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        self._writer.write(head.encode() + body)
        answer = await self._reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", answer, re.IGNORECASE)
        await self._reader.readexactly(int(length[1]) if length else 0)
        return int(answer[9:12])


def load(path: str | None) -> list[Article]:
    """Return articles moved in time so that the last is of now."""
    items = open_source(path) if path else load_sample()
    articles = sorted((i.article for i in items if i.article), key=lambda a: a.published)
    late = datetime.now(UTC) - articles[-1].published - timedelta(minutes=5)
    return [replace(article, published=article.published + late) for article in articles]


def as_body(articles: list[Article]) -> bytes:
    """Return articles as they are posted."""
    return json.dumps(
        [
            {
                "id": article.id,
                "date": article.published.isoformat(),
                "title": article.title,
                "text": article.text,
                "source": article.source,
            }
            for article in articles
        ]
    ).encode()


async def prepare(port: int, articles: list[Article]) -> None:
    """Post articles and wait until all are decided on."""
    connection = Connection(port)
    while True:
        try:
            await connection.ask("GET", "/healthz")
            break
        except OSError:
            await asyncio.sleep(0.2)
    for start in range(0, len(articles), 500):
        await connection.ask("POST", "/api/articles", as_body(articles[start : start + 500]))
    while await waiting(port):
        await asyncio.sleep(0.5)


async def waiting(port: int) -> float:
    """Return how many articles are not decided on yet."""
    return await metric(port, "scstory_waiting")


async def metric(port: int, name: str) -> float:
    """Return a figure the service gives of itself."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
    text = (await reader.read()).decode()
    writer.close()
    found = re.search(rf"^{name} (\S+)", text, re.MULTILINE)
    return float(found[1]) if found else 0.0


async def run(
    port: int, rate: float, seconds: float, posts: float, articles: list[Article]
) -> dict[str, Any]:
    """Ask and post for some time; return what came of it."""
    due: asyncio.Queue[tuple[float, str]] = asyncio.Queue()
    took: dict[str, list[float]] = {path: [] for path in PATHS}
    statuses: Counter[int] = Counter()
    begun = time.perf_counter()

    async def asking() -> None:
        connection = Connection(port)
        while True:
            at, path = await due.get()
            statuses[await connection.ask("GET", path)] += 1
            took[path].append(time.perf_counter() - at)

    async def posting() -> int:
        connection, posted = Connection(port), 0
        for number, article in enumerate(articles):
            await asyncio.sleep(max(0.0, begun + number / posts - time.perf_counter()))
            if time.perf_counter() - begun > seconds:
                break
            await connection.ask("POST", "/api/articles", as_body([article]))
            posted += 1
        return posted

    askers = [asyncio.create_task(asking()) for _ in range(CONNECTIONS)]
    poster = asyncio.create_task(posting())
    commits = await metric(port, "scstory_commits")
    for number in range(int(rate * seconds)):
        at = begun + number / rate
        await asyncio.sleep(max(0.0, at - time.perf_counter()))
        due.put_nowait((max(at, begun), PATHS[number % len(PATHS)]))
    while not due.empty():
        await asyncio.sleep(0.05)
    await asyncio.sleep(1)
    posted = await poster
    for asker in askers:
        asker.cancel()
    return {
        "rate": rate,
        "seconds": seconds,
        "statuses": {str(status): number for status, number in statuses.items()},
        "posted": posted,
        "commits": (await metric(port, "scstory_commits")) - commits,
        "load_average": os.getloadavg()[0],
        "latencies": {path: percentiles(values) for path, values in took.items()},
    }


def percentiles(seconds: list[float]) -> dict[str, float]:
    """Return the median, the 99th percentile and the longest, in milliseconds."""
    ordered = sorted(seconds)
    return {
        name: round(ordered[min(int(share * len(ordered)), len(ordered) - 1)] * 1000, 1)
        for name, share in (("p50_ms", 0.5), ("p99_ms", 0.99), ("max_ms", 1.0))
    }


def measure(
    *, rate: float = 200, seconds: float = 30, posts: float = 2, path: str | None = None
) -> dict[str, Any]:
    """Start a service, put it under load, stop it; return what came of it."""
    articles = load(path)
    half = len(articles) // 2
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "scstory", "serve", "--port", str(port)]
        process = subprocess.Popen(
            [*command, "--db", str(Path(folder) / "load.db")],
            env={**os.environ, "SCSTORY_TOKEN": TOKEN},
            stderr=subprocess.DEVNULL,
        )
        try:
            asyncio.run(prepare(port, articles[:half]))
            return asyncio.run(run(port, rate, seconds, posts, articles[half:]))
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(30)


def table(result: dict[str, Any]) -> str:
    """Return a result as Markdown."""
    rows = [
        f"| `{path}` | {took['p50_ms']} | {took['p99_ms']} | {took['max_ms']} |"
        for path, took in result["latencies"].items()
    ]
    answers = ", ".join(f"{n:,} × {status}" for status, n in result["statuses"].items())
    return "\n".join(
        [
            "| path | median, ms | 99th percentile, ms | longest, ms |",
            "|---|---:|---:|---:|",
            *rows,
            "",
            f"The client sent {result['rate']:g} requests per second for {result['seconds']:g} s, "
            f"to the two paths in turn, while {result['posted']} articles were posted and decided "
            f"in {result['commits']:g} commits. The status codes were {answers}. Client, service "
            f"and writer shared the machine's cores (load average {result['load_average']:.1f}).",
        ]
    )


def free_port() -> int:
    """Return a port nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def main() -> None:
    """Run the load test and print its result."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rate", type=float, default=200)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--posts", type=float, default=2, help="articles posted a second")
    parser.add_argument("--articles", help="articles to post, as `scstory run` reads them")
    given = parser.parse_args()
    result = measure(rate=given.rate, seconds=given.seconds, posts=given.posts, path=given.articles)
    sys.stdout.write(json.dumps(result) + "\n")


if __name__ == "__main__":
    main()
