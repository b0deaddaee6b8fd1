"""The outer middleware: allowed hosts, the limit of a body, and security headers.

Starlette's TrustedHostMiddleware does not fit: it cannot allow any IP address, which a service on a
local network needs, and it splits IPv6 addresses at their first colon.
"""

import logging
from collections.abc import Iterable
from traceback import extract_tb

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from scstory.feeds.public_address import is_address

_log = logging.getLogger("scstory.serve")

MAX_BODY_BYTES = 16 * 1024 * 1024
"""The most bytes of a request's body."""
MAX_UPLOAD_BYTES = {"/import": 2 * 1024 * 1024 * 1024}
"""The same for the paths to which files are uploaded, which go to the disk."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
SECURITY_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


class Guard:
    """Checks every request, and adds security headers to every response."""

    def __init__(
        self, app: ASGIApp, *, hosts: Iterable[str] = (), max_body: int = MAX_BODY_BYTES
    ) -> None:
        self._app, self._max_body = app, max_body
        self._hosts = {host.lower().rstrip(".") for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        send = response = _Sender(send, body=scope["method"] != "HEAD")
        if scope["method"] == "HEAD":
            scope = {**scope, "method": "GET"}
        limit = MAX_UPLOAD_BYTES.get(scope["path"], self._max_body)
        if refusal := self._refusal(Headers(scope=scope), limit):
            await refusal(scope, receive, send)
            return
        try:
            await self._app(scope, _Limited(receive, limit), send)
        except _TooLong:
            if not response.started:
                await _too_long(limit)(scope, receive, send)
        except Exception as error:
            _log.error("%s %s: %s", scope["method"], scope["path"], _in_short(error))
            if response.started:
                raise _Interrupted(str(error)) from None
            await JSONResponse({"detail": "internal error; see the log of the service"}, 500)(
                scope, receive, send
            )

    def _refusal(self, headers: Headers, limit: int) -> JSONResponse | None:
        host = host_name(headers.get("host", ""))
        if not self.allows(host):
            detail = (
                f"host {host[:200]!r} is not served here; allow it with: scstory serve --allow-host"
            )
            return JSONResponse({"detail": detail}, 421)
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length[:20]) > limit:
            return _too_long(limit)
        return None

    def allows(self, host: str) -> bool:
        """Return whether a host may be requested.

        A web site can point its own name at this machine and then read our pages in a visitor's
        browser (DNS rebinding). It cannot do so with an IP address or localhost.
        """
        return host in self._hosts or host == "localhost" or is_address(host)


def _too_long(limit: int) -> JSONResponse:
    detail = f"body longer than {limit:,} bytes; send it in parts"
    return JSONResponse({"detail": detail}, 413, {"connection": "close"})


class _TooLong(Exception):
    pass


class _Interrupted(Exception):
    """An error after the response had started."""


class _Sender:
    """Sends a response with security headers, and without a body where HEAD is asked."""

    def __init__(self, send: Send, *, body: bool) -> None:
        self._send, self._body, self.started = send, body, False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.started = True
            headers = MutableHeaders(scope=message)
            for name, value in SECURITY_HEADERS.items():
                headers.setdefault(name, value)
        elif not self._body and message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await self._send(message)


class _Limited:
    """Receives a body up to a limit, whatever its Content-Length says."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self._receive, self._left = receive, limit

    async def __call__(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.request":
            self._left -= len(message.get("body", b""))
            if self._left < 0:
                raise _TooLong
        return message


def host_name(value: str) -> str:
    """Return the name or address in a Host header, without the port.

    >>> host_name("News.example.org:8080"), host_name("[::1]:8080")
    ('news.example.org', '::1')
    """
    if value.startswith("["):
        return value[1:].partition("]")[0]
    return value.partition(":")[0].lower().rstrip(".")


def _in_short(error: Exception) -> str:
    """Return an error and its place on one line."""
    innermost = extract_tb(error.__traceback__)[-1]
    place = f"{innermost.filename}:{innermost.lineno}"
    return f"{type(error).__name__}: {' '.join(str(error).split())} ({place})"
