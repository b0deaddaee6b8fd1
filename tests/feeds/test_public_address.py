"""Only the public internet is fetched, however an address is written."""

import asyncio

import pytest

from scstory.errors import FetchError
from scstory.feeds.public_address import addresses_of, is_public, parse_url

PRIVATE = [
    "0.0.0.0",
    "0.1.2.3",
    "10.1.2.3",
    "100.64.0.1",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.8",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "fe80::1",
    "fe80::1%eth0",
    "fc00::1",
    "fd12:3456::1",
    "fec0::1",
    "ff02::1",
    "64:ff9b::7f00:1",
    "64:ff9b::a00:1",
    "64:ff9b:1::808:808",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::1",
    "2002:808:808::1",
    "3fff::1",
    "5f00::1",
    "localhost",
    "example.com",
]
PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "93.184.215.14",
    "100.63.255.255",
    "100.128.0.1",
    "172.15.0.1",
    "172.32.0.1",
    "223.255.255.254",
    "2606:4700:4700::1111",
    "2a00:1450:4001:82b::200e",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
]


@pytest.mark.parametrize("address", PRIVATE)
def test_these_are_not_public(address):
    assert not is_public(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_these_are_public(address):
    assert is_public(address)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("file:///etc/passwd", "file: only http and https"),
        ("javascript:alert(1)", "javascript: only http and https"),
        ("gopher://example.com/", "gopher: only http and https"),
        ("data:text/html,x", "data: only http and https"),
        ("//example.com/", "no scheme: only http and https"),
        ("example.com", "no scheme: only http and https"),
        ("http://", "without a host"),
        ("http:///path", "without a host"),
        ("https://user:secret@example.com/", "user names and passwords"),
        ("https://example.com:0/", "port 0"),
        ("https://example.com:70000/", "port 70000"),
        ("http://exa\nmple.com/", "not a web address"),
        ("http://[::1/", "not a web address"),
        ("", "no scheme"),
    ],
)
def test_these_are_no_web_addresses(url, reason):
    with pytest.raises(FetchError, match=reason.replace("(", "\\(")):
        parse_url(url)


def find(url, *answers, allow_private=False):
    async def look_up(host, port):
        return list(answers)

    return asyncio.run(addresses_of(parse_url(url), look_up, allow_private=allow_private))


def test_a_name_gives_the_addresses_that_may_be_connected_to():
    assert find("https://wire.example/", "8.8.8.8", "10.0.0.1", "1.1.1.1") == ["8.8.8.8", "1.1.1.1"]
    assert find("https://wire.example/", "10.0.0.1", allow_private=True) == ["10.0.0.1"]


def test_a_name_at_a_private_address_is_refused_with_the_way_out():
    message = "wire.example is at 10.0.0.1, which is not a public address; feeds.allow_private"
    with pytest.raises(FetchError, match=message):
        find("https://wire.example/", "10.0.0.1")


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "[::1]", "[::ffff:10.0.0.1]", "169.254.169.254", "[fe80::1%25eth0]"]
)
def test_an_address_in_the_url_is_not_looked_up_but_checked(host):
    with pytest.raises(FetchError, match="not a public address"):
        find(f"http://{host}/", "8.8.8.8")


@pytest.mark.parametrize(
    "host", ["localhost", "0x7f.1", "2130706433", "0", "127.1", "017700000001"]
)
def test_odd_ways_to_write_loopback_are_seen_through(host):
    from scstory.feeds.public_address import resolve

    async def check():
        await addresses_of(parse_url(f"http://{host}/"), resolve, allow_private=False)

    with pytest.raises(FetchError, match="not a public address|is not found"):
        asyncio.run(check())
