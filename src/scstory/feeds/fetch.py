"""The one way to the web: polite, bounded in time and size, and only to public addresses.

Every hop of a request is looked up, checked and then connected to by the very address that was
checked, so neither a redirect nor a changed DNS answer leads anywhere else. The TLS certificate
is still that of the name.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import NamedTuple

import httpx2

from scstory.config import FeedSettings
from scstory.errors import FetchError
from scstory.feeds.addresses import Resolve, addresses_of, parse_url, resolve

MAX_REDIRECTS = 5
MAX_WAIT = 86_400.0
"""Seconds: however long a server asks to be left alone, it is asked again after a day."""
CONNECT = 10.0
"""Seconds an address is given to answer before the host's next one is tried."""
PACKINGS = ("gzip", "x-gzip", "deflate", "identity", "")
REDIRECTS = (301, 302, 303, 307, 308)
FOR_GOOD = (301, 308)
BUSY = (429, 503)
_SOME_PUBLIC_ADDRESS = "8.8.8.8"
"""Stands for the addresses that only a proxy learns."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer: a body, or the word that it has not changed (status 304)."""

    url: str
    status: int
    body: bytes = b""
    content_type: str = ""
    charset: str | None = None
    etag: str | None = None
    modified: str | None = None
    fresh_for: float = 0
    """Seconds for which the server says there will be nothing new."""
    moved: str | None = None
    """Where to ask from now on, if the server says so: as far as redirects are permanent."""


class _Redirect(NamedTuple):
    """Where an answer sends on to, and whether it says that this is for good."""

    url: httpx2.URL
    for_good: bool


@dataclass(slots=True)
class _Host:
    """What politeness needs to know of a host."""

    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    free_at: float = 0
    closed_until: float = 0


class Fetcher:
    """Fetches for one event loop. Requests to a host go one after the other, with a pause."""

    def __init__(
        self,
        settings: FeedSettings,
        *,
        look_up: Resolve = resolve,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings = settings
        self._look_up = look_up
        self._clock = clock
        self._slots = asyncio.Semaphore(settings.requests)
        self._hosts: dict[str, _Host] = {}
        self._tls = httpx2.create_ssl_context()

    async def get(
        self,
        url: str,
        *,
        limit: int,
        etag: str | None = None,
        modified: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Fetched:
        """Return what is at a URL; `limit` is the size of the body, unpacked, in bytes.

        With the `etag` or `modified` of an earlier answer, an unchanged one comes without body.
        `headers` go to the URL's own site only, not on to where it redirects to.
        """
        target = origin = parse_url(url)
        sent = {"User-Agent": self._settings.user_agent, "Accept-Encoding": "gzip, deflate"}
        if etag:
            sent["If-None-Match"] = etag
        if modified:
            sent["If-Modified-Since"] = modified
        left, moved, for_good = self._settings.timeout, None, True
        for _ in range(MAX_REDIRECTS + 1):
            own = headers or {} if _site(target) == _site(origin) else {}
            started, answer = await self._in_turn(target, {**sent, **own}, limit, left)
            left -= self._clock() - started
            if not isinstance(answer, _Redirect):
                return replace(answer, moved=moved)
            target, for_good = answer.url, for_good and answer.for_good
            moved = str(target) if for_good else moved
        raise FetchError(f"more than {MAX_REDIRECTS} redirects")

    async def _in_turn(
        self, url: httpx2.URL, headers: dict[str, str], limit: int, seconds: float
    ) -> tuple[float, Fetched | _Redirect]:
        """Wait for the host's turn, then ask it; the time limit runs from there."""
        host = self._host(url.host)
        async with host.turn:
            if (closed := host.closed_until - self._clock()) > 0:
                raise FetchError(
                    f"{url.host[:100]} asked to be left alone for {closed:.0f} s more",
                    temporary=True,
                    retry_after=closed,
                )
            if (pause := host.free_at - self._clock()) > 0:
                await asyncio.sleep(pause)
            async with self._slots:
                started = self._clock()
                try:
                    async with asyncio.timeout(max(seconds, 0)):
                        return started, await self._ask(url, headers, limit)
                except TimeoutError:
                    raise FetchError(
                        f"no full answer in {self._settings.timeout:g} s (feeds.timeout)",
                        temporary=True,
                    ) from None
                except FetchError as error:
                    if error.retry_after:
                        host.closed_until = self._clock() + error.retry_after
                    raise
                except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as error:
                    reason = " ".join(str(error).split())[:200] or type(error).__name__
                    raise FetchError(f"cannot be fetched ({reason})", temporary=True) from None
                finally:
                    host.free_at = self._clock() + self._settings.host_interval

    async def _ask(
        self, url: httpx2.URL, headers: dict[str, str], limit: int
    ) -> Fetched | _Redirect:
        allow_private = self._settings.allow_private
        if self._settings.proxy:
            # The proxy looks names up, and is what keeps them off private addresses.
            await addresses_of(url, _by_proxy, allow_private=allow_private)
            return await self._send(url, headers, {}, limit)
        allowed = await addresses_of(url, self._look_up, allow_private=allow_private)
        host = url.raw_host.decode("ascii")
        headers = {**headers, "Host": url.netloc.decode("ascii")}
        for address in allowed:
            pinned = url.copy_with(host=address)
            try:
                return await self._send(pinned, headers, {"sni_hostname": host}, limit, name=url)
            except (httpx2.ConnectError, httpx2.ConnectTimeout):
                if address == allowed[-1]:
                    raise
        raise AssertionError  # there is at least one address

    async def _send(
        self,
        url: httpx2.URL,
        headers: dict[str, str],
        extensions: dict[str, str],
        limit: int,
        name: httpx2.URL | None = None,
    ) -> Fetched | _Redirect:
        timeout = httpx2.Timeout(self._settings.timeout, connect=CONNECT)
        async with (
            httpx2.AsyncClient(
                verify=self._tls, trust_env=False, proxy=self._settings.proxy, timeout=timeout
            ) as client,
            client.stream("GET", url, headers=headers, extensions=extensions) as answer,
        ):
            return await _read(answer, name or url, limit)

    def _host(self, name: str) -> _Host:
        if len(self._hosts) > 2_000:
            now = self._clock()
            self._hosts = {
                key: host
                for key, host in self._hosts.items()
                if host.turn.locked() or max(host.free_at, host.closed_until) > now
            }
        return self._hosts.setdefault(name.lower(), _Host())


async def _read(answer: httpx2.Response, url: httpx2.URL, limit: int) -> Fetched | _Redirect:
    """Return what an answer says, or where it sends on to."""
    status, headers = answer.status_code, answer.headers
    if status in REDIRECTS and headers.get("location"):
        return _Redirect(parse_url(headers["location"], base=url), status in FOR_GOOD)
    if status not in (200, 304):
        wait = retry_after(headers.get("retry-after")) if status in BUSY else None
        reason = f" {answer.reason_phrase}" if answer.reason_phrase.isprintable() else ""
        temporary = status >= 500 or status in (408, 425, 429)
        raise FetchError(f"answered {status}{reason[:60]}", temporary=temporary, retry_after=wait)
    body = b"" if status == 304 else await _body(answer, limit)
    kind, _, rest = headers.get("content-type", "").partition(";")
    charset = re.search(r"charset\s*=\s*[\"']?([\w.:-]{1,40})", rest, re.IGNORECASE)
    age = re.search(r"max-age\s*=\s*(\d{1,9})", headers.get("cache-control", ""))
    return Fetched(
        str(url),
        status,
        body,
        kind.strip().lower(),
        charset[1] if charset else None,
        _short(headers.get("etag")),
        _short(headers.get("last-modified")),
        float(age[1]) if age else 0,
    )


async def _body(answer: httpx2.Response, limit: int) -> bytes:
    """Return the body, unpacked piece by piece so that its size is known before its content."""
    packing = answer.headers.get("content-encoding", "").strip().lower()
    if packing not in PACKINGS:
        raise FetchError(f"sent packed as {packing[:40]!r}, which was not asked for")
    too_large = FetchError(f"more than {limit:,} bytes (feeds.max_bytes, feeds.max_page_bytes)")
    with suppress(ValueError):
        if int(answer.headers.get("content-length", "0")) > limit:
            raise too_large
    body = bytearray()
    async for piece in answer.aiter_bytes():
        body += piece
        if len(body) > limit:
            raise too_large
    return bytes(body)


def retry_after(value: str | None) -> float | None:
    """Return the seconds a Retry-After header asks for.

    >>> retry_after("120"), retry_after("Fri, 01 Jan 1999 00:00:00 GMT"), retry_after("soon")
    (120.0, 0.0, None)
    """
    if not value:
        return None
    if value.strip().isdecimal():
        return min(float(value.strip()), MAX_WAIT)
    try:
        then = parsedate_to_datetime(value)
        then = then.replace(tzinfo=UTC) if then.tzinfo is None else then
        return min(max((then - datetime.now(UTC)).total_seconds(), 0.0), MAX_WAIT)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


async def _by_proxy(host: str, port: int) -> list[str]:
    return [_SOME_PUBLIC_ADDRESS]


def _site(url: httpx2.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


def _short(value: str | None) -> str | None:
    """Return a header's value if it can be sent back."""
    return value if value and len(value) <= 500 and value.isascii() else None
