"""The addresses that may be fetched: those of the public internet, in any notation."""

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Sequence

import httpx2

from scstory.errors import FetchError

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""Resolves a host and port to IP addresses, as text."""

_PUBLIC_6 = ipaddress.ip_network("2000::/3")
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
# Networks that the ipaddress module of some Python version takes for public and that are not, and
# those that lead to an address written inside the address (6to4, Teredo).
_SPECIAL_4 = (
    "0.0.0.0/8",
    "100.64.0.0/10",
    "192.0.0.0/24",
    "192.88.99.0/24",
    "198.18.0.0/15",
    "240.0.0.0/4",
)
_SPECIAL_6 = ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")
_SPECIAL = [ipaddress.ip_network(network) for network in (*_SPECIAL_4, *_SPECIAL_6)]


def is_public(address: str) -> bool:
    """Return whether an IP address belongs to the public internet.

    >>> is_public("93.184.215.14"), is_public("10.0.0.7"), is_public("::ffff:127.0.0.1")
    (True, False, False)
    """
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped
        if ip in _NAT64:
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(str(inner))
        if ip not in _PUBLIC_6:
            return False
    if any(ip.version == network.version and ip in network for network in _SPECIAL):
        return False
    return ip.is_global and not (ip.is_multicast or ip.is_reserved or ip.is_unspecified)


def parse_url(url: str, *, base: httpx2.URL | None = None) -> httpx2.URL:
    """Return a web address in its normal form; raise FetchError if it cannot be fetched."""
    try:
        parsed = base.join(url) if base else httpx2.URL(url.strip())
        host = parsed.raw_host.decode("ascii")
    except (httpx2.InvalidURL, ValueError, TypeError) as error:
        reason = str(error).rstrip(".") or "not readable"
        raise FetchError(f"not a web address ({reason})") from None
    if parsed.scheme not in ("http", "https"):
        scheme = parsed.scheme or "no scheme"
        raise FetchError(f"{scheme[:40]}: only http and https are fetched")
    if not host:
        raise FetchError("a web address without a host; write it like https://example.com/feed")
    if parsed.port is not None and not 0 < parsed.port < 65_536:
        raise FetchError(f"port {parsed.port}: ports go from 1 to 65535")
    if parsed.userinfo:
        raise FetchError("user names and passwords in web addresses are not supported")
    return parsed.copy_with(fragment=None)


async def resolve(host: str, port: int) -> list[str]:
    """Return the addresses of a host from the system's resolver."""
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or "not a host name"
        raise FetchError(f"{host[:100]} is not found ({reason})", temporary=True) from None
    return list(dict.fromkeys(str(address[4][0]) for address in found))


def is_address(host: str) -> bool:
    """Return whether a host is an IP address and not a name."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


async def addresses_of(url: httpx2.URL, look_up: Resolve, *, allow_private: bool) -> list[str]:
    """Return the addresses of a URL's host that may be fetched; raise FetchError if none may."""
    host = url.raw_host.decode("ascii")
    port = url.port or (443 if url.scheme == "https" else 80)
    found = [host] if is_address(host.partition("%")[0]) else await look_up(host, port)
    allowed = [address for address in found if allow_private or is_public(address)]
    if found and not allowed:
        at = "" if host == found[0] else f" is at {found[0]}, which"
        raise FetchError(
            f"{host[:100]}{at} is not a public address; feeds.allow_private = true allows it"
        )
    if not allowed:
        raise FetchError(f"{host[:100]} has no address", temporary=True)
    return allowed
