"""Answers made once for each state of the store, then given from memory."""

from __future__ import annotations

import asyncio
import gzip
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

MAX_ENTRIES = 1_000
MAX_BYTES = 64 * 1024 * 1024
WORTH_PACKING = 1_000
JUST_NOW = 1.0
"""Seconds for which what was right until then may still be given while the new is being made."""
LONG_AGO = 60.0
"""Seconds after which what is no longer right is forgotten."""


@dataclass(slots=True)
class _Entry:
    version: str
    content: bytes
    packed: bytes | None
    right: float
    """When it was last known to be what the store says."""

    @property
    def size(self) -> int:
        """How many bytes it takes."""
        return len(self.content) + len(self.packed or b"")


class Cache:
    """Keeps what was made for the store's present version.

    Whatever it keeps is also what an ETag stands for: the version, and which program made it.
    """

    def __init__(self, version: Callable[[], str], *, maker: str) -> None:
        self._version, self._maker = version, maker
        self._entries: dict[Hashable, _Entry] = {}
        self._making: dict[Hashable, asyncio.Task[_Entry]] = {}
        self._bytes, self._swept = 0, time.monotonic()

    async def respond(
        self,
        request: Request,
        key: Hashable,
        make: Callable[[], str | bytes],
        *,
        media_type: str,
        headers: dict[str, str] | None = None,
        patient: bool = False,
        version: str | None = None,
    ) -> Response:
        """Answer a GET: not modified, from memory, or made now.

        With `patient`, those who ask do not wait for what is being made: they get what was right
        until just now, unless they say that they want no such thing (Cache-Control). `version` is
        what the answer shows, where that is not the store's present one.
        """
        version = version or self._version()
        entry = self._entries.get(key)
        if entry is not None and entry.version == version:
            entry.right = time.monotonic()
        elif self._may_be_old(request, entry, patient):
            self._begin(key, version, make)
        else:
            entry = None
            if matches(request.headers.get("if-none-match"), self._tag(version)):
                return Response(status_code=304, headers=self._headers(version, headers))
            entry = await asyncio.shield(self._begin(key, version, make))
        assert entry is not None
        given = self._headers(entry.version, headers)
        if matches(request.headers.get("if-none-match"), given["etag"]):
            return Response(status_code=304, headers=given)
        content = entry.content
        if entry.packed is not None and "gzip" in request.headers.get("accept-encoding", ""):
            content = entry.packed
            given["content-encoding"] = "gzip"
        return Response(content, media_type=media_type, headers=given)

    def _may_be_old(self, request: Request, entry: _Entry | None, patient: bool) -> bool:
        if entry is None or not patient or time.monotonic() - entry.right > JUST_NOW:
            return False
        wish = request.headers.get("cache-control", "")
        return "no-cache" not in wish and "max-age=0" not in wish

    def _tag(self, version: str) -> str:
        return f'W/"{version}-{self._maker}"'

    def _headers(self, version: str, more: dict[str, str] | None) -> dict[str, str]:
        base = {"cache-control": "no-cache", "vary": "Accept-Encoding, Cookie"}
        return {"etag": self._tag(version), **base, **(more or {})}

    def _begin(
        self, key: Hashable, version: str, make: Callable[[], str | bytes]
    ) -> asyncio.Task[_Entry]:
        """Have an answer made in a thread, once however many ask for it meanwhile."""
        task = self._making.get((key, version))
        if task is None:
            task = asyncio.create_task(self._make(key, version, make))
            task.add_done_callback(_noticed)
            self._making[key, version] = task
        return task

    async def _make(self, key: Hashable, version: str, make: Callable[[], str | bytes]) -> _Entry:
        def entry() -> _Entry:
            begun, made = time.monotonic(), make()
            content = made.encode("utf-8") if isinstance(made, str) else made
            packed = gzip.compress(content, 5) if len(content) > WORTH_PACKING else None
            return _Entry(version, content, packed, begun)

        try:
            made = await run_in_threadpool(entry)
        finally:
            self._making.pop((key, version), None)
        self._keep(key, made)
        return made

    def _keep(self, key: Hashable, made: _Entry) -> None:
        self._sweep()
        before = self._entries.pop(key, None)
        self._bytes += made.size - (before.size if before else 0)
        if len(self._entries) >= MAX_ENTRIES or self._bytes > MAX_BYTES:
            self._entries.clear()
            self._bytes = made.size
        self._entries[key] = made

    def _sweep(self) -> None:
        """Forget what is out of date and was not asked for of late: stories come and go."""
        now = time.monotonic()
        if now - self._swept < LONG_AGO:
            return
        self._swept, version = now, self._version()
        for key, entry in list(self._entries.items()):
            if entry.version != version and now - entry.right > LONG_AGO:
                del self._entries[key]
                self._bytes -= entry.size


def _noticed(task: asyncio.Task[_Entry]) -> None:
    """Look at how a task ended: if nobody waits for it, the next who asks sees the error."""
    if not task.cancelled():
        task.exception()


def matches(given: str | None, tag: str) -> bool:
    """Say whether an If-None-Match header names a tag."""
    if not given:
        return False
    return given.strip() == "*" or tag in (part.strip() for part in given.split(","))
