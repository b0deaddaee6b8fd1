"""RSS, Atom and JSON Feed: what good ones say, and what bad ones cannot do."""

import json
import time
from contextlib import suppress
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scstory.errors import BadItem
from scstory.feeds.entries import Listing
from scstory.feeds.feed_parser import read_feed
from tests.web import item, page, rss

URL = "https://www.wire.example/feed.xml"
WHEN = datetime(2026, 3, 3, 6, 35, tzinfo=UTC)


def read(text, **options):
    return read_feed(text if isinstance(text, bytes) else text.encode(), URL, **options)


def only(text, **options):
    (entry,) = read(text, **options).entries
    return entry


def test_rss():
    entry = only(rss(item(7, text="<p>The river <b>rose</b>.</p><p>Homes &amp; roads.</p>")))
    assert entry.id == "wire.example/feed.xml#n7"
    assert (entry.title, entry.url) == ("Headline 7", "https://wire.example/7")
    assert entry.text == "The river rose.\nHomes & roads."
    assert (entry.published, entry.source, entry.language) == (WHEN, "The Wire", "en")


def test_the_longest_text_of_an_item_is_taken():
    entry = only(
        '<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>'
        "<item><guid>https://wire.example/1</guid><description>Short.</description>"
        "<content:encoded><![CDATA[<p>Much longer than that.</p>]]></content:encoded></item>"
        "</channel></rss>"
    )
    assert entry.text == "Much longer than that."
    assert entry.id == "https://wire.example/1"


def test_atom():
    entry = only(
        '<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de"><title>Der Draht</title>'
        '<entry><id>tag:wire.example,2026:7</id><title type="html">A &lt;i&gt;b&lt;/i&gt;</title>'
        '<link href="/alder"/><updated>2026-03-03T07:35:00+01:00</updated>'
        '<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Text.</p></div>'
        "</content></entry></feed>"
    )
    assert entry.id == "tag:wire.example,2026:7"
    assert (entry.title, entry.text, entry.published) == ("A b", "Text.", WHEN)
    assert (entry.url, entry.source) == ("https://www.wire.example/alder", "Der Draht")


@pytest.mark.parametrize(
    ("markup", "image"),
    [
        ('<media:content url="/a.jpg" medium="image"/>', "https://www.wire.example/a.jpg"),
        ('<media:thumbnail url="https://x.example/t.png"/>', "https://x.example/t.png"),
        (
            '<enclosure url="/e.jpg" type="image/jpeg" length="9"/>',
            "https://www.wire.example/e.jpg",
        ),
        ('<media:content url="/film.mp4" type="video/mp4"/>', None),
        ('<media:content url="javascript:x" medium="image"/>', None),
        ('<enclosure url="/talk.mp3" type="audio/mpeg" length="9"/>', None),
        ("", None),
    ],
)
def test_an_item_may_name_an_image(markup, image):
    feed = (
        '<rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"><channel><title>W</title>'
        f"<item><title>Alder rises</title>{markup}</item></channel></rss>"
    )
    assert only(feed).image == image


def test_rdf():
    entry = only(
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
        'xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        "<channel><title>Wire</title></channel><item><title>T</title>"
        "<link>https://wire.example/t</link><dc:date>2026-03-03T06:35:00Z</dc:date></item>"
        "</rdf:RDF>"
    )
    assert (entry.id, entry.published) == ("wire.example/t", WHEN)


def json_feed(*items, **more):
    return json.dumps(
        {
            "version": "https://jsonfeed.org/version/1.1",
            "title": "Wire",
            "language": "en-US",
            "items": list(items),
            **more,
        }
    )


def test_json_feed():
    entry = only(
        json_feed(
            {
                "id": 7,
                "url": "https://wire.example/7?utm_source=feed",
                "title": "Alder & bank",
                "content_html": "<p>The river <b>rose</b>.</p>",
                "date_published": "2026-03-03T07:35:00+01:00",
            }
        )
    )
    assert entry.id == "wire.example/feed.xml#7"
    assert (entry.title, entry.text) == ("Alder & bank", "The river rose.")
    assert (entry.published, entry.source, entry.language) == (WHEN, "Wire", "en")


@pytest.mark.parametrize("bad", [7, None, "x", [], {"id": [1], "content_text": 5, "url": {}}])
def test_odd_items_of_a_json_feed_do_not_harm_the_others(bad):
    listing = read(json_feed(bad, {"id": "1", "content_text": "Text."}))
    assert [entry.text for entry in listing.entries][-1] == "Text."
    assert len(listing.entries) + len(listing.problems) == 2


def test_an_item_that_is_there_twice_counts_once():
    assert len(read(rss(item(1), item(1), item(2))).entries) == 2


# -- dates ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "date", [None, "yesterday", "Thu, 01 Jan 1970 00:00:00 GMT", "0000-00-00T00:00:00Z", "9" * 50]
)
def test_a_date_that_cannot_be_is_none(date):
    assert only(rss(item(1, date=date))).published is None


# -- charsets ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("encoding", "declared", "charset"),
    [
        ("utf-8", "utf-8", None),
        ("iso-8859-1", "iso-8859-1", None),
        ("cp1252", "iso-8859-1", None),  # as half the web does it
        ("iso-8859-1", "utf-8", None),  # declared wrongly
        ("utf-8", "iso-8859-1", "utf-8"),  # the server knows better
        ("iso-8859-1", "iso-8859-1", "utf-8"),  # the server is wrong
        ("utf-16", "utf-16", None),
        ("utf-8-sig", "utf-8", None),
        ("shift_jis", "shift_jis", None),
        ("utf-8", "no-such-charset", "nor-this"),
        ("utf-8", "punycode", "hex"),
    ],
)
def test_charsets_wrong_or_right(encoding, declared, charset):
    word = "川" if encoding == "shift_jis" else "Überfluß"
    text = rss(item(1, title=word)).replace('encoding="utf-8"', f'encoding="{declared}"')
    assert only(text.encode(encoding), charset=charset).title == word


# -- hostile -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "link",
    ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "mailto:a@b", "vbscript:x"],
)
def test_links_out_of_the_web_are_dropped(link):
    assert only(rss(item(1, link=link))).url is None


def test_scripts_and_markup_do_not_come_through():
    entry = only(
        rss(
            item(
                1,
                title="&lt;script&gt;alert(1)&lt;/script&gt;Alder &lt;img src=x onerror=y&gt;rises",
                text="<p onclick='x()'>Text<script>evil()</script><style>p{}</style>.</p>"
                "<iframe src='https://evil.example'>frame</iframe>",
            )
        )
    )
    assert entry.title == "Alder rises"
    assert entry.text == "Text."


def test_control_characters_do_not_come_through():
    feed = json_feed({"id": "1", "title": "a\u0000b\u001b[31m", "content_text": "x\u0007y\u009b"})
    entry = only(feed)
    assert (entry.title, entry.text) == ("ab[31m", "xy")


def test_a_billion_laughs_stay_few():
    names = "abcdefghijk"
    entities = "<!ENTITY a 'lol'>" + "".join(
        f'<!ENTITY {name} "{f"&{below};" * 10}">' for below, name in pairwise(names)
    )
    listing = read(rss(item(1, title="&k;"), head=f"<!DOCTYPE rss [{entities}]>"))
    assert all(len(entry.title) < 1_000 for entry in listing.entries)


def test_external_entities_are_not_read(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("hidden treasure")
    head = f'<!DOCTYPE rss [<!ENTITY x SYSTEM "{secret.as_uri()}">]>'
    for entry in read(rss(item(1, title="see &x;"), head=head)).entries:
        assert "treasure" not in entry.title + entry.text


def test_a_flood_of_entities_is_refused():
    head = "<!DOCTYPE rss [" + '<!ENTITY a "b">' * 501 + "]>"
    with pytest.raises(BadItem, match="declares 501 entities; the limit is 500"):
        read(rss(item(1), head=head))


def test_of_ten_thousand_items_the_first_are_read_and_the_rest_reported():
    listing = read(rss(*(item(number) for number in range(10_000))), max_items=300)
    assert [entry.title for entry in listing.entries[:2]] == ["Headline 0", "Headline 1"]
    assert len(listing.entries) == 300
    assert "10,000 items; the first 300 are read" in listing.problems[-1].problem


def test_deep_nesting_is_survived():
    listing = read(rss(item(1), "<item>" + "<a>" * 20_000 + "</a>" * 20_000 + "</item>"))
    assert listing.entries[0].title == "Headline 1"


def test_very_long_ids_are_shortened_and_stay_apart():
    long = [
        entry.id
        for entry in read(
            json_feed(*({"id": "x" * 5_000 + end, "content_text": "t"} for end in "ab"))
        ).entries
    ]
    assert all(len(found) <= 500 for found in long)
    assert len(set(long)) == 2


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "is empty"),
        (b"   \n", "is empty"),
        (page("A page", "Text").encode(), "is a page, not a feed"),
        (b"<!-- x --><html><body>hi</body></html>", "is a page, not a feed"),
        (b"just words", "neither RSS nor Atom nor JSON Feed"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "neither RSS nor Atom nor JSON Feed"),
        (b'{"hello": 1}', "is JSON, but not a JSON Feed"),
        (b"{broken", "is broken JSON"),
        (b'{"a":' * 100_000, "is broken JSON"),
        (b'{"version": "https://jsonfeed.org/version/1", "items": 5}', "not a JSON Feed"),
    ],
)
def test_what_is_no_feed_is_said_so(body, reason):
    with pytest.raises(BadItem, match=reason):
        read(body)


def test_a_feed_that_breaks_off_gives_what_it_has():
    whole = rss(item(1), item(2))
    titles = [entry.title for entry in read(whole[: whole.index("Headline 2") + 5]).entries]
    assert titles[0] == "Headline 1"


# -- whatever comes -----------------------------------------------------------------------------


def holds(body):
    started = time.monotonic()
    listing = Listing()
    with suppress(BadItem):
        listing = read_feed(body, URL, max_items=20)
    assert isinstance(listing, Listing)
    for entry in listing.entries:
        assert 0 < len(entry.id) <= 500
        assert "\n" not in entry.title
        entry.text.encode("utf-8")
        assert entry.url is None or entry.url.startswith(("http://", "https://"))
        assert entry.published is None or entry.published.tzinfo is UTC
    assert time.monotonic() - started < 20


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes(body):
    holds(body)


PIECES = st.sampled_from(
    [
        *"<>&;'\"/ ",
        "<?xml version='1.0'?>",
        "<rss version='2.0'>",
        "<channel>",
        "<item>",
        "</item>",
        "<title>",
        "</title>",
        "<link>",
        "</link>",
        "<guid>",
        "</guid>",
        "<pubDate>",
        "</pubDate>",
        "<description>",
        "</description>",
        "<![CDATA[",
        "]]>",
        "<!DOCTYPE x [",
        "<!ENTITY a 'b'>",
        "&a;",
        "&#x110000;",
        "&#0;",
        "&#xD800;",
        "<feed xmlns='http://www.w3.org/2005/Atom'>",
        "<entry>",
        "<content type='xhtml'>",
        "<content type='application/octet-stream' mode='base64'>",
        "<updated>2026-13-45T99:99:99Z</updated>",
        "<svg>",
        "<math>",
        "<p style='a:b",
        "http://[",
        "9" * 30,
        "\ud83d".encode("utf-8", "surrogatepass").decode("latin-1"),
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(PIECES, st.text(max_size=5)), max_size=40))
def test_pieces_of_feeds_in_any_order(pieces):
    holds("".join(pieces).encode("utf-8", "replace"))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
NAMES = st.sampled_from(
    [
        "id",
        "url",
        "external_url",
        "title",
        "content_html",
        "content_text",
        "summary",
        "language",
        "date_published",
        "date_modified",
    ]
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.dictionaries(NAMES, VALUES) | VALUES, max_size=4), VALUES, VALUES)
def test_any_json_feed(items, title, language):
    holds(json_feed(*items, title=title, language=language).encode())


def test_a_feed_of_nothing_but_tags_is_refused():
    body = b"<rss version='2.0'><channel><item><title>" + b"<p>" * 3_000_000
    with pytest.raises(BadItem, match=r"has 3,000,004 tags; the limit is 500,000"):
        read_feed(body, "https://wire.example/feed")
