"""JSON is taken for JSON also where no header says so, as with `curl -d`.

Only a body that begins like an object or a list is, and only one that is of no declared type, plain
text or, as curl says of whatever it sends, a form.
"""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_UNDECLARED = ("", "text/plain", "application/x-www-form-urlencoded")


class JsonBodies:
    """Names the type of bodies under `/api` that are unmistakably JSON."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Look at the beginning of a body before it is read."""
        if scope["type"] != "http" or not scope["path"].startswith("/api/"):
            await self._app(scope, receive, send)
            return
        headers = MutableHeaders(scope=scope)
        declared = headers.get("content-type", "").partition(";")[0].strip().lower()
        if scope["method"] not in ("POST", "PUT", "PATCH") or declared not in _UNDECLARED:
            await self._app(scope, receive, send)
            return
        seen: list[Message] = []
        while not seen or (_is_blank(seen[-1]) and seen[-1].get("more_body")):
            seen.append(await receive())
        if seen[-1].get("body", b"").lstrip()[:1] in (b"{", b"["):
            scope = {**scope, "headers": list(scope["headers"])}
            MutableHeaders(scope=scope)["content-type"] = "application/json"

        async def again() -> Message:
            return seen.pop(0) if seen else await receive()

        await self._app(scope, again, send)


def _is_blank(message: Message) -> bool:
    return message["type"] == "http.request" and not message.get("body", b"").strip()
