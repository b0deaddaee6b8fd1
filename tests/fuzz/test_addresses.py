"""Addresses: no spelling leads inside, and all spellings of a page are one."""

import asyncio
import ipaddress
import socket

import pytest
from hypothesis import strategies as st

from scstory.errors import FetchError, SourceError
from scstory.feeds.canonical_url import canonical_url
from scstory.feeds.entries import entry_id, web_url
from scstory.feeds.public_address import addresses_of, is_public, parse_url
from scstory.feeds.registry import check_web
from tests.fuzz.inputs import anything, fuzz, only

INSIDE_4 = [
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
    "192.0.0.0/24", "192.0.2.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24",
    "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
]  # fmt: skip
INSIDE_6 = ["::/127", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8", "100::/64", "2001:db8::/32"]

inside_4 = st.sampled_from(INSIDE_4).flatmap(lambda net: st.ip_addresses(network=net))
inside_6 = st.sampled_from(INSIDE_6).flatmap(lambda net: st.ip_addresses(network=net))


def number(value, base):
    return {8: f"0{value:o}", 10: str(value), 16: f"0x{value:x}", 17: f"0X{value:08X}"}[base]


@st.composite
def spelt_4(draw):
    """Return an address inside as inet_aton reads it: one to four numbers of any base."""
    value = int(draw(inside_4))
    count = draw(st.integers(1, 4))
    parts = [(value >> (24 - 8 * i)) & 0xFF for i in range(count - 1)]
    parts.append(value & ((1 << (8 * (5 - count))) - 1))
    host = ".".join(number(part, draw(st.sampled_from([8, 10, 16, 17]))) for part in parts)
    if draw(st.booleans()):
        host = host.translate({ord(c): ord(c) + 0xFEE0 for c in "0123456789"})  # full width
    return host.replace(".", draw(st.sampled_from([".", "。", "%2e"])))


@st.composite
def spelt_6(draw):
    """Return an address inside, by itself or within one that leads there."""
    four, six = draw(inside_4), draw(inside_6)
    forms = [
        str(six),
        six.exploded.upper(),
        f"::ffff:{four}",
        f"::ffff:{int(four) >> 16:x}:{int(four) & 0xFFFF:x}",
        f"0:0:0:0:0:FFFF:{four}",
        f"::{four}",
        f"64:ff9b::{four}",
        f"2002:{int(four) >> 16:x}:{int(four) & 0xFFFF:x}::",
        f"2001:0:{int(four) >> 16:x}:{int(four) & 0xFFFF:x}::",
        f"{six}%25lo",
        f"{six}%lo",
    ]
    return f"[{draw(st.sampled_from(forms))}]"


async def numeric(host, port):
    """Look up as the system does, but numbers only."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    except (OSError, UnicodeError):
        raise FetchError("not a number") from None
    return [str(address[4][0]) for address in found]


async def fetched_from(url):
    return await addresses_of(parse_url(url), numeric, allow_private=False)


@fuzz(
    spelt_4() | spelt_6(),
    st.sampled_from(["http", "https", "HTTP", " hTTps"]),
    st.sampled_from(["", ":80", ":8080", ".", ".:443"]),
    st.sampled_from(["", "/", "/x?y#z", "\\x", "#@8.8.8.8/", "/@8.8.8.8"]),
    st.sampled_from(["", "user@", "8.8.8.8@", "8.8.8.8:80@"]),
)
def test_no_spelling_leads_inside(host, scheme, port, path, user):
    with pytest.raises(FetchError):
        asyncio.run(fetched_from(f"{scheme}://{user}{host}{port}{path}"))


@fuzz(inside_4 | inside_6)
def test_inside_is_not_public(address):
    assert not is_public(str(address))
    assert not is_public(address.exploded)
    if address.version == 4:
        assert not is_public(f"::ffff:{address}")


@fuzz(st.ip_addresses())
def test_what_is_public_is_global(address):
    if is_public(str(address)):
        inner = getattr(address, "ipv4_mapped", None) or address
        nat64 = ipaddress.ip_network("64:ff9b::/96")
        assert inner.is_global or (address.version == 6 and address in nat64)


PIECES = """
http:// https:// HTTP:// www. m. amp. a.example B.Example :80 :443 :8080 / // /amp /amp/ /index.html
/default.asp /../ /./ ? & utm_source=x id=7 q=a+b q=%20 %41 %2f %25 %2541 % %zz # #top é ß 中 xn--
xn--e1a ; = @ [ ] ::1 .. \\ ｗｗｗ． ％ 。
"""
pieces = st.sampled_from([*PIECES.split(), " ", "\t", "\n", "\0"])
urls = st.lists(pieces, max_size=8).map("".join)


@fuzz(anything | urls.map("https://a.example".__add__) | urls)
def test_one_form(url):
    one = canonical_url(url)
    assert canonical_url(f"https://{one}") == one
    assert canonical_url(f"http://{one}") == one
    one.encode("ascii")
    assert not set(one) & set(" \t\r\n\0")


@fuzz(anything | urls)
def test_any_address(url):
    found = web_url(url, "https://a.example/x")
    assert found is None or web_url(found) == found
    with only(FetchError):
        address = parse_url(url)
        assert parse_url(str(address)) == address
    with only(SourceError):
        assert check_web(url)


@fuzz(st.none() | anything, st.none() | anything, anything | urls, anything)
def test_any_id(guid, url, feed, text):
    found = entry_id(guid, url, feed, text)
    assert 0 < len(found) <= 500
    assert found == entry_id(guid, url, feed, text)
