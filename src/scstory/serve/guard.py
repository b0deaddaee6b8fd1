"""The door: which hosts may be asked for, how long a body may be, headers of every answer."""

from __future__ import annotations

import ipaddress
import logging
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_log = logging.getLogger("scstory.serve")

MAX_BODY = 16 * 1024 * 1024
"""Bytes of a request's body that are read at most."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


class Guard:
    """Wraps the application; nothing gets past it in either direction unseen."""

    def __init__(
        self, app: ASGIApp, *, hosts: Iterable[str] = (), max_body: int = MAX_BODY
    ) -> None:
        self._app, self._max_body = app, max_body
        self._hosts = {host.lower().rstrip(".") for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        send = _with_headers(send)
        if scope["method"] == "HEAD":
            scope, send = {**scope, "method": "GET"}, _without_body(send)
        headers = Headers(scope=scope)
        refusal = self._refusal(headers)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        body = _Limited(receive, self._max_body)
        answered = _Noted(send)
        try:
            await self._app(scope, body, answered)
        except _TooLong:
            if not answered.started:
                await self._too_long()(scope, receive, send)
        except Exception as error:
            _log.error("%s %s: %s", scope["method"], scope["path"], _in_short(error))
            if answered.started:
                raise _Broken(str(error)) from None
            await JSONResponse({"detail": "a fault of the service; its log says more"}, 500)(
                scope, receive, send
            )

    def _refusal(self, headers: Headers) -> JSONResponse | None:
        host = host_name(headers.get("host", ""))
        if not self.allows(host):
            detail = (
                f"host {host[:200]!r} is not served here; allow it with: scstory serve --allow-host"
            )
            return JSONResponse({"detail": detail}, 421)
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length[:20]) > self._max_body:
            return self._too_long()
        return None

    def allows(self, host: str) -> bool:
        """Say whether a name may be asked for.

        A page elsewhere can point its own name at this machine (DNS rebinding) and read what
        is served here. It cannot make a browser name an address or localhost.
        """
        return host in self._hosts or host == "localhost" or _is_address(host)

    def _too_long(self) -> JSONResponse:
        detail = f"body longer than {self._max_body:,} bytes; send it in parts"
        return JSONResponse({"detail": detail}, 413, {"connection": "close"})


class _TooLong(Exception):
    pass


class _Broken(Exception):
    """An answer that could not be ended."""


class _Noted:
    """Sends on, and knows whether the answer has begun."""

    def __init__(self, send: Send) -> None:
        self._send, self.started = send, False

    async def __call__(self, message: Message) -> None:
        self.started |= message["type"] == "http.response.start"
        await self._send(message)


class _Limited:
    """Receives a body up to a limit, whatever its length was said to be."""

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
    """Return an error and where it arose on one line."""
    where = error.__traceback__
    while where is not None and where.tb_next is not None:
        where = where.tb_next
    place = f" ({where.tb_frame.f_code.co_filename}:{where.tb_lineno})" if where else ""
    return f"{type(error).__name__}: {' '.join(str(error).split())}{place}"


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _without_body(send: Send) -> Send:
    """Answer HEAD as GET is answered, without what follows the headers."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await send(message)

    return sending


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sending
