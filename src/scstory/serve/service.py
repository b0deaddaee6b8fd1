"""The state that all routes share: store readers, caches, event streams, the writer, the token."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from datetime import datetime
from typing import TYPE_CHECKING, Literal, Self
from zlib import crc32

from anyio.to_thread import current_default_thread_limiter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from scstory.config import FeedSettings
from scstory.feeds.article import MAX_CHARACTERS
from scstory.serve.events import Hub
from scstory.serve.imports import Imports
from scstory.serve.map import Map
from scstory.serve.render import fingerprint
from scstory.serve.response_cache import ResponseCache
from scstory.serve.sessions import Sessions
from scstory.store import Store
from scstory.store.store_reader import SharedReader
from scstory.store.webhooks import Webhooks
from scstory.text.language import primary

if TYPE_CHECKING:
    from scstory.serve.background import FeedThread, Matcher, WriterThread
    from scstory.serve.demo_player import Player
    from scstory.serve.images import Images
    from scstory.serve.rewriting import Rewriter
    from scstory.serve.webhooks import Courier


StreamState = Literal["live", "past", "demo", "demo over"]

NO_CACHE = {"cache-control": "no-cache"}
"""For redirects to the story that another one became part of: a person may undo that."""
RESPONSE_THREADS = 16
"""Threads that make responses: each has its own connection to the store and its own memory."""


class Service:
    """One running service over one store.

    The `inbox` is the store that accepts posted articles; requests need the `token` for writing,
    and without one nobody may write. `writer` and `feed_thread` are the threads that decide
    articles and poll feeds, if this process does so. The `matcher` finds the story that a text
    would join, `hooks` are the webhooks to deliver to, and `feeds` the settings of feeds, if
    feeds are followed here. `hosts` are the names under which it is reached, and `origins` the web
    sites that may read the API. `demo` plays the demonstration, if this is it, and `program` is
    the command that readers type; `language` is that of titles and summaries, where it is set.
    """

    def __init__(
        self,
        browser: SharedReader,
        *,
        token: str | None = None,
        inbox: Store | None = None,
        writer: WriterThread | None = None,
        feed_thread: FeedThread | None = None,
        rewriter: Rewriter | None = None,
        images: Images | None = None,
        matcher: Matcher | None = None,
        hooks: Webhooks | None = None,
        hosts: tuple[str, ...] = (),
        origins: tuple[str, ...] = (),
        max_characters: int = MAX_CHARACTERS,
        feeds: FeedSettings | None = None,
        allow_private: bool = False,
        demo: Player | None = None,
        program: str = "scstory",
        language: str | None = None,
    ) -> None:
        self.languages = (primary(language),) if language else ()
        self._editions: tuple[str, bool] | None = None
        self.browser, self.inbox = browser, inbox
        self.writer, self.feed_thread = writer, feed_thread
        self.rewriter, self.images = rewriter, images
        self.token = token if inbox is not None else None
        self.sessions = Sessions(self.token) if self.token else None
        self.matcher = matcher or writer
        self.hosts, self.origins, self.max_characters = hosts, origins, max_characters
        self.demo, self.program = demo, program
        self.feeds = feeds
        self.imports = Imports(inbox, max_characters=max_characters) if inbox else None
        self.hub = Hub(browser)
        self.cache = ResponseCache(lambda: str(self.hub.version), fingerprint=fingerprint())
        self.courier: Courier | None = None
        if hooks is not None:
            from scstory.serve.webhooks import Courier

            self.courier = Courier(
                hooks,
                browser,
                self.hub,
                active=writer.is_writer if writer else lambda: True,
                allow_private=allow_private,
            )
        self.map = Map(browser, lambda: self.hub.version)

    async def start(self) -> None:
        """Start to watch the store, to deliver events and to decide articles."""
        current_default_thread_limiter().total_tokens = RESPONSE_THREADS
        await self.hub.start()
        self.map.start()
        if self.courier:
            self.courier.start()
        if self.writer:
            self.writer.start()
        if self.feed_thread:
            self.feed_thread.start()
        if self.rewriter:
            self.rewriter.start()

    async def stop(self) -> None:
        """Stop everything; articles accepted but not decided wait in the store."""
        if self.imports:
            await run_in_threadpool(self.imports.stop)
        if self.rewriter:
            await run_in_threadpool(self.rewriter.stop)
        if self.feed_thread:
            await run_in_threadpool(self.feed_thread.stop)
        if self.writer:
            await run_in_threadpool(self.writer.stop)
        if self.courier:
            await self.courier.stop()
        await self.hub.stop()
        await run_in_threadpool(self.map.stop)
        self.browser.close()

    async def moved(self, story: int) -> int | None:
        """Return the story into which this one was merged, if it was."""
        now = await run_in_threadpool(self.browser.redirect, story)
        return None if now in (0, story) else now

    def version_with(self, *others: object) -> str:
        """Return the store's version together with that of what it does not know of.

        Follows change without a commit, so the version of the store alone would not do.
        """
        return f"{self.hub.version}-{crc32(repr(others).encode('utf-8', 'replace')):x}"

    async def has_editions(self) -> bool:
        """Return whether a story has articles in several languages."""
        version = str(self.hub.version)
        if self._editions is None or self._editions[0] != version:
            self._editions = version, await run_in_threadpool(self.browser.has_editions)
        return self._editions[1]

    def told_in(self, languages: Sequence[str]) -> Self:
        """Return the service as a reader of some languages gets it, the preferred one first."""
        other = copy(self)
        other.browser = self.browser.told_in(languages)
        return other

    def stream_state(self) -> StreamState:
        """Return whether the stories are of the present, of the past, or a demonstration."""
        if self.demo:
            return "demo over" if self.demo.over else "demo"
        return "past" if self.browser.is_past() else "live"

    def writer_state(self) -> list[tuple[str, str | datetime]]:
        """Return the writer's state as rows of a table."""
        state = "elsewhere; this service only reads"
        if self.writer and self.writer.standing_by:
            state = "standing by; another service is the writer"
        elif self.writer:
            state = self.writer.problem or ("at work" if self.writer.is_alive() else "stopped")
        rows: list[tuple[str, str | datetime]] = [("State", state)]
        if last := self.browser.last_event_time():
            rows.append(("Last change", last))
        if meta := self.browser.engine():
            parameters = meta["parameters"]
            rows += [
                ("Encoder", str(meta["encoder"])),
                ("Window", str(parameters["window"])),
                ("Slide", str(parameters["slide"])),
                ("Confidence to join (δ)", str(parameters["delta"])),
            ]
        return rows

    def problem(self) -> str | None:
        """Return the reason why the service is not ready, if it is not."""
        if not self.hub.healthy:
            return f"{self.browser.name}: cannot be read"
        if self.writer:
            stopped = None if self.writer.is_alive() else "the writer has stopped"
            return self.writer.problem or stopped
        return None


def service_of(request: Request) -> Service:
    """Return the service of a request."""
    service: Service = request.app.state.service
    return service
