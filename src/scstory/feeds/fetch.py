"""All requests to the web: polite, limited in time and size, and to public addresses only.

For every hop of a request the name is resolved, the address checked, and the connection made to
that same address, so neither a redirect nor a changed DNS answer leads elsewhere. The TLS
certificate is still checked against the name.
"""

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
from scstory.feeds.public_address import Resolve, addresses_of, parse_url, resolve

MAX_REDIRECTS = 5
MAX_RETRY_AFTER = 86_400.0
"""Seconds: a longer Retry-After counts as a day."""
CONNECT_TIMEOUT = 10.0
"""Seconds until the host's next address is tried."""
CONTENT_ENCODINGS = ("gzip", "x-gzip", "deflate", "identity", "")


@dataclass(frozen=True, slots=True)
class Fetched:
    """A response: a body, or the status 304 where nothing has changed."""

    url: str
    status: int
    body: bytes = b""
    content_type: str = ""
    charset: str | None = None
    etag: str | None = None
    modified: str | None = None
    fresh_for: float = 0
    """The seconds for which the server promises nothing new (max-age)."""
    moved: str | None = None
    """The new address, as far as redirects were permanent."""


class _Redirect(NamedTuple):
    """The target of a redirect, and whether it is permanent."""

    url: httpx2.URL
    permanent: bool


@dataclass(slots=True)
class _Host:
    """The state of a host that politeness needs."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    next_request: float = 0
    closed_until: float = 0


class Fetcher:
    """Fetches for one event loop. Requests to one host run one after another, with a pause."""

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
        """Return the response of a URL; `limit` is the size of the decoded body, in bytes.

        With the `etag` or `modified` of an earlier response, an unchanged one has no body.
        `headers` are sent to the URL's own site only, not to the targets of its redirects.
        """
        target = origin = parse_url(url)
        sent = {"User-Agent": self._settings.user_agent, "Accept-Encoding": "gzip, deflate"}
        if etag:
            sent["If-None-Match"] = etag
        if modified:
            sent["If-Modified-Since"] = modified
        left, moved, permanent = self._settings.timeout, None, True
        for _ in range(MAX_REDIRECTS + 1):
            own = headers or {} if _site(target) == _site(origin) else {}
            started, answer = await self._when_free(target, {**sent, **own}, limit, left)
            left -= self._clock() - started
            if not isinstance(answer, _Redirect):
                return replace(answer, moved=moved)
            target, permanent = answer.url, permanent and answer.permanent
            moved = str(target) if permanent else moved
        raise FetchError(f"more than {MAX_REDIRECTS} redirects")

    async def _when_free(
        self, url: httpx2.URL, headers: dict[str, str], limit: int, seconds: float
    ) -> tuple[float, Fetched | _Redirect]:
        """Wait until the host may be asked again, then ask; the time limit runs from there."""
        host = self._host(url.host)
        async with host.lock:
            if (closed := host.closed_until - self._clock()) > 0:
                raise FetchError(
                    f"{url.host[:100]} asked for a pause of {closed:.0f} s more",
                    temporary=True,
                    retry_after=closed,
                )
            if (pause := host.next_request - self._clock()) > 0:
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
                    host.next_request = self._clock() + self._settings.host_interval

    async def _ask(
        self, url: httpx2.URL, headers: dict[str, str], limit: int
    ) -> Fetched | _Redirect:
        allow_private = self._settings.allow_private
        if self._settings.proxy:
            # The proxy resolves names, so the proxy must refuse private addresses.
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
        raise AssertionError  # `allowed` is never empty

    async def _send(
        self,
        url: httpx2.URL,
        headers: dict[str, str],
        extensions: dict[str, str],
        limit: int,
        name: httpx2.URL | None = None,
    ) -> Fetched | _Redirect:
        timeout = httpx2.Timeout(self._settings.timeout, connect=CONNECT_TIMEOUT)
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
                if host.lock.locked() or max(host.next_request, host.closed_until) > now
            }
        return self._hosts.setdefault(name.lower(), _Host())


async def _read(answer: httpx2.Response, url: httpx2.URL, limit: int) -> Fetched | _Redirect:
    """Return the content of a response, or the target of its redirect."""
    status, headers = answer.status_code, answer.headers
    if answer.has_redirect_location and headers["location"]:
        return _Redirect(parse_url(headers["location"], base=url), permanent=status in (301, 308))
    if status not in (200, 304):
        wait = retry_after(headers.get("retry-after")) if status in (429, 503) else None
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
    """Return the body, decoded piece by piece so that the limit holds before it is whole."""
    encoding = answer.headers.get("content-encoding", "").strip().lower()
    if encoding not in CONTENT_ENCODINGS:
        raise FetchError(f"sent with content encoding {encoding[:40]!r}, which was not accepted")
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
    """Return the seconds of a Retry-After header.

    >>> retry_after("120"), retry_after("Fri, 01 Jan 1999 00:00:00 GMT"), retry_after("soon")
    (120.0, 0.0, None)
    """
    if not value:
        return None
    if value.strip().isdecimal():
        return min(float(value.strip()), MAX_RETRY_AFTER)
    try:
        then = parsedate_to_datetime(value)
        then = then.replace(tzinfo=UTC) if then.tzinfo is None else then
        return min(max((then - datetime.now(UTC)).total_seconds(), 0.0), MAX_RETRY_AFTER)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


async def _by_proxy(host: str, port: int) -> list[str]:
    """Return some public address in place of the one that only the proxy resolves."""
    return ["8.8.8.8"]


def _site(url: httpx2.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


def _short(value: str | None) -> str | None:
    """Return a header's value if it can be sent back later."""
    return value if value and len(value) <= 500 and value.isascii() else None
