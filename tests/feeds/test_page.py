"""News pages: what they say for people, and what they say for machines."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scstory.feeds.page import Page, read_page
from scstory.feeds.plain_text import decode, strip_markup
from tests.web import LONG, page

URL = "https://www.wire.example/news/alder?utm_source=x"
TIME = "2026-03-03T06:35:00"
WHEN = datetime(2026, 3, 3, 6, 35, tzinfo=UTC)


def read(html, url=URL, **options):
    return read_page(html if isinstance(html, bytes) else html.encode(), url, **options)


def schema(**values):
    data = json.dumps({"@context": "https://schema.org", **values})
    return f'<script type="application/ld+json">{data}</script>'


def dated(date, kind):
    return schema(**{"@type": kind, "datePublished": date})


def test_the_main_text_without_what_is_around_it():
    found = read(page("Alder tops its banks", *LONG))
    assert found.text == "\n".join(LONG)
    assert (found.title, found.language) == ("Alder tops its banks", "en")


@pytest.mark.parametrize(
    "head",
    [
        dated("2026-03-03T07:35:00+01:00", "NewsArticle"),
        dated("2026-03-03T06:35Z", ["Thing", "ReportageNewsArticle"]),
        dated("2026-03-03T06:35:00Z", "http://schema.org/NewsArticle"),
        schema(**{"@graph": [{"@type": "WebSite"}, {"@type": "Report", "datePublished": TIME}]}),
        '<meta property="article:published_time" content="2026-03-03T06:35:00Z">',
        '<meta name="parsely-pub-date" content="2026-03-03T06:35:00Z">',
        '<meta itemprop="datePublished" content="2026-03-03T06:35:00Z">',
        '<script type="application/ld+json">{broken</script>'
        '<meta property="article:published_time" content="2026-03-03T06:35:00Z">',
        dated(["x"], "NewsArticle")
        + '<meta property="article:published_time" content="2026-03-03T06:35:00Z">',
    ],
)
def test_the_date_to_the_minute(head):
    assert read(page("Alder", *LONG, head=head)).published == WHEN


def test_the_schema_gives_headline_and_publisher():
    head = schema(
        **{
            "@type": "NewsArticle",
            "headline": "Alder &amp; its banks",
            "publisher": {"@type": "Organization", "name": "The Wire"},
        }
    )
    found = read(page("Alder | The Wire", *LONG, head=head))
    assert (found.title, found.source) == ("Alder & its banks", "The Wire")


@pytest.mark.parametrize(
    ("link", "url"),
    [
        ("/news/alder", "https://www.wire.example/news/alder"),
        ("https://wire.example/a", "https://wire.example/a"),
        ("https://m.wire.example/a", "https://m.wire.example/a"),
        ("https://other.example/a", URL),  # a page may not speak for another site
        ("https://evilwire.example/a", URL),
        ("javascript:alert(1)", URL),
        ("", URL),
    ],
)
def test_the_canonical_link_counts_within_the_site(link, url):
    assert read(page("A", *LONG, head=f'<link rel="canonical" href="{link}">')).url == url


def test_the_feeds_it_names():
    head = (
        '<link rel="alternate" type="application/rss+xml" href="/feed.xml">'
        '<link rel="ALTERNATE home" type="application/atom+xml" href="https://feeds.example/a">'
        '<link rel="alternate" type="text/html" hreflang="de" href="/de">'
        '<link rel="alternate" type="application/rss+xml" href="file:///etc/passwd">'
        '<link rel="stylesheet" href="/x.css">'
    )
    assert read(page("Front", head=head)).feeds == (
        "https://www.wire.example/feed.xml",
        "https://feeds.example/a",
    )


@pytest.mark.parametrize(
    "body", [b"", b"\0", b"%PDF-1.7 \x80\x81", b"<", b"<html></html>", b"\x1f\x8b\x08" * 50]
)
def test_what_holds_no_article_holds_none(body):
    assert read(body).text == ""


def test_a_compressed_body_is_not_unpacked_behind_our_back():
    import gzip

    assert read(gzip.compress(bytes(50_000_000))).text == ""


def test_hostile_schema_data_is_survived():
    deep = '<script type="application/ld+json">' + '{"a":' * 50_000 + "</script>"
    wide = schema(**{"@graph": [{"@type": "x"}] * 20_000})
    found = read(page("Alder", *LONG, head=deep + wide))
    assert found.text.startswith("Paragraph 1")


def test_deep_and_wide_pages_are_survived():
    assert isinstance(read("<div>" * 50_000 + "x"), Page)
    assert isinstance(read("<p>" + "<br>x" * 20_000), Page)


PIECES = st.sampled_from(
    [
        "<html>",
        "<head>",
        "<body>",
        "<article>",
        "</article>",
        "<p>",
        "</p>",
        "<p>A sentence that is long enough to count as the text of an article, surely.</p>",
        '<script type="application/ld+json">',
        "</script>",
        '{"@type": "NewsArticle", "datePublished": ',
        '"2026-03-03"}',
        "[{}]",
        '<meta property="og:title" content="',
        '<link rel="canonical" href="',
        '<link rel="alternate" type="application/rss+xml" href="',
        "http://[",
        '">',
        "<!--",
        "-->",
        "<![CDATA[",
        "<?xml version='1.0' encoding='punycode'?>",
        "<table><tr><td>",
        "<svg>",
        "&#xD800;",
        "\0",
    ]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.one_of(PIECES, st.text(max_size=8)), max_size=30))
def test_pieces_of_pages_in_any_order(pieces):
    found = read("".join(pieces).encode("utf-8", "replace"))
    assert "\n" not in found.title
    found.text.encode("utf-8")
    assert all(url.startswith(("http://", "https://")) for url in (found.url, *found.feeds))


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=300), st.none() | st.text(max_size=12))
def test_any_bytes_in_any_charset(body, charset):
    assert isinstance(read(body, charset=charset), Page)
    decode(body, charset)
    strip_markup(decode(body, charset))


def test_a_page_of_nothing_but_tags_takes_no_minutes():
    found = read_page(b"<html><body><article>" + b"<p>" * 900_000, "https://wire.example/1")
    assert found.text == ""
