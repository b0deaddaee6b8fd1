"""Archives of pages."""

import gzip
import io
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scstory.config import FeedSettings
from scstory.errors import SourceError
from scstory.feeds import SourceOptions, open_source
from scstory.feeds.warc import WarcSource
from tests.web import LONG, page

HEAD = '<meta property="article:published_time" content="2026-03-03T06:35:00Z">'


def record(url, body, *, kind="response", status="200 OK", content_type="text/html; charset=utf-8"):
    body = body if isinstance(body, bytes) else body.encode()
    http = f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\n\r\n".encode() + body
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\n"
        "WARC-Date: 2026-03-04T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:1>\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
    )
    return head.encode() + http + b"\r\n\r\n"


def archive(path, *records):
    packed = io.BytesIO()
    for one in records:
        packed.write(gzip.compress(one) if path.suffix == ".gz" else one)
    path.write_bytes(packed.getvalue())
    return str(path)


@pytest.mark.parametrize("name", ["news.warc", "news.warc.gz"])
def test_the_pages_of_an_archive(tmp_path, name):
    path = archive(
        tmp_path / name,
        record("https://wire.example/1", page("Alder", *LONG, head=HEAD)),
        record("https://wire.example/robots.txt", "User-agent: *", content_type="text/plain"),
        record("https://wire.example/gone", page("Gone", *LONG), status="404 Not Found"),
        record("https://wire.example/req", page("Request", *LONG), kind="request"),
        record("https://wire.example/2?utm_source=x", page("No date", *LONG)),
        record("https://wire.example/3", page("Empty")[:60]),
    )
    source = open_source(path)
    one, two, three = source
    assert one.article.text == "\n".join(LONG)
    assert (one.article.id, one.article.title) == ("wire.example/1", "Alder")
    assert one.article.published == datetime(2026, 3, 3, 6, 35, tzinfo=UTC)
    assert two.article.id == "wire.example/2"
    assert two.article.published == datetime(2026, 3, 4, tzinfo=UTC)  # when it was crawled
    assert three.problem.startswith("no article on the page")
    assert source.complete
    assert source.position == source.size


def test_a_page_that_is_too_large_is_reported(tmp_path):
    path = archive(tmp_path / "a.warc.gz", record("https://wire.example/1", page("A", "x" * 9_000)))
    (item,) = WarcSource(path, SourceOptions(FeedSettings(max_page_bytes=5_000)))
    assert "more than 5,000 bytes" in item.problem


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz"])
@pytest.mark.parametrize("cut", [400, 40])
def test_a_damaged_archive_gives_what_it_has_and_says_so(tmp_path, name, cut):
    path = tmp_path / name
    archive(path, *(record(f"https://w.example/{n}", page(f"T {n}", *LONG)) for n in range(3)))
    path.write_bytes(path.read_bytes()[:-cut])
    items = list(open_source(str(path)))
    assert [item.article.title for item in items[:2]] == ["T 0", "T 1"]
    assert "damaged" in items[-1].problem


def test_what_is_no_archive_is_said_so(tmp_path):
    path = tmp_path / "a.warc.gz"
    path.write_bytes(b"hello, this is no archive")
    with pytest.raises(SourceError, match="is not a WARC file"):
        open_source(str(path))
    path.write_bytes(b"\x1f\x8b" + b"x" * 100)
    (item,) = open_source(str(path))
    assert "damaged file" in item.problem


GOOD = b"".join(record(f"https://w.example/{n}", page(f"T {n}", LONG[n])) for n in range(3))


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(GOOD)), st.binary(max_size=6)), max_size=8))
def test_damage_anywhere_is_reported_and_never_fatal(tmp_path_factory, damage):
    body = bytearray(GOOD)
    for at, piece in damage:
        body[at : at + len(piece)] = piece
    path = tmp_path_factory.mktemp("warc") / "a.warc"
    path.write_bytes(b"WARC/" + body[5:])
    assert all(item.article or item.problem for item in open_source(str(path)))


def test_a_missing_archive_is_one_line(tmp_path):
    with pytest.raises(SourceError, match="cannot be read"):
        open_source(str(tmp_path / "no.warc.gz"))
