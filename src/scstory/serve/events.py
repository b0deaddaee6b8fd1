"""Live events: the store is watched, and its events are streamed to all listeners."""

import asyncio
import json
import time
from collections import deque
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool

from scstory.errors import StoreError
from scstory.store.records import Event, Version
from scstory.store.store_reader import SharedReader

POLL_SECONDS = 0.25
"""The interval at which a store is polled that cannot notify of changes."""
LISTEN_SECONDS, MAX_LISTEN_SECONDS = 0.5, 15.0
"""How long to listen to a store that can, at a time and before it is polled all the same."""
HEARTBEAT_SECONDS = 15.0
"""The interval of comments on a silent stream."""
MAX_LISTENERS = 1_000
RECENT_EVENTS = 1_000
"""The most events in memory; a client that missed more reads them from the store."""
EVENTS_PER_QUERY = 500


class Hub:
    """Watches the store and streams its events.

    It watches the store, not the writer, so it works the same where the writer is elsewhere.
    """

    def __init__(self, browser: SharedReader) -> None:
        self._browser = browser
        self.version = Version(0, 0, 0)
        self.healthy = False
        self.listeners = 0
        self._recent: deque[Event] = deque(maxlen=RECENT_EVENTS)
        self._changed = asyncio.Event()
        self._closed = False
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Read the store's version and start to watch it."""
        self.version = await run_in_threadpool(self._browser.version)
        self.healthy = True
        self._task = asyncio.create_task(self._watch())

    async def stop(self) -> None:
        """Stop watching and end all streams."""
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
                await self._wait_for_change()
                version = await run_in_threadpool(self._browser.version)
                self.healthy = True
                if version == self.version:
                    continue
                before = self._recent[-1].number if self._recent else self.version.event
                while events := await run_in_threadpool(
                    self._browser.events, before, limit=EVENTS_PER_QUERY
                ):
                    self._recent.extend(events)
                    before = events[-1].number
                self.version = version
            except StoreError:
                self.healthy = False
                await asyncio.sleep(POLL_SECONDS)
                continue
            self._changed.set()
            self._changed = asyncio.Event()

    async def _wait_for_change(self) -> None:
        """Wait until the store may have changed."""
        if not self._browser.notifies:
            await asyncio.sleep(POLL_SECONDS)
            return
        end = time.monotonic() + MAX_LISTEN_SECONDS
        while not self._closed and time.monotonic() < end:
            if await run_in_threadpool(self._browser.listen, LISTEN_SECONDS):
                return

    async def stream(self, after: int | None) -> AsyncIterator[str]:
        """Yield server-sent events, those after the number `after` or those from now on."""
        self.listeners += 1
        try:
            position = self.version.event if after is None else after
            yield f"retry: 2000\n: from {position}\n\n"
            if after is not None:
                oldest = await run_in_threadpool(self._browser.first_event)
                if not oldest - 1 <= after <= self.version.event:
                    # Missed events are no longer stored: the client must reload.
                    position = self.version.event
                    yield _message("reset", position, {"number": position, "kind": "reset"})
            while not self._closed:
                changed = self._changed
                for event in await self._since(position):
                    position = event.number
                    yield _message(event.kind, event.number, as_json(event))
                if position >= self.version.event and not changed.is_set():
                    try:
                        await asyncio.wait_for(changed.wait(), HEARTBEAT_SECONDS)
                    except TimeoutError:
                        yield ": still here\n\n"
        finally:
            self.listeners -= 1

    async def _since(self, position: int) -> list[Event]:
        last = self.version.event  # newer events follow with the next version
        if position >= last:
            return []
        if self._recent and self._recent[0].number <= position + 1:
            found: Iterable[Event] = self._recent
        else:
            found = await run_in_threadpool(self._browser.events, position, limit=EVENTS_PER_QUERY)
        return [event for event in found if position < event.number <= last]


def as_json(event: Event) -> dict[str, object]:
    """Return an event as JSON values."""
    values = event._asdict()
    return {
        **values,
        "articles": list(event.articles),
        "time": event.time.isoformat(),
        "url": f"/stories/{event.becomes or event.story}",
        "article_urls": [f"/articles/{quote(article, safe='')}" for article in event.articles],
    }


def _message(kind: str, number: int, data: dict[str, object]) -> str:
    return f"id: {number}\nevent: {kind}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"
