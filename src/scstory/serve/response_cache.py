"""Responses that are made once for each version of the store and then sent from memory."""

import asyncio
import gzip
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

MAX_RESPONSES = 1_000
MAX_RESPONSE_BYTES = 64 * 1024 * 1024
MIN_GZIP_BYTES = 1_000
STALE_SECONDS = 1.0
"""How long an outdated response may still be sent while the new one is made."""
EVICT_SECONDS = 60.0
"""How long an outdated response stays in memory."""


@dataclass(slots=True)
class _Entry:
    version: str
    content: bytes
    compressed: bytes | None
    valid_at: float
    """When it was last known to be current."""

    @property
    def size(self) -> int:
        """Its size in bytes."""
        return len(self.content) + len(self.compressed or b"")


class ResponseCache:
    """Caches responses for the store's current version.

    A response's ETag is that version and the fingerprint of the program that rendered it.
    """

    def __init__(self, version: Callable[[], str], *, fingerprint: str) -> None:
        self._version, self._fingerprint = version, fingerprint
        self._entries: dict[Hashable, _Entry] = {}
        self._making: dict[Hashable, asyncio.Task[_Entry]] = {}
        self._bytes, self._evicted = 0, time.monotonic()

    async def respond(
        self,
        request: Request,
        key: Hashable,
        make: Callable[[], str | bytes],
        *,
        media_type: str,
        headers: dict[str, str] | None = None,
        stale_ok: bool = False,
        version: str | None = None,
    ) -> Response:
        """Answer a GET request: with 304, from memory, or with a new response.

        With `stale_ok`, a request does not wait for the new response: it gets the one that was
        current a moment ago, unless its Cache-Control header forbids that. `version` is the
        version of the content, where that is not the store's current one.
        """
        version = version or self._version()
        entry = self._entries.get(key)
        if entry is not None and entry.version == version:
            entry.valid_at = time.monotonic()
        elif self._may_be_stale(request, entry, stale_ok):
            self._start(key, version, make)
        elif matches(request.headers.get("if-none-match"), self._tag(version)):
            return Response(status_code=304, headers=self._headers(version, headers))
        else:
            entry = await asyncio.shield(self._start(key, version, make))
        assert entry is not None
        sent = self._headers(entry.version, headers)
        if matches(request.headers.get("if-none-match"), sent["etag"]):
            return Response(status_code=304, headers=sent)
        content = entry.content
        if entry.compressed is not None and "gzip" in request.headers.get("accept-encoding", ""):
            content = entry.compressed
            sent["content-encoding"] = "gzip"
        return Response(content, media_type=media_type, headers=sent)

    def _may_be_stale(self, request: Request, entry: _Entry | None, stale_ok: bool) -> bool:
        if entry is None or not stale_ok or time.monotonic() - entry.valid_at > STALE_SECONDS:
            return False
        control = request.headers.get("cache-control", "")
        return "no-cache" not in control and "max-age=0" not in control

    def _tag(self, version: str) -> str:
        return f'W/"{version}-{self._fingerprint}"'

    def _headers(self, version: str, more: dict[str, str] | None) -> dict[str, str]:
        base = {"cache-control": "no-cache", "vary": "Accept-Encoding, Cookie"}
        return {"etag": self._tag(version), **base, **(more or {})}

    def _start(
        self, key: Hashable, version: str, make: Callable[[], str | bytes]
    ) -> asyncio.Task[_Entry]:
        """Make a response in a thread, once however many requests wait for it."""
        task = self._making.get((key, version))
        if task is None:
            task = asyncio.create_task(self._make(key, version, make))
            task.add_done_callback(_retrieve_error)
            self._making[key, version] = task
        return task

    async def _make(self, key: Hashable, version: str, make: Callable[[], str | bytes]) -> _Entry:
        def entry() -> _Entry:
            started, made = time.monotonic(), make()
            content = made.encode("utf-8") if isinstance(made, str) else made
            compressed = gzip.compress(content, 5) if len(content) > MIN_GZIP_BYTES else None
            return _Entry(version, content, compressed, started)

        try:
            made = await run_in_threadpool(entry)
        finally:
            self._making.pop((key, version), None)
        self._store(key, made)
        return made

    def _store(self, key: Hashable, made: _Entry) -> None:
        self._evict()
        before = self._entries.pop(key, None)
        self._bytes += made.size - (before.size if before else 0)
        if len(self._entries) >= MAX_RESPONSES or self._bytes > MAX_RESPONSE_BYTES:
            self._entries.clear()
            self._bytes = made.size
        self._entries[key] = made

    def _evict(self) -> None:
        """Remove outdated responses that nobody has asked for lately."""
        now = time.monotonic()
        if now - self._evicted < EVICT_SECONDS:
            return
        self._evicted, version = now, self._version()
        for key, entry in list(self._entries.items()):
            if entry.version != version and now - entry.valid_at > EVICT_SECONDS:
                del self._entries[key]
                self._bytes -= entry.size


def _retrieve_error(task: asyncio.Task[_Entry]) -> None:
    """Retrieve a task's error, which asyncio would log; the next request gets its own."""
    if not task.cancelled():
        task.exception()


def matches(given: str | None, tag: str) -> bool:
    """Return whether an If-None-Match header contains a tag."""
    if not given:
        return False
    return given.strip() == "*" or tag in (part.strip() for part in given.split(","))
