"""Which other web sites may read the API from a browser: those that a setting names (CORS)."""

from collections.abc import Sequence

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

SHARED = ("/api/", "/feed.", "/search/feed.", "/following/feed.", "/stories/", "/openapi.json")
"""What they may read: the API and the feeds. Cookies are never sent along, so they write only with
the token."""


class CrossOrigin:
    """Answers requests of other origins to the API and the feeds."""

    def __init__(self, app: ASGIApp, *, origins: Sequence[str]) -> None:
        self._app = app
        self._shared = CORSMiddleware(
            app,
            allow_origins=[origin.rstrip("/") for origin in origins],
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["Authorization", "Content-Type", "Last-Event-ID"],
            expose_headers=["ETag", "Retry-After"],
            max_age=3600,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, with headers for other origins where it may be read by them."""
        shared = scope["type"] == "http" and scope["path"].startswith(SHARED)
        await (self._shared if shared else self._app)(scope, receive, send)
