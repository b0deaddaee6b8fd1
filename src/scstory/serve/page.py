"""How pages are answered: from memory to readers, and made anew for an editor who is signed in."""

from collections.abc import Callable, Hashable
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse, Response
from starlette.concurrency import run_in_threadpool

from scstory.serve.render import render
from scstory.serve.service import Service, service_of
from scstory.serve.sign_in import NOTICE_COOKIE, notice_of, session_of

Values = Callable[[Service], dict[str, Any]]
PRIVATE = {"cache-control": "private, no-cache", "vary": "Cookie"}


async def show(
    request: Request,
    template: str,
    values: Values,
    *,
    key: Hashable = None,
    here: str = "",
    **options: Any,
) -> Response:
    """Answer with a rendered template.

    With a `key`, readers get what the cache has under it. An editor's page is made anew, since it
    has the forms of the session. Templates see the session as `editor`, None for readers.
    """
    service, editor, notice = service_of(request), session_of(request), notice_of(request)

    def page() -> str:
        known = {**common(service, here), "path": request.url.path}
        return render(template, **{**known, **values(service)}, editor=editor, notice=notice)

    if editor is None and not notice and key is not None:
        media_type = "text/html; charset=utf-8"
        return await service.cache.respond(request, key, page, media_type=media_type, **options)
    response = HTMLResponse(await run_in_threadpool(page), headers=PRIVATE)
    if notice:
        response.delete_cookie(NOTICE_COOKIE, httponly=True, samesite="lax")
    return response


def common(service: Service, here: str = "") -> dict[str, Any]:
    """Return what the frame of every page shows."""
    return {
        "here": here,
        "event": service.hub.version.event,
        "stream": service.stream_state(),
        "now": service.browser.now(),
        "writable": service.sessions is not None,
        "images": service.images is not None,
    }
