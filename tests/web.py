"""A real web server on loopback for tests, which behaves as badly as it is told to."""

from __future__ import annotations

import gzip
import random
import ssl
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from xml.sax.saxutils import escape

from scstory.config import FeedSettings

LOCAL = FeedSettings(allow_private=True, host_interval=0, timeout=5)
"""Settings for tests: this server is on a private address, and nobody is annoyed by haste."""


@dataclass
class Answer:
    """What the server answers: a body may come in pieces, as slowly as they are made."""

    body: bytes | Iterable[bytes] = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Request:
    path: str
    headers: Mapping[str, str]
    started: float


class Site:
    """Paths and what is at them: bytes, an Answer, or a function from the request to either."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.pages: dict[str, bytes | str | Answer | Callable[[Request], Answer]] = {}
        self.requests: list[Request] = []
        self.closing = Event()
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.0"

            def do_GET(self) -> None:
                request = Request(
                    self.path, {k.lower(): v for k, v in self.headers.items()}, time.monotonic()
                )
                site.requests.append(request)
                answer = site._answer(request)
                try:
                    self.send_response(answer.status)
                    for name, value in answer.headers.items():
                        self.send_header(name, value)
                    self.end_headers()
                    pieces = [answer.body] if isinstance(answer.body, bytes) else answer.body
                    for piece in pieces:
                        if site.closing.is_set():
                            return
                        self.wfile.write(piece)
                        self.wfile.flush()
                except OSError:
                    pass  # the reader had enough

            def log_message(self, *arguments: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        if tls:
            self._server.socket = tls.wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False
            )
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._thread = Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def _answer(self, request: Request) -> Answer:
        page = self.pages.get(request.path.partition("?")[0])
        if page is None:
            return Answer(b"nothing here", 404)
        if callable(page):
            page = page(request)
        if isinstance(page, str):
            page = page.encode()
        return Answer(page) if isinstance(page, bytes) else page

    def paths(self) -> list[str]:
        return [request.path for request in self.requests]

    def close(self) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()


def drip(pieces: Iterable[bytes], seconds: float) -> Iterable[bytes]:
    """Yield pieces slowly."""
    for piece in pieces:
        time.sleep(seconds)
        yield piece


def zipped(body: bytes) -> Answer:
    return Answer(gzip.compress(body), headers={"Content-Encoding": "gzip"})


def redirect(to: str, status: int = 302) -> Answer:
    return Answer(b"", status, {"Location": to})


def rss(*items: str, title: str = "The Wire", head: str = "") -> str:
    return (
        f'<?xml version="1.0" encoding="utf-8"?>{head}<rss version="2.0"><channel>'
        f"<title>{title}</title><language>en-gb</language>{''.join(items)}</channel></rss>"
    )


def item(
    number: int,
    *,
    link: str | None = None,
    text: str = "A summary.",
    date: str | None = "Tue, 03 Mar 2026 07:35:00 +0100",
    title: str | None = None,
) -> str:
    link = link or f"https://wire.example/{number}"
    when = f"<pubDate>{date}</pubDate>" if date else ""
    return (
        f"<item><title>{title or f'Headline {number}'}</title><link>{escape(link)}</link>"
        f"<guid isPermaLink='false'>n{number}</guid>{when}"
        f"<description>{escape(text)}</description></item>"
    )


def page(title: str, *paragraphs: str, head: str = "") -> str:
    body = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return (
        f"<!DOCTYPE html><html lang='en'><head><title>{title}</title>{head}</head><body>"
        "<nav><a href='/'>Home</a> <a href='/sport'>Sport</a></nav>"
        f"<article><h1>{title}</h1>{body}</article><footer>All rights reserved</footer>"
        "</body></html>"
    )


LONG = tuple(
    f"Paragraph {number} tells how the river rose overnight and what the mayor of the old quarter "
    f"had to say about it when she met the {number} families who had left their homes."
    for number in range(1, 9)
)
"""The paragraphs of a full article."""


def paragraphs(number: int) -> list[str]:
    """Return the paragraphs of a full article that is like no other."""
    made = random.Random(number)
    words = ["".join(made.choices("abcdefghiklmnoprstu", k=6)) for _ in range(200)]
    return [" ".join(words[at : at + 25]).capitalize() + "." for at in range(0, 200, 25)]
