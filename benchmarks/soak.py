"""A soak: the service with feeds, posts, readers and listeners at once, for half an hour.

Starts `scstory serve` on a fresh database with a window of three minutes, remembering stories for
five, so that articles come and leave many times over. A local site has four feeds that gain items:
one with summaries that lead to pages, one that fails every third time. Articles are posted, pages
and API are read, event streams are listened to. Memory is sampled. Every unexpected answer, every
gap in an event stream and every line the service complains with is an error, and so is every
article offered that is not there at the end.

    python -m benchmarks.soak --minutes 30
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, deque
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import format_datetime
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import linear_regression, mean
from typing import Any

import httpx2

from benchmarks import page
from benchmarks.serve_load import free_port, percentiles
from scstory.sample import load_sample
from scstory.text import split_article

MINUTES = 30.0
TOKEN = "a-token-for-the-soak"
POST_EVERY, ITEM_EVERY, READ_EVERY, SAMPLE_EVERY = 3.0, 6.0, 0.2, 5.0
"""Seconds between articles posted, items of a feed, requests of readers, looks at the memory."""
LISTENERS = 4
FEEDS = ("full", "summary", "flaky", "other")
READ = (
    "/",
    "/api/stories",
    "/stories/{}",
    "/api/stories/{}",
    "/api/stories/{}/articles",
    "/search?q=river",
    "/feed.xml",
    "/about",
    "/map",
    "/api/map",
    "/metrics",
)
SERVICE = {
    "SCSTORY_TOKEN": TOKEN,
    "SCSTORY_FEEDS__ALLOW_PRIVATE": "true",
    "SCSTORY_FEEDS__HOST_INTERVAL": "0.1",
    "SCSTORY_FEEDS__MIN_INTERVAL": "5s",
    "SCSTORY_FEEDS__MAX_INTERVAL": "30s",
}
SETTINGS = ("--set", "window=3m", "--set", "slide=30s", "--set", "resume=5m")


class Press:
    """Articles without end: sentences of the bundled sample's stories in ever new order."""

    def __init__(self) -> None:
        told: dict[str, list[Any]] = {}
        for item in load_sample():
            if item.article:
                told.setdefault(item.label or "", []).append(item.article)
        self._titles = [[a.title for a in articles] for articles in told.values()]
        self._sentences = [
            [s for a in articles for s in split_article(a)[1:]] for articles in told.values()
        ]
        self._begun, self._number = time.monotonic(), 0
        self._turn = threading.Lock()

    def article(self, source: str) -> dict[str, str]:
        """Return an article of one of the stories that are told at the moment."""
        with self._turn:
            self._number += 1
            number = self._number
        draw = random.Random(number)
        since = int((time.monotonic() - self._begun) / 120)
        story = (since + draw.randrange(5)) % len(self._titles)
        text = draw.sample(self._sentences[story], 10)
        return {
            "id": f"{source}-{number}",
            "date": datetime.now(UTC).isoformat(),
            "title": draw.choice(self._titles[story]),
            "text": " ".join([*text, f"This is report {number} of the {source} desk."]),
            "source": f"The {source.title()}",
        }


class Site:
    """Feeds that gain items, and the pages of one of them."""

    def __init__(self, press: Press) -> None:
        self._press = press
        self._items: dict[str, deque[dict[str, str]]] = {f: deque(maxlen=60) for f in FEEDS}
        self.offered: list[str] = []
        self._asked: Counter[str] = Counter()
        self.stopped = threading.Event()
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                status, headers, body = site._answer(self.path, self.headers.get("If-None-Match"))
                with suppress(OSError):
                    self.send_response(status)
                    for name, value in headers.items():
                        self.send_header(name, value)
                    self.end_headers()
                    self.wfile.write(body)

            def log_message(self, *arguments: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        for work in (self._server.serve_forever, self._print):
            threading.Thread(target=work, daemon=True).start()

    def close(self) -> None:
        """Answer no more."""
        self._server.shutdown()

    def _print(self) -> None:
        while not self.stopped.wait(ITEM_EVERY / len(FEEDS)):
            feed = FEEDS[len(self.offered) % len(FEEDS)]
            item = self._press.article(feed)
            self._items[feed].appendleft(item)
            self.offered.append(item["title"])

    def _answer(self, path: str, tag: str | None) -> tuple[int, dict[str, str], bytes]:
        name = path.strip("/")
        if name.startswith("page/"):
            found = [i for items in self._items.values() for i in items if i["id"] == name[5:]]
            return (
                (200, {"Content-Type": "text/html"}, _page(found[0])) if found else (404, {}, b"")
            )
        self._asked[name] += 1
        if name == "flaky" and self._asked[name] % 3 == 0:
            return 500, {}, b"not now"
        items = list(self._items[name])
        mark = f'"{items[0]["id"] if items else ""}"'
        if tag == mark:
            return 304, {"ETag": mark}, b""
        body = "".join(_item(item, self.url, short=name == "summary") for item in items)
        feed = f'<rss version="2.0"><channel><title>The {name}</title>{body}</channel></rss>'
        return 200, {"ETag": mark, "Content-Type": "application/rss+xml"}, feed.encode()


def _item(item: dict[str, str], site: str, *, short: bool) -> str:
    text = item["text"][:120] if short else item["text"]
    when = format_datetime(datetime.fromisoformat(item["date"]))
    return (
        f"<item><guid isPermaLink='false'>{item['id']}</guid><title>{escape(item['title'])}</title>"
        f"<link>{site}/page/{item['id']}</link><pubDate>{when}</pubDate>"
        f"<description>{escape(text)}</description></item>"
    )


def _page(item: dict[str, str]) -> bytes:
    title = escape(item["title"])
    text = escape(item["text"]).replace(". ", ".</p><p>")
    return (
        f"<!doctype html><html lang='en'><head><title>{title}</title></head><body><nav>Home</nav>"
        f"<article><h1>{title}</h1><p>{text}</p></article></body></html>"
    ).encode()


class Soak:
    """One run: who posts, reads, listens and watches, and what they saw."""

    def __init__(self, port: int, pid: int, press: Press, seconds: float) -> None:
        self._base, self._pid, self._press = f"http://127.0.0.1:{port}", pid, press
        self._begun = time.monotonic()
        self._end = self._begun + seconds
        self.errors: Counter[str] = Counter()
        self.took: dict[str, list[float]] = {}
        self.samples: list[tuple[float, float, int]] = []
        self.loads: list[float] = []
        self.events, self.posted = 0, list[str]()
        self._stories: list[int] = []

    async def run(self, feeds: list[str]) -> None:
        """Do all of it until the time is over."""
        limits = httpx2.Limits(max_connections=50)
        async with httpx2.AsyncClient(base_url=self._base, timeout=60, limits=limits) as client:
            await self._ready(client)
            for feed in feeds:
                await self._ask(client, "POST", "/api/feeds", 201, json={"url": feed})
            listeners = [asyncio.create_task(self._listen(client)) for _ in range(LISTENERS)]
            await asyncio.gather(self._post(client), self._read(client), self._watch())
            for listener in listeners:
                listener.cancel()
            await asyncio.gather(*listeners, return_exceptions=True)

    async def settle(self) -> None:
        """Wait until everything is decided on."""
        async with httpx2.AsyncClient(base_url=self._base, timeout=60) as client:
            for _ in range(600):
                text = (await client.get("/metrics")).text
                found = re.search(r"^scstory_waiting (\S+)", text, re.MULTILINE)
                if found and float(found[1]) == 0:
                    return
                await asyncio.sleep(1)
        self.errors["articles still waiting after ten minutes"] += 1

    def _left(self) -> bool:
        return time.monotonic() < self._end

    async def _ready(self, client: httpx2.AsyncClient) -> None:
        while True:
            with suppress(httpx2.HTTPError):
                if (await client.get("/readyz")).status_code == 200:
                    return
            await asyncio.sleep(0.5)

    async def _ask(
        self, client: httpx2.AsyncClient, method: str, path: str, wanted: int = 200, **more: Any
    ) -> httpx2.Response | None:
        kind = f"{method} {re.sub(r'[0-9]+', 'ID', path.partition('?')[0])}"
        headers = {"Authorization": f"Bearer {TOKEN}"} if method == "POST" else {}
        started = time.perf_counter()
        try:
            answer = await client.request(
                method, path, headers=headers, follow_redirects=True, **more
            )
        except httpx2.HTTPError as error:
            self.errors[f"{kind}: {type(error).__name__}"] += 1
            return None
        self.took.setdefault(kind, []).append(time.perf_counter() - started)
        if answer.status_code != wanted:
            self.errors[f"{kind}: {answer.status_code}"] += 1
        return answer

    async def _post(self, client: httpx2.AsyncClient) -> None:
        while self._left():
            article = self._press.article("desk")
            if await self._ask(client, "POST", "/api/articles", 202, json=article):
                self.posted.append(article["id"])
            if len(self.posted) % 10 == 0:
                text = {"title": article["title"], "text": article["text"]}
                await self._ask(client, "POST", "/api/match", json=text)
            await asyncio.sleep(POST_EVERY)

    async def _read(self, client: httpx2.AsyncClient) -> None:
        number = 0
        asked: set[asyncio.Task[Any]] = set()
        while self._left():
            path = READ[number % len(READ)]
            number += 1
            if self._stories or "{}" not in path:
                path = path.format(random.choice(self._stories or [0]))
                task = asyncio.create_task(self._look(client, path))
                asked.add(task)
                task.add_done_callback(asked.discard)
            await asyncio.sleep(READ_EVERY)
        await asyncio.gather(*asked)

    async def _look(self, client: httpx2.AsyncClient, path: str) -> None:
        answer = await self._ask(client, "GET", path)
        if answer is not None and path == "/api/stories" and answer.status_code == 200:
            self._stories = [story["id"] for story in answer.json()["stories"]] or self._stories

    async def _listen(self, client: httpx2.AsyncClient) -> None:
        """Listen for events, and come back now and then as a browser does; none may be missed."""
        last: int | None = None
        while True:
            headers = {} if last is None else {"Last-Event-ID": str(last)}
            until = time.monotonic() + random.uniform(30, 120)
            with suppress(httpx2.TimeoutException):
                async with client.stream("GET", "/api/events", headers=headers) as stream:
                    async for line in stream.aiter_lines():
                        if line.startswith("id: "):
                            number = int(line[4:])
                            if last is not None and number != last + 1:
                                self.errors[f"event {number} after {last}"] += 1
                            last, self.events = number, self.events + 1
                        if time.monotonic() > until:
                            break

    async def _watch(self) -> None:
        while self._left():
            status = Path(f"/proc/{self._pid}/status").read_text()
            resident = re.search(r"VmRSS:\s+(\d+)", status)
            files = len(list(Path(f"/proc/{self._pid}/fd").iterdir()))
            since = time.monotonic() - self._begun
            self.samples.append((since, int(resident[1]) / 1024 if resident else 0.0, files))
            self.loads.append(os.getloadavg()[0])
            await asyncio.sleep(SAMPLE_EVERY)


def measure(*, minutes: float = MINUTES) -> dict[str, Any]:
    """Run a service through it; return what came of it."""
    press, port = Press(), free_port()
    site = Site(press)
    with tempfile.TemporaryDirectory(prefix="scstory-soak-") as folder:
        db, log = Path(folder) / "soak.db", Path(folder) / "log"
        command = [sys.executable, "-m", "scstory", "serve", "--port", str(port), "--db", str(db)]
        with log.open("w") as complaints:
            process = subprocess.Popen(
                [*command, *SETTINGS], env={**os.environ, **SERVICE}, stderr=complaints
            )
        soak = Soak(port, process.pid, press, minutes * 60)
        try:
            asyncio.run(soak.run([f"{site.url}/{feed}" for feed in FEEDS]))
            site.stopped.set()
            time.sleep(60)  # so that every feed is looked at once more
            asyncio.run(soak.settle())
        finally:
            process.send_signal(signal.SIGTERM)
            code = process.wait(60)
            site.close()
        if code != 0:
            soak.errors[f"the service ended with {code}"] += 1
        for line in log.read_text().splitlines()[1:]:
            soak.errors[line[:200]] += 1
        kept = _kept(db)
        if missing := len(set(soak.posted) - kept):
            soak.errors["articles posted and not kept"] += missing
        fed = sum("#" in known for known in kept)
        if fed < len(site.offered):
            soak.errors["items of feeds not kept"] += len(site.offered) - fed
        return _result(soak, minutes, len(site.offered), db.stat().st_size / 2**20)


def _kept(db: Path) -> set[str]:
    connection = sqlite3.connect(db)
    try:
        query = "SELECT id FROM articles UNION SELECT id FROM sources"
        return {row[0] for row in connection.execute(query)}
    finally:
        connection.close()


def _result(soak: Soak, minutes: float, offered: int, megabytes: float) -> dict[str, Any]:
    times = [seconds / 60 for seconds, _, _ in soak.samples]
    memory = [resident for _, resident, _ in soak.samples]
    thirds = [memory[len(memory) * n // 3 : len(memory) * (n + 1) // 3] for n in range(3)]
    files = [number for _, _, number in soak.samples]
    return {
        "minutes": minutes,
        "posted": len(soak.posted),
        "offered": offered,
        "requests": sum(map(len, soak.took.values())),
        "events": soak.events,
        "listeners": LISTENERS,
        "errors": dict(soak.errors),
        "megabytes": {
            "times": [round(t, 2) for t in times],
            "resident": [round(m) for m in memory],
        },
        "thirds": [round(mean(third)) for third in thirds],
        "files": [min(files[len(files) // 3 :]), max(files[len(files) // 3 :])],
        "database": round(megabytes),
        "busy": round(mean(soak.loads), 1),
        "latencies": {kind: percentiles(values) for kind, values in sorted(soak.took.items())},
    }


def _rise(megabytes: dict[str, list[float]]) -> float:
    """Return how many a minute come to it in the last two thirds, by the nearest straight line."""
    times, resident = megabytes["times"], megabytes["resident"]
    later = len(times) // 3
    return linear_regression(times[later:], resident[later:]).slope


def table(result: dict[str, Any]) -> str:
    """Return a result as Markdown."""
    told = "; ".join(f"{n} × {what}" for what, n in result["errors"].items())
    verdict = (
        f"Errors: **{told}**."
        if told
        else "**No error** occurred: every response was the expected one, every article was in the "
        "database at the end, no listener missed an event, and the service reported no problem."
    )
    slowest, slow = max(result["latencies"].items(), key=lambda pair: pair[1]["p99_ms"])
    front = result["latencies"]["GET /"]
    first, second, third = result["thirds"]
    return (
        f"`scstory serve` ran for {result['minutes']:g} minutes with a window of 3 minutes, and "
        "stories could resume for 5 minutes. It received "
        f"{result['posted']:,} posted articles, {result['offered']:,} items of four feeds (one "
        "with summaries only, one failing every third time) and "
        f"{result['requests']:,} requests, and sent {result['events']:,} events to "
        f"{result['listeners']} listeners. {verdict}\n\n"
        f"Resident memory was {first:,} MB on average in the first third, {second:,} MB in the "
        f"second and {third:,} MB in the last; a straight line fitted to the last two thirds "
        f"rises by {_rise(result['megabytes']):.2f} MB per minute. Open files stayed between "
        f"{result['files'][0]} and {result['files'][1]}; the database ended at "
        f"{result['database']} MB. The front page took {front['p50_ms']} ms in the median and "
        f"{front['p99_ms']} ms at the 99th percentile; the slowest kind of request, `{slowest}`, "
        f"took {slow['p50_ms']} ms and {slow['p99_ms']} ms. Client, service and writer "
        f"shared the machine's cores with other processes (mean load {result['busy']})."
    )


def main() -> None:
    """Run the soak, keep its result, fill in the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=MINUTES)
    parser.add_argument(
        "--keep", action="store_true", help="put the result into docs/performance.md"
    )
    given = parser.parse_args()
    result = measure(minutes=given.minutes)
    sys.stdout.write(json.dumps({**result, "megabytes": None}, indent=1) + "\n")
    if given.keep:
        page.keep("soak", result)
        page.fill("soak", f"{table(result)}\n\n{page.source(page.kept('soak') or {})}")
        page.draw()


if __name__ == "__main__":
    main()
