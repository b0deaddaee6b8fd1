"""Editors' sessions: signed cookies, the tokens of their forms, and a limit of wrong tokens."""

import hashlib
import hmac
import secrets
import time
from collections import OrderedDict, deque
from dataclasses import dataclass
from ipaddress import ip_address, ip_network

from fastapi import HTTPException

SESSION_SECONDS = 30 * 24 * 3600
"""How long a session lasts."""
MAX_FAILURES, FAILURE_SECONDS = 10, 60.0
"""How many wrong tokens an address may send within so many seconds."""
MAX_ADDRESSES = 10_000
"""Of how many addresses failures are remembered."""
MAX_ENDED = 10_000
"""How many ended sessions are remembered."""


@dataclass(frozen=True, slots=True)
class Session:
    """An editor's session. Its forms carry the `form_token`, which no other site can know."""

    name: str
    expires: int
    form_token: str


class Sessions:
    """Sessions that are signed with a key made of the token; another token ends all of them."""

    def __init__(self, token: str) -> None:
        self._token = token.encode("utf-8")
        self._ended: OrderedDict[str, None] = OrderedDict()
        self._failures: OrderedDict[str, deque[float]] = OrderedDict()

    def begin(self) -> str:
        """Return the cookie of a new session."""
        content = f"{int(time.time()) + SESSION_SECONDS}.{secrets.token_urlsafe(16)}"
        return f"{content}.{self._sign('session', content)}"

    def read(self, cookie: str) -> Session | None:
        """Return the session of a cookie, unless it is forged, expired or ended."""
        content, _, signature = cookie.rpartition(".")
        expected = self._sign("session", content)
        if not hmac.compare_digest(signature.encode("utf-8", "replace"), expected.encode()):
            return None
        expires, _, name = content.partition(".")
        if int(expires) < time.time() or name in self._ended:
            return None
        return Session(name, int(expires), self._sign("form", content))

    def end(self, session: Session) -> None:
        """End a session, also for those who kept its cookie."""
        self._ended[session.name] = None
        if len(self._ended) > MAX_ENDED:
            self._ended.popitem(last=False)

    def accepts(self, token: str, address: str) -> bool:
        """Return whether this is the token; raise HTTPException after too many wrong ones."""
        now, failures = time.monotonic(), self._failures.setdefault(_network(address), deque())
        while failures and now - failures[0] > FAILURE_SECONDS:
            failures.popleft()
        if len(failures) >= MAX_FAILURES:
            wait = int(FAILURE_SECONDS - (now - failures[0])) + 1
            raise HTTPException(
                429, f"too many wrong tokens; try again in {wait} s", {"Retry-After": str(wait)}
            )
        if hmac.compare_digest(token.encode("utf-8", "replace"), self._token):
            return True
        failures.append(now)
        self._failures.move_to_end(_network(address))
        if len(self._failures) > MAX_ADDRESSES:
            self._failures.popitem(last=False)
        return False

    def _sign(self, purpose: str, content: str) -> str:
        message = f"scstory {purpose} {content}".encode("utf-8", "replace")
        return hmac.new(self._token, message, hashlib.sha256).hexdigest()


def _network(address: str) -> str:
    """Return an address, or the network of an IPv6 address: each site has many of those."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    return str(ip_network((parsed, 64), strict=False)) if parsed.version == 6 else address
