"""Feeds, lists of feeds, answers, pages and archives, as strangers send them."""

import gzip
import json
from datetime import UTC, datetime

from hypothesis import strategies as st

from scstory.errors import BadItem, SourceError
from scstory.feeds.entries import Entry, make_article
from scstory.feeds.feed_parser import read_feed
from scstory.feeds.fetch import retry_after
from scstory.feeds.newsapi import read_answer
from scstory.feeds.opml import Outline, load_opml, read_opml, write_opml
from scstory.feeds.page import read_page
from scstory.feeds.plain_text import clean, decode, one_line, strip_markup
from scstory.feeds.registry import open_source
from tests.feeds.test_warc import record
from tests.fuzz.inputs import (
    anything,
    check_article,
    check_items,
    damaged,
    file_of,
    fuzz,
    json_values,
    only,
)
from tests.web import LONG, item, page, rss

NOW = datetime(2026, 3, 4, tzinfo=UTC)
URL = "https://wire.example/feed"
RSS = rss(item(1), item(2)).encode()
ATOM = b"""<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en-GB">
<title type="html">Wire &amp;amp; Co</title>
<entry><id>tag:wire.example,2026:1</id><title>Alder</title><updated>2026-03-03T06:35:00Z</updated>
<link href="/1"/><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">
<p>It rose.</p></div></content><source><title>Other</title></source></entry></feed>"""
JSON_FEED = json.dumps(
    {
        "version": "https://jsonfeed.org/version/1.1",
        "title": "Wire",
        "items": [
            {"id": 1, "url": "/1", "title": "Alder", "content_html": "<p>It rose.</p>"},
            {"id": "2", "content_text": "Again.", "date_published": "2026-03-03T06:35:00Z"},
        ],
    }
).encode()
ANSWER = json.dumps(
    {
        "status": "ok",
        "totalResults": 1,
        "articles": [
            {
                "source": {"id": None, "name": "Wire"},
                "title": "Alder",
                "description": "It rose.",
                "url": "https://wire.example/1",
                "publishedAt": "2026-03-03T06:35:00Z",
                "content": "It rose. Again… [+12 chars]",
            }
        ],
    }
).encode()
OPML = write_opml([Outline(URL, "Wire"), Outline("https://b.example/", "B & C")]).encode()
HEAD = (
    '<meta property="article:published_time" content="2026-03-03T06:35:00Z">'
    '<script type="application/ld+json">{"@type": "NewsArticle", "headline": "Alder", '
    '"publisher": {"name": "Wire"}, "datePublished": "2026-03-03"}</script>'
    '<link rel="canonical" href="/1"><link rel="alternate" type="application/rss+xml" href="/f">'
)
PAGE = page("Alder", *LONG, head=HEAD)
PAGE = PAGE if isinstance(PAGE, bytes) else PAGE.encode()
WARC = record("https://wire.example/1", PAGE) + record("https://wire.example/2", PAGE)


def articles_of(listing):
    check_items(listing.problems)
    for entry in listing.entries:
        assert entry.id
        assert len(entry.id) <= 500
        assert entry.title == one_line(entry.title)
        assert entry.text == clean(entry.text)
        assert entry.published is None or entry.published.utcoffset().total_seconds() == 0
        with only(BadItem):
            check_article(make_article(entry, None, NOW))


@fuzz(damaged(RSS, ATOM, JSON_FEED, PAGE), st.none() | anything)
def test_any_feed(body, charset):
    with only(BadItem):
        articles_of(read_feed(body, URL, charset=charset))


@fuzz(
    json_values,
    st.lists(
        st.dictionaries(
            st.sampled_from(
                [
                    "id",
                    "url",
                    "external_url",
                    "title",
                    "content_text",
                    "content_html",
                    "summary",
                    "date_published",
                    "date_modified",
                    "language",
                ]
            ),
            json_values,
        ),
        max_size=3,
    ),
)
def test_any_json_feed(title, items):
    feed = {"version": "https://jsonfeed.org/version/1", "title": title, "items": items}
    articles_of(read_feed(json.dumps(feed).encode("utf-8", "surrogatepass"), URL))


@fuzz(damaged(ANSWER))
def test_any_answer(body):
    with only(BadItem):
        listing, total = read_answer(body, "newsapi:x")
        articles_of(listing)
        assert isinstance(total, int)


@fuzz(damaged(OPML))
def test_any_list_of_feeds(body):
    outlines, problems = read_opml(body, "a.opml")
    check_items(problems)
    assert outlines or problems
    again, none = read_opml(write_opml(outlines).encode(), "again.opml")
    assert [outline.url for outline in again] == [outline.url for outline in outlines]
    assert not none or not outlines
    with file_of("a.opml", body) as path:
        assert load_opml(str(path))[0] == outlines


@fuzz(damaged(PAGE, RSS), st.none() | anything)
def test_any_page(body, charset):
    found = read_page(body, URL, charset=charset)
    for part in (found.title, found.text, found.source or "", found.language or ""):
        assert part == clean(part)
    with only(BadItem):
        check_article(make_article(Entry("here", "id"), found, NOW))


@fuzz(st.sampled_from(["a.warc", "a.warc.gz"]), damaged(WARC, gzip.compress(WARC)))
def test_any_archive(name, body):
    with file_of(name, body) as path, only(SourceError):
        check_items(open_source(str(path)))


@fuzz(damaged(WARC))
def test_an_archive_damaged_before_it_was_packed(body):
    with file_of("a.warc.gz", gzip.compress(body)) as path:
        check_items(open_source(str(path)))


@fuzz(damaged(PAGE, ATOM, "é中".encode("utf-16")), st.none() | anything)
def test_any_bytes_are_text(body, charset):
    text = strip_markup(decode(body, charset))
    assert text == clean(text)
    assert strip_markup(clean(text).replace("<", " ").replace("&", " ")) is not None


@fuzz(anything)
def test_any_header(value):
    wait = retry_after(value)
    assert wait is None or 0 <= wait <= 86_400
