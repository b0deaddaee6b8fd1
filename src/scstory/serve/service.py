"""What the routes share: the store's readers, the cache, who is listening, who may write."""

from __future__ import annotations

import threading

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from scstory.serve.cache import Cache
from scstory.serve.live import Hub
from scstory.serve.map import story_map
from scstory.serve.render import fingerprint
from scstory.store.browse import Browser
from scstory.store.views import StoryRow, Version


class Service:
    """One running service over one store."""

    def __init__(
        self,
        browser: Browser,
        *,
        token: str | None = None,
        demo: bool = False,
        hosts: tuple[str, ...] = (),
    ) -> None:
        self.browser, self.token, self.demo, self.hosts = browser, token, demo, hosts
        self.hub = Hub(browser)
        self._map: tuple[Version, list[tuple[StoryRow, float, float]]] | None = None
        self._mapping = threading.Lock()
        self.cache = Cache(lambda: str(self.hub.version), maker=fingerprint())

    async def start(self) -> None:
        """Begin to watch the store."""
        await self.hub.start()

    async def stop(self) -> None:
        """Let everything go."""
        await self.hub.stop()
        self.browser.close()

    async def moved(self, story: int) -> int | None:
        """Return the story that this one has become part of, if it has."""
        return await run_in_threadpool(self.browser.redirect, story)

    def story_map(self) -> list[tuple[StoryRow, float, float]]:
        """Return the window's stories with their places on the map."""
        with self._mapping:
            version = self.hub.version
            if self._map is None or self._map[0] != version:
                self._map = (version, story_map(self.browser))
            return self._map[1]

    def keeper_state(self) -> list[tuple[str, str]]:
        """Return what a reader may want to know of who decides."""
        return []

    def problem(self) -> str | None:
        """Say why the service cannot do its work, if it cannot."""
        return None if self.hub.healthy else f"{self.browser.path}: cannot be read"


def service_of(request: Request) -> Service:
    """Return the service that a request came to."""
    service: Service = request.app.state.service
    return service
