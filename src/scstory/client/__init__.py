"""A typed client of the service's API, for programs: blocking and asynchronous.

    with Client("http://localhost:8765") as client:
        for story in client.every_story(q="ferry AND strike"):
            print(story.title, story.size)

`AsyncClient` has the same methods, to be awaited. Both raise `ApiError` with the service's reason.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scstory._lazy import lazy_names

if TYPE_CHECKING:
    from scstory.client.asynchronous import AsyncClient
    from scstory.client.blocking import Client
    from scstory.errors import ApiError

__all__ = ["ApiError", "AsyncClient", "Client"]

__getattr__ = lazy_names(
    __name__,
    {
        "ApiError": "scstory.errors",
        "AsyncClient": "scstory.client.asynchronous",
        "Client": "scstory.client.blocking",
    },
)
