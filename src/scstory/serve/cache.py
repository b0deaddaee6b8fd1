"""Answers made once for each state of the store, then given from memory."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

MAX_ENTRIES = 1_000
MAX_BYTES = 64 * 1024 * 1024
WORTH_PACKING = 1_000


@dataclass(slots=True)
class _Entry:
    content: bytes
    packed: bytes | None = None


class Cache:
    """Keeps what was made for the store's present version; a newer one empties it.

    Whatever it keeps is also what an ETag stands for: the version, and which program made it.
    """

    def __init__(self, version: Callable[[], str], *, maker: str) -> None:
        self._version, self._maker = version, maker
        self._of = ""
        self._entries: dict[Hashable, _Entry] = {}
        self._making: dict[Hashable, asyncio.Task[_Entry]] = {}
        self._bytes = 0

    async def respond(
        self,
        request: Request,
        key: Hashable,
        make: Callable[[], str | bytes],
        *,
        media_type: str,
        headers: dict[str, str] | None = None,
    ) -> Response:
        """Answer a GET: not modified, from memory, or made now."""
        version = self._version()
        if version != self._of:
            self._of = version
            self._entries.clear()
            self._making.clear()
            self._bytes = 0
        tag = f'W/"{version}-{self._maker}"'
        base = {"etag": tag, "cache-control": "no-cache", "vary": "Accept-Encoding, Cookie"}
        base.update(headers or {})
        if matches(request.headers.get("if-none-match"), tag):
            return Response(status_code=304, headers=base)
        entry = self._entries.get(key)
        if entry is None:
            entry = await self._made(key, make)
        content = entry.content
        if len(content) > WORTH_PACKING and "gzip" in request.headers.get("accept-encoding", ""):
            if entry.packed is None:
                entry.packed = await run_in_threadpool(gzip.compress, content, 6)
            content = entry.packed
            base["content-encoding"] = "gzip"
        return Response(content, media_type=media_type, headers=base)

    async def _made(self, key: Hashable, make: Callable[[], str | bytes]) -> _Entry:
        """Make an answer in a thread, once however many ask for it meanwhile."""
        task = self._making.get(key)
        if task is None:
            task = asyncio.create_task(self._make(key, make, self._of))
            self._making[key] = task
        return await asyncio.shield(task)

    async def _make(self, key: Hashable, make: Callable[[], str | bytes], of: str) -> _Entry:
        try:
            content = await run_in_threadpool(make)
        finally:
            if of == self._of:
                self._making.pop(key, None)
        entry = _Entry(content.encode("utf-8") if isinstance(content, str) else content)
        if of == self._of:
            if len(self._entries) >= MAX_ENTRIES or self._bytes > MAX_BYTES:
                self._entries.clear()
                self._bytes = 0
            self._entries[key] = entry
            self._bytes += len(entry.content)
        return entry


def matches(given: str | None, tag: str) -> bool:
    """Say whether an If-None-Match header names a tag."""
    if not given:
        return False
    return given.strip() == "*" or tag in (part.strip() for part in given.split(","))
