"""What the routes share: the store's readers, the cache, who is listening, who may write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anyio.to_thread import current_default_thread_limiter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from scstory.config import FeedSettings
from scstory.feeds.article import MAX_CHARACTERS
from scstory.serve.cache import Cache
from scstory.serve.live import Hub
from scstory.serve.map import Map
from scstory.serve.render import fingerprint, moment
from scstory.store import Store
from scstory.store.browse import Browser
from scstory.store.webhooks import Webhooks

if TYPE_CHECKING:
    from scstory.serve.keeping import Deciding, Following, Matcher
    from scstory.serve.webhooks import Courier


THREADS = 16
"""Threads that make answers: each has a connection to the store and memory of its own."""


class Service:
    """One running service over one store.

    Parameters
    ----------
    token
        What anyone who writes must know; without one, nobody may write.
    inbox
        Where posted articles go.
    deciding
        The keeper, if this process has it.
    following
        Who looks at feeds, if this process does.
    matcher
        Who is asked which story a text would join.
    hooks
        The webhooks to serve.
    feeds
        How feeds are read, if feeds are followed here.
    """

    def __init__(
        self,
        browser: Browser,
        *,
        token: str | None = None,
        inbox: Store | None = None,
        deciding: Deciding | None = None,
        following: Following | None = None,
        matcher: Matcher | None = None,
        hooks: Webhooks | None = None,
        hosts: tuple[str, ...] = (),
        max_characters: int = MAX_CHARACTERS,
        feeds: FeedSettings | None = None,
        allow_private: bool = False,
        demo: bool = False,
    ) -> None:
        self.browser, self.inbox = browser, inbox
        self.deciding, self.following = deciding, following
        self.token = token if inbox is not None else None
        self.matcher = matcher or deciding
        self.hosts, self.max_characters, self.demo = hosts, max_characters, demo
        self.feeds = feeds
        self.hub = Hub(browser)
        self.cache = Cache(lambda: str(self.hub.version), maker=fingerprint())
        self.courier: Courier | None = None
        if hooks is not None:
            from scstory.serve.webhooks import Courier

            self.courier = Courier(
                hooks,
                browser,
                self.hub,
                active=deciding.keeping if deciding else lambda: True,
                allow_private=allow_private,
            )
        self.map = Map(browser, lambda: self.hub.version)

    async def start(self) -> None:
        """Begin to watch the store, to deliver and to decide."""
        current_default_thread_limiter().total_tokens = THREADS
        await self.hub.start()
        self.map.start()
        if self.courier:
            self.courier.start()
        if self.deciding:
            self.deciding.start()
        if self.following:
            self.following.start()

    async def stop(self) -> None:
        """Let everything go; what was accepted and not decided on waits in the store."""
        if self.following:
            await run_in_threadpool(self.following.stop)
        if self.deciding:
            await run_in_threadpool(self.deciding.stop)
        if self.courier:
            await self.courier.stop()
        await self.hub.stop()
        await run_in_threadpool(self.map.stop)
        self.browser.close()

    async def moved(self, story: int) -> int | None:
        """Return the story that this one has become part of, if it has."""
        return await run_in_threadpool(self.browser.redirect, story)

    def keeper_state(self) -> list[tuple[str, str]]:
        """Return what a reader may want to know of who decides."""
        meta = self.browser.engine()
        if self.deciding:
            state = self.deciding.problem or ("at work" if self.deciding.alive else "stopped")
            if self.deciding.standing_by:
                state = "standing by; another service decides"
        else:
            state = "elsewhere; this service only reads"
        last = self.browser.last_event_time()
        rows = [("State", state)]
        if last:
            rows.append(("Last change", moment(last)))
        if meta:
            parameters = meta["parameters"]
            rows += [
                ("Encoder", str(meta["encoder"])),
                ("Window", str(parameters["window"])),
                ("Slide", str(parameters["slide"])),
                ("Confidence to join (δ)", str(parameters["delta"])),
            ]
        return rows

    def problem(self) -> str | None:
        """Say why the service cannot do its work, if it cannot."""
        if not self.hub.healthy:
            return f"{self.browser.name}: cannot be read"
        if self.deciding:
            return self.deciding.problem or (None if self.deciding.alive else "no keeper at work")
        return None


def service_of(request: Request) -> Service:
    """Return the service that a request came to."""
    service: Service = request.app.state.service
    return service
