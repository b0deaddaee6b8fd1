"""What has just happened, told to everyone who listens."""

from __future__ import annotations

import asyncio
import json
import time
from collections import deque
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress

from starlette.concurrency import run_in_threadpool

from scstory.errors import StoreError
from scstory.store.browse import Browser
from scstory.store.views import EventRow, Version

POLL = 0.25
"""Seconds between two looks at a store that does not tell of changes."""
LISTEN, LONGEST = 0.5, 15.0
"""Seconds to listen at a time to one that does, and between two looks even if it is silent."""

HEARTBEAT = 15.0
"""Seconds after which a silent stream says that it is still there."""

MAX_LISTENERS = 1_000
KEPT = 1_000
PAGE = 500


class Hub:
    """Watches the store and wakes the listeners.

    It looks at the store, not at the keeper: so it is the same beside a keeper elsewhere.
    """

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self.version = Version(0, 0, 0)
        self.healthy = False
        self.listeners = 0
        self._recent: deque[EventRow] = deque(maxlen=KEPT)
        self._changed = asyncio.Event()
        self._closed = False
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Look at the store for the first time, then go on looking."""
        self.version = await run_in_threadpool(self._browser.version)
        self.healthy = True
        self._task = asyncio.create_task(self._watch())

    async def stop(self) -> None:
        """Stop looking; end all streams."""
        self.close()
        if self._task:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    def close(self) -> None:
        """End all streams, so that connections can close."""
        self._closed = True
        self._changed.set()

    async def _watch(self) -> None:
        while not self._closed:
            try:
                await self._until_told()
                version = await run_in_threadpool(self._browser.version)
                self.healthy = True
                if version == self.version:
                    continue
                before = self._recent[-1].number if self._recent else self.version.event
                while events := await run_in_threadpool(self._browser.events, before, limit=PAGE):
                    self._recent.extend(events)
                    before = events[-1].number
                self.version = version
            except StoreError:
                self.healthy = False
                await asyncio.sleep(POLL)
                continue
            self._changed.set()
            self._changed = asyncio.Event()

    async def _until_told(self) -> None:
        """Wait until there may be something new in the store."""
        if not self._browser.told:
            await asyncio.sleep(POLL)
            return
        end = time.monotonic() + LONGEST
        while not self._closed and time.monotonic() < end:
            if await run_in_threadpool(self._browser.listen, LISTEN):
                return

    async def stream(self, after: int | None) -> AsyncIterator[str]:
        """Yield events as a browser's EventSource reads them, from `after` on or from now."""
        self.listeners += 1
        try:
            position = self.version.event if after is None else after
            yield f"retry: 2000\n: from {position}\n\n"
            if after is not None and not await self._oldest() - 1 <= after <= self.version.event:
                # What was missed is no longer kept: whoever listens must look afresh.
                position = self.version.event
                yield _message("reset", position, {"number": position, "kind": "reset"})
            while not self._closed:
                changed = self._changed
                for event in await self._since(position):
                    position = event.number
                    yield _message(event.kind, event.number, as_json(event))
                if position >= self.version.event and not changed.is_set():
                    try:
                        await asyncio.wait_for(changed.wait(), HEARTBEAT)
                    except TimeoutError:
                        yield ": still here\n\n"
        finally:
            self.listeners -= 1

    async def _oldest(self) -> int:
        return await run_in_threadpool(self._browser.first_event)

    async def _since(self, position: int) -> list[EventRow]:
        last = self.version.event  # what is newer is told when the version says so
        if position >= last:
            return []
        if self._recent and self._recent[0].number <= position + 1:
            found: Iterable[EventRow] = self._recent
        else:
            found = await run_in_threadpool(self._browser.events, position, limit=PAGE)
        return [event for event in found if position < event.number <= last]


def as_json(event: EventRow) -> dict[str, object]:
    """Return an event as plain values."""
    values = event._asdict()
    return {**values, "articles": list(event.articles), "time": event.time.isoformat()}


def _message(kind: str, number: int, data: dict[str, object]) -> str:
    return f"id: {number}\nevent: {kind}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"
