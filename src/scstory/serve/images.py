"""Images of articles, fetched by the service, so that outlets do not see who reads.

Only with the setting `images`. An image is fetched when a page that shows it is read, under the
same limits as feeds, and kept in memory for some time. What is no image by its first bytes is not
passed on, whatever its type says.
"""

import asyncio
import time
from collections import OrderedDict
from dataclasses import dataclass

from fastapi import APIRouter, HTTPException, Request, Response
from starlette.concurrency import run_in_threadpool

from scstory.config import FeedSettings
from scstory.errors import FetchError
from scstory.feeds.fetch import Fetcher
from scstory.feeds.public_address import Resolve, resolve
from scstory.serve.service import service_of

MAX_IMAGE_BYTES = 3_000_000
MAX_CACHED_BYTES = 64 * 1024 * 1024
SECONDS, SECONDS_WITHOUT = 24 * 3600.0, 600.0
"""How long an image is kept in memory, and how long it is remembered that there is none."""
TIMEOUT = 10.0
_KINDS = (
    (b"\xff\xd8\xff", 0, "image/jpeg"),
    (b"\x89PNG\r\n\x1a\n", 0, "image/png"),
    (b"GIF8", 0, "image/gif"),
    (b"WEBP", 8, "image/webp"),
    (b"ftypavif", 4, "image/avif"),
)

router = APIRouter(include_in_schema=False)


@router.get("/images/{article:path}")
async def image(request: Request, article: str) -> Response:
    """Return the image of an article."""
    service = service_of(request)
    row = await run_in_threadpool(service.browser.article, article) if service.images else None
    if service.images is None or row is None or row.image is None:
        raise HTTPException(404, f"article {article[:200]}: has no image that is shown here")
    found = await service.images.get(row.image)
    if found is None:
        raise HTTPException(404, f"article {article[:200]}: its image cannot be shown")
    headers = {"cache-control": "public, max-age=86400"}
    return Response(found, media_type=kind_of(found), headers=headers)


def kind_of(content: bytes) -> str | None:
    """Return the type of an image by its first bytes; None if it is none that is passed on.

    SVG is none: it can hold scripts.
    """
    found = (kind for mark, place, kind in _KINDS if content[place : place + len(mark)] == mark)
    return next(found, None)


@dataclass(slots=True)
class _Kept:
    content: bytes | None
    until: float


class Images:
    """Fetches images, each once at a time, and keeps the latest ones that were asked for."""

    def __init__(self, settings: FeedSettings, *, look_up: Resolve = resolve) -> None:
        # A page shows several images of an outlet at once.
        limits = {"host_interval": 0.0, "timeout": min(settings.timeout, TIMEOUT)}
        self._fetcher = Fetcher(settings.model_copy(update=limits), look_up=look_up)
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._under_way: dict[str, asyncio.Task[bytes | None]] = {}

    async def get(self, url: str) -> bytes | None:
        """Return an image, or None if there is none at its address."""
        kept = self._kept.get(url)
        if kept and kept.until > time.monotonic():
            self._kept.move_to_end(url)
            return kept.content
        task = self._under_way.get(url)
        if task is None:
            task = self._under_way[url] = asyncio.create_task(self._fetch(url))
            task.add_done_callback(lambda _: self._under_way.pop(url, None))
        return await asyncio.shield(task)

    async def _fetch(self, url: str) -> bytes | None:
        try:
            content = (await self._fetcher.get(url, limit=MAX_IMAGE_BYTES)).body
        except FetchError:
            content = b""
        found = content if kind_of(content) else None
        lasts = SECONDS if found else SECONDS_WITHOUT
        self._kept[url] = _Kept(found, time.monotonic() + lasts)
        self._kept.move_to_end(url)
        while self._size() > MAX_CACHED_BYTES:
            self._kept.popitem(last=False)
        return found

    def _size(self) -> int:
        return sum(len(kept.content or b"") + 1_000 for kept in self._kept.values())
