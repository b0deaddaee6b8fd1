"""The way to the web, against a real server that misbehaves in every way it can."""

import asyncio
import gzip
import time
import tracemalloc
import zlib
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import pairwise

import pytest

from scstory.config import FeedSettings
from scstory.errors import FetchError
from scstory.feeds.fetch import Fetcher, retry_after
from scstory.feeds.public_address import resolve
from tests.web import LOCAL, Answer, drip, redirect, zipped

LIMIT = 100_000


def get(url, *, settings=LOCAL, look_up=resolve, limit=LIMIT, **options):
    async def fetch():
        return await Fetcher(settings, look_up=look_up).get(url, limit=limit, **options)

    return asyncio.run(fetch())


def refused(url, **options):
    with pytest.raises(FetchError) as caught:
        get(url, **options)
    assert "\n" not in str(caught.value)
    return caught.value


def changed(**changes):
    return FeedSettings(**{**LOCAL.model_dump(), **changes})


def test_a_body_comes_with_what_is_said_about_it(site):
    site.pages["/feed"] = Answer(
        b"hello",
        headers={
            "Content-Type": 'Application/RSS+xml; charset="ISO-8859-1"',
            "ETag": '"v1"',
            "Last-Modified": "Tue, 03 Mar 2026 07:35:00 GMT",
            "Cache-Control": "public, max-age=600",
        },
    )
    found = get(f"{site.url}/feed#fragment")
    assert (found.status, found.body, found.url) == (200, b"hello", f"{site.url}/feed")
    assert (found.content_type, found.charset) == ("application/rss+xml", "ISO-8859-1")
    assert (found.etag, found.modified) == ('"v1"', "Tue, 03 Mar 2026 07:35:00 GMT")
    assert found.fresh_for == 600


def test_requests_introduce_themselves_and_carry_nothing_else(site):
    site.pages["/"] = Answer(b"x", headers={"Set-Cookie": "track=1"})
    get(f"{site.url}/")
    (request,) = site.requests
    assert request.headers["user-agent"].startswith("scstory/")
    assert request.headers["host"] == f"127.0.0.1:{site.port}"
    assert request.headers["accept-encoding"] == "gzip, deflate"
    assert "cookie" not in request.headers


def test_what_has_not_changed_is_not_sent_again(site):
    def answer(request):
        same = request.headers.get("if-none-match") == '"v1"'
        return Answer(b"", 304) if same else Answer(b"new", headers={"ETag": '"v1"'})

    site.pages["/feed"] = answer
    first = get(f"{site.url}/feed")
    second = get(f"{site.url}/feed", etag=first.etag, modified="Tue, 03 Mar 2026 07:35:00 GMT")
    assert (first.status, second.status, second.body) == (200, 304, b"")
    assert site.requests[1].headers["if-modified-since"] == "Tue, 03 Mar 2026 07:35:00 GMT"


def test_an_address_that_moved_for_good_is_told(site):
    site.pages["/feed"] = b"x"
    site.pages["/old"] = redirect("/older", 308)
    site.pages["/older"] = redirect("/feed", 301)
    site.pages["/for-now"] = redirect("/feed", 307)
    site.pages["/mixed"] = redirect("/for-now", 301)
    assert get(f"{site.url}/feed").moved is None
    assert get(f"{site.url}/old").moved == f"{site.url}/feed"
    assert get(f"{site.url}/for-now").moved is None
    assert get(f"{site.url}/mixed").moved == f"{site.url}/for-now"


def test_marks_that_cannot_be_sent_back_are_not_kept(site):
    site.pages["/"] = Answer(b"x", headers={"ETag": '"caf\xe9"', "Last-Modified": "x" * 600})
    found = get(f"{site.url}/")
    assert (found.etag, found.modified) == (None, None)


@pytest.mark.parametrize("pack", ["gzip", "deflate", "raw deflate"])
def test_packed_bodies_are_unpacked(site, pack):
    squeeze = zlib.compressobj(wbits=-15)
    packed = {
        "gzip": gzip.compress(b"hello"),
        "deflate": zlib.compress(b"hello"),
        "raw deflate": squeeze.compress(b"hello") + squeeze.flush(),
    }[pack]
    site.pages["/"] = Answer(packed, headers={"Content-Encoding": pack.split()[-1]})
    assert get(f"{site.url}/").body == b"hello"


# -- too much, too slow -------------------------------------------------------------------------


def test_a_body_may_be_as_large_as_the_limit_and_no_larger(site):
    site.pages["/fits"] = b"x" * LIMIT
    site.pages["/large"] = b"x" * (LIMIT + 1)
    assert len(get(f"{site.url}/fits").body) == LIMIT
    error = refused(f"{site.url}/large")
    assert "more than 100,000 bytes" in str(error)
    assert not error.temporary


def test_a_body_that_says_it_is_too_large_is_not_read(site):
    site.pages["/"] = Answer(drip([b"x"] * 1000, 0.1), headers={"Content-Length": "1000000"})
    started = time.monotonic()
    assert "more than" in str(refused(f"{site.url}/"))
    assert time.monotonic() - started < 3


def test_an_endless_body_ends(site):
    site.pages["/"] = Answer(iter(lambda: b"x" * 10_000, None))
    assert "more than" in str(refused(f"{site.url}/"))


def test_a_gzip_bomb_does_not_go_off(site):
    bomb = gzip.compress(gzip.compress(bytes(500_000_000), 1), 9)
    inner = gzip.decompress(bomb)
    assert len(inner) < 3_000_000
    site.pages["/"] = Answer(inner, headers={"Content-Encoding": "gzip"})
    tracemalloc.start()
    try:
        assert "more than 100,000 bytes" in str(refused(f"{site.url}/"))
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("packing", ["br", "zstd", "gzip, gzip", "gzip, br", "compress"])
def test_packings_that_were_not_asked_for_are_refused(site, packing):
    site.pages["/"] = Answer(b"whatever", headers={"Content-Encoding": packing})
    assert "which was not accepted" in str(refused(f"{site.url}/"))


def test_a_damaged_packed_body_is_an_error(site):
    site.pages["/"] = Answer(b"\x1f\x8bnot really", headers={"Content-Encoding": "gzip"})
    assert "cannot be fetched" in str(refused(f"{site.url}/"))


@pytest.mark.parametrize("where", ["body", "headers", "start"])
def test_the_time_limit_is_for_the_whole_answer_however_it_drips(site, where):
    """Each piece comes well within any limit on a single read."""

    def answer(request):
        if where == "start":
            site.closing.wait(5)
        if where == "body":
            return Answer(drip([b"x"] * 100, 0.1))
        return Answer(b"x", headers=Slow())

    class Slow(dict):
        def items(self):
            for number in range(100):
                site.closing.wait(0.1)
                yield f"X-{number}", "x"

    site.pages["/"] = answer
    started = time.monotonic()
    error = refused(f"{site.url}/", settings=changed(timeout=0.5))
    assert "no full answer in 0.5 s" in str(error)
    assert error.temporary
    assert time.monotonic() - started < 3


def test_a_slow_name_server_is_within_the_time_limit():
    async def look_up(host, port):
        await asyncio.sleep(10)
        return ["8.8.8.8"]

    started = time.monotonic()
    error = refused("http://wire.example/", settings=changed(timeout=0.3), look_up=look_up)
    assert "no full answer" in str(error)
    assert time.monotonic() - started < 3


def test_endless_headers_are_an_error(site):
    class Endless(dict):
        def items(self):
            return ((f"X-{number}", "y" * 1000) for number in range(1000))

    site.pages["/"] = Answer(b"x", headers=Endless())
    assert "cannot be fetched" in str(refused(f"{site.url}/"))


# -- redirects and addresses --------------------------------------------------------------------


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_followed(site, status):
    site.pages["/a/old"] = redirect("../new?x=1", status)
    site.pages["/new"] = b"here"
    found = get(f"{site.url}/a/old")
    assert (found.body, found.url) == (b"here", f"{site.url}/new?x=1")


def test_loops_end(site):
    site.pages["/a"] = redirect("/b")
    site.pages["/b"] = redirect("/a")
    assert str(refused(f"{site.url}/a")) == "more than 5 redirects"
    assert len(site.requests) == 6


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("file:///etc/passwd", "file: only http and https"),
        ("ftp://example.com/", "ftp: only http and https"),
        ("javascript:alert(1)", "cannot be fetched"),
        ("http://user:pw@example.com/", "user names"),
        ("https://example.com:70000/", "port 70000"),
    ],
)
def test_redirects_out_of_the_web_are_refused(site, target, reason):
    site.pages["/"] = redirect(target)
    assert reason in str(refused(f"{site.url}/"))


def test_the_time_limit_is_for_all_redirects_together(site):
    def slowly(request):
        time.sleep(0.25)
        return redirect("/")

    site.pages["/"] = slowly
    error = refused(f"{site.url}/", settings=changed(timeout=0.6))
    assert "no full answer in 0.6 s" in str(error)


def test_loopback_is_refused_unless_allowed(site):
    site.pages["/"] = b"secret"
    error = refused(f"{site.url}/", settings=changed(allow_private=False))
    assert str(error).startswith("127.0.0.1 is not a public address; feeds.allow_private")
    assert site.requests == []


class Names:
    """A name server whose answers a test sets, and that counts what it is asked."""

    def __init__(self, **answers):
        self.answers = {name.replace("_", "."): answer for name, answer in answers.items()}
        self.asked = []

    async def __call__(self, host, port):
        self.asked.append(host)
        answer = self.answers[host]
        return list(answer.pop(0) if isinstance(answer[0], list) else answer)


@pytest.fixture
def public_loopback(monkeypatch):
    """Take 127.0.0.1 for a public address, and nothing else that is not."""
    import scstory.feeds.public_address as addresses

    really = addresses.is_public
    monkeypatch.setattr(addresses, "is_public", lambda a: a == "127.0.0.1" or really(a))


@pytest.mark.parametrize(
    "inside", ["http://10.0.0.1/", "http://[::1]/", "http://intranet/", "http://169.254.169.254/"]
)
def test_a_redirect_to_a_private_address_is_refused(site, public_loopback, inside):
    names = Names(wire_example=["127.0.0.1"], intranet=["192.168.1.1"])
    site.pages["/"] = redirect(inside)
    error = refused(
        f"http://wire.example:{site.port}/", settings=changed(allow_private=False), look_up=names
    )
    assert "is not a public address" in str(error)
    assert len(site.requests) == 1


def test_the_address_that_was_checked_is_the_one_connected_to(site, public_loopback):
    """The second answer of the name server would lead inside; it is never asked for."""
    names = Names(wire_example=[["127.0.0.1"], ["10.0.0.1"]])
    site.pages["/"] = b"public"
    found = get(
        f"http://wire.example:{site.port}/", settings=changed(allow_private=False), look_up=names
    )
    assert found.body == b"public"
    assert names.asked == ["wire.example"]
    assert site.requests[0].headers["host"] == f"wire.example:{site.port}"


def test_a_name_that_moves_inside_between_two_hops_is_refused(site, public_loopback):
    names = Names(wire_example=[["127.0.0.1"], ["10.0.0.1"]])
    site.pages["/"] = redirect("/again")
    error = refused(
        f"http://wire.example:{site.port}/", settings=changed(allow_private=False), look_up=names
    )
    assert "wire.example is at 10.0.0.1, which is not a public address" in str(error)
    assert names.asked == ["wire.example", "wire.example"]
    assert site.paths() == ["/"]


def test_a_host_with_a_dead_address_is_reached_by_its_next(site):
    names = Names(wire_example=["127.0.0.9", "127.0.0.1"])
    site.pages["/"] = b"alive"
    assert get(f"http://wire.example:{site.port}/", look_up=names).body == b"alive"


def test_headers_of_the_caller_stay_on_their_site(site):
    names = Names(wire_example=["127.0.0.1"])
    site.pages["/a"] = redirect("/b")
    site.pages["/b"] = redirect(f"http://wire.example:{site.port}/c")
    site.pages["/c"] = b"x"
    get(f"{site.url}/a", headers={"X-Api-Key": "secret"}, look_up=names)
    assert [request.headers.get("x-api-key") for request in site.requests] == [
        "secret",
        "secret",
        None,
    ]


def test_proxies_of_the_environment_are_not_used(site, monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/")
    site.pages["/"] = b"direct"
    assert get(f"{site.url}/").body == b"direct"


def test_a_proxy_that_is_set_is_used_and_still_no_private_address_is_asked_of_it(site):
    settings = changed(proxy=site.url, allow_private=False)
    site.pages["http://wire.example/x"] = b"by proxy"
    assert get("http://wire.example/x", settings=settings).body == b"by proxy"
    assert "not a public address" in str(refused("http://10.0.0.1/", settings=settings))


@pytest.fixture
def authority(monkeypatch, tmp_path):
    """Trust a certificate authority made for this test."""
    import trustme

    made = trustme.CA()
    made.cert_pem.write_to_path(tmp_path / "ca.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    return made


@pytest.mark.parametrize(("host", "good"), [("wire.example", True), ("other.example", False)])
def test_the_certificate_must_be_the_names_though_an_address_is_connected_to(authority, host, good):
    import ssl

    from tests.web import Site

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("wire.example").configure_cert(context)
    site = Site(tls=context)
    site.pages["/"] = b"safe"
    names = Names(wire_example=["127.0.0.1"], other_example=["127.0.0.1"])
    url = f"https://{host}:{site.port}/"
    try:
        if good:
            assert get(url, look_up=names).body == b"safe"
        else:
            assert "certificate" in str(refused(url, look_up=names)).lower()
    finally:
        site.close()


# -- politeness ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "temporary"),
    [(400, False), (403, False), (404, False), (410, False), (429, True), (500, True), (503, True)],
)
def test_errors_of_the_server_are_told(site, status, temporary):
    site.pages["/"] = Answer(b"", status)
    error = refused(f"{site.url}/")
    assert str(error).startswith(f"answered {status}")
    assert error.temporary is temporary


def test_a_server_that_is_gone_is_a_temporary_error(site):
    site.close()
    assert refused(f"{site.url}/").temporary


@pytest.mark.parametrize("status", [429, 503])
def test_a_host_that_asks_to_be_left_alone_is(site, status):
    site.pages["/busy"] = Answer(b"", status, {"Retry-After": "120"})
    site.pages["/other"] = b"x"

    async def twice():
        fetcher = Fetcher(LOCAL)
        with pytest.raises(FetchError) as first:
            await fetcher.get(f"{site.url}/busy", limit=LIMIT)
        with pytest.raises(FetchError, match="asked for a pause of 1[12]. s more") as second:
            await fetcher.get(f"{site.url}/other", limit=LIMIT)
        return first.value, second.value

    first, second = asyncio.run(twice())
    assert first.retry_after == 120
    assert 115 < second.retry_after <= 120
    assert site.paths() == ["/busy"]


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0),
        ("99999999999", 86_400),
        ("Fri, 01 Jan 1999 00:00:00 GMT", 0),
        ("soon", None),
        ("-5", None),
        ("٣", 3),
        ("7\x1f", 7.0),
    ],
)
def test_retry_after_is_understood(value, seconds):
    assert retry_after(value) == seconds


def test_retry_after_may_be_a_date():
    then = datetime.now(UTC) + timedelta(minutes=10)
    assert 590 < retry_after(format_datetime(then, usegmt=True)) <= 600


def test_a_host_is_asked_one_thing_at_a_time_with_a_pause_between(site):
    running = []

    def answer(request):
        running.append(+1)
        now = sum(running)
        time.sleep(0.05)
        running.append(-1)
        return Answer(str(now).encode())

    site.pages["/"] = answer

    async def all_at_once():
        fetcher = Fetcher(changed(host_interval=0.1))
        return await asyncio.gather(*(fetcher.get(f"{site.url}/", limit=9) for _ in range(4)))

    assert [found.body for found in asyncio.run(all_at_once())] == [b"1"] * 4
    starts = [request.started for request in site.requests]
    assert all(later - earlier >= 0.14 for earlier, later in pairwise(starts))


def test_different_hosts_are_asked_side_by_side(site):
    """Four hosts each wait for the other three."""
    import threading

    barrier = threading.Barrier(4, timeout=4)

    def answer(request):
        barrier.wait()
        return Answer(b"met")

    site.pages["/"] = answer

    async def look_up(host, port):
        return ["127.0.0.1"]

    async def all_at_once():
        fetcher = Fetcher(LOCAL, look_up=look_up)
        urls = [f"http://host{n}.example:{site.port}/" for n in range(4)]
        return await asyncio.gather(*(fetcher.get(url, limit=9) for url in urls))

    assert [found.body for found in asyncio.run(all_at_once())] == [b"met"] * 4


def test_cancelling_stops_at_once(site):
    site.pages["/"] = Answer(drip([b"x"] * 100, 0.1))

    async def stopped():
        task = asyncio.create_task(Fetcher(LOCAL).get(f"{site.url}/", limit=LIMIT))
        await asyncio.sleep(0.3)
        task.cancel()
        started = time.monotonic()
        with pytest.raises(asyncio.CancelledError):
            await task
        return time.monotonic() - started

    assert asyncio.run(stopped()) < 1


def test_zipped_is_what_the_fixture_says(site):
    site.pages["/"] = zipped(b"hello")
    assert get(f"{site.url}/").body == b"hello"
