"""How pages are answered: from memory to readers, and made anew for an editor who is signed in."""

from collections.abc import Callable, Hashable
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse, Response
from starlette.concurrency import run_in_threadpool

from scstory.serve.reader_language import reader_languages, version_in
from scstory.serve.render import render
from scstory.serve.service import Service, service_of
from scstory.serve.sign_in import NOTICE_COOKIE, notice_of, session_of

Values = Callable[[Service], dict[str, Any]]
PRIVATE = {"cache-control": "private, no-cache", "vary": "Cookie, Accept-Language"}
PUBLIC = {"vary": "Accept-Encoding, Cookie, Accept-Language"}


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
    has the forms of the session. Templates see the session as `editor`, None for readers. Titles
    and summaries are in a language of the reader's where a story has it.
    """
    service, editor, notice = service_of(request), session_of(request), notice_of(request)
    languages = await reader_languages(request)
    if languages:
        service = service.told_in(languages)

    def page() -> str:
        known = {**common(service, here), "path": request.url.path}
        return render(template, **{**known, **values(service)}, editor=editor, notice=notice)

    if editor is None and not notice and key is not None:
        media_type = "text/html; charset=utf-8"
        options["version"] = version_in(service, languages, options.get("version"))
        key, headers = (key, languages) if languages else key, PUBLIC
        return await service.cache.respond(
            request, key, page, media_type=media_type, headers=headers, **options
        )
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
