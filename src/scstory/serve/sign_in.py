"""Signing in on the pages: the token is asked for once, and a signed cookie remembers it.

A route that shows or does something for editors alone names an `Editor` among its parameters:

    @router.post("/stories/{story}/rename")
    async def rename(request: Request, story: StoryId, editor: Editor) -> Response:
        ...
        return done(request, f"/stories/{story}", "Renamed.")

Its form is plain HTML, begins with the macro `signed(editor)` of parts.html, and needs no script.
Without a session, a page leads to the sign-in and back, and a form is refused; a form that another
site made, or that another session left behind, is refused as well.
"""

import hmac
from errno import ENOSPC
from typing import Annotated, Any
from urllib.parse import quote, unquote, urlencode

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData

from scstory.serve.render import render
from scstory.serve.service import Service, service_of
from scstory.serve.sessions import SESSION_SECONDS, Session, Sessions

SESSION_COOKIE, NOTICE_COOKIE = "editor", "notice"
NOTICE_SECONDS = 60
router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)


def session_of(request: Request) -> Session | None:
    """Return the session of a request, if it has one."""
    sessions = service_of(request).sessions
    cookie = request.cookies.get(SESSION_COOKIE)
    return sessions.read(cookie) if sessions and cookie else None


async def _editor(request: Request) -> Session:
    """Refuse requests without a session, and forms that do not belong to it."""
    _sessions(service_of(request))
    session = session_of(request)
    if request.method in ("GET", "HEAD"):
        if session is None:
            here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
            raise HTTPException(303, "sign in first", {"Location": sign_in_path(here)})
        return session
    if session is None:
        raise HTTPException(401, "not signed in, so nothing was done; sign in and send it again")
    sent = str((await _form(request)).get("form_token", ""))
    same = hmac.compare_digest(sent.encode("utf-8", "replace"), session.form_token.encode())
    if not same or request.headers.get("sec-fetch-site") == "cross-site":
        raise HTTPException(
            403, "this form does not belong to your session, so nothing was done; reload its page"
        )
    return session


async def _form(request: Request) -> FormData:
    """Return the form of a request; its files are on the disk, which may be full."""
    try:
        return await request.form()
    except OSError as error:
        reason = "no space left on the disk" if error.errno == ENOSPC else error.strerror
        raise HTTPException(507, f"the file cannot be kept: {reason}; nothing was done") from None


Editor = Annotated[Session, Depends(_editor)]
"""The session of an editor; a route that names it is closed to everybody else."""


def done(request: Request, path: str, notice: str) -> Response:
    """Lead to a page, which shows the notice once: the answer to a form that did its work."""
    response = RedirectResponse(local_path(path), 303)
    response.set_cookie(
        NOTICE_COOKIE,
        quote(notice[:1000]),
        max_age=NOTICE_SECONDS,
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )
    return response


def notice_of(request: Request) -> str:
    """Return the notice that the page of this request shows."""
    return unquote(request.cookies.get(NOTICE_COOKIE, ""))[:1000]


def sign_in_path(following: str) -> str:
    """Return the address that asks for the token and then leads to a page."""
    return f"/sign-in?{urlencode({'next': local_path(following)})}"


def local_path(path: str) -> str:
    """Return a path of this service, which is that of the front page for anything else.

    >>> local_path("/stories/3?cursor=x"), local_path("//evil.example/"), local_path("/\\\\evil")
    ('/stories/3?cursor=x', '/', '/')
    """
    foreign = not path.startswith("/") or path[1:2] in ("/", "\\")
    return "/" if foreign or not path.isprintable() else path[:2000]


@router.get("/sign-in")
async def sign_in_page(request: Request, next: str = "/") -> Response:
    """Ask for the token."""
    _sessions(service_of(request))
    if session_of(request):
        return RedirectResponse(local_path(next), 303)
    return await _asked(request, next)


@router.post("/sign-in")
async def sign_in(request: Request) -> Response:
    """Begin a session for those who know the token."""
    sessions = _sessions(service_of(request))
    form = await request.form()
    following = local_path(str(form.get("next", "/")))
    address = request.client.host if request.client else ""
    try:
        if not sessions.accepts(str(form.get("token", "")).strip(), address):
            return await _asked(request, following, 401, "This is not the token.")
    except HTTPException as error:
        return await _asked(request, following, error.status_code, error.detail, error.headers)
    response = RedirectResponse(following, 303)
    response.set_cookie(
        SESSION_COOKIE,
        sessions.begin(),
        max_age=SESSION_SECONDS,
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )
    return response


@router.post("/sign-out")
async def sign_out(request: Request, editor: Editor) -> Response:
    """End a session."""
    _sessions(service_of(request)).end(editor)
    response = done(request, "/", "You are signed out.")
    response.delete_cookie(SESSION_COOKIE, httponly=True, samesite="lax")
    return response


async def _asked(
    request: Request, following: str, status: int = 200, problem: str = "", headers: Any = None
) -> Response:
    service = service_of(request)

    def page() -> str:
        return render(
            "sign_in.html",
            here="",
            event=service.hub.version.event,
            stream=service.stream_state(),
            following=local_path(following),
            problem=problem,
            program=service.program,
        )

    content = await run_in_threadpool(page)
    return HTMLResponse(content, status, {"cache-control": "no-store", **(headers or {})})


def _sessions(service: Service) -> Sessions:
    if service.sessions is None:
        raise HTTPException(403, "this service is read-only")
    return service.sessions
