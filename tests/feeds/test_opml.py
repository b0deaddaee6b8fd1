"""Lists of subscriptions, in and out."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scstory.errors import SourceError
from scstory.feeds.opml import Outline, load_opml, read_opml, write_opml

LIST = b"""<?xml version="1.0" encoding="utf-8"?><opml version="2.0"><head>
<title>Mine</title></head><body><outline text="News"><outline type="rss" text="The Wire" xmlUrl="https://wire.example/feed"/>
<outline type="rss" title="Draht &amp; Co" text="x" xmlUrl="https://draht.example/rss?a=1&amp;b=2"/>
</outline><outline type="rss" text="Again" xmlUrl="https://wire.example/feed"/>
<outline type="rss" text="Bad" xmlUrl="file:///etc/passwd"/></body></opml>"""


def test_feeds_in_folders_each_once_and_bad_ones_reported():
    outlines, problems = read_opml(LIST, "mine.opml")
    assert [outline.url for outline in outlines] == [
        "https://wire.example/feed",
        "https://draht.example/rss?a=1&b=2",
    ]
    assert outlines[0].title == "The Wire"
    assert [problem.problem for problem in problems] == ["not a web address (file:///etc/passwd)"]


def test_folders_are_sections_and_come_back():
    nested = b"""<opml version="2.0"><body><outline text="World"><outline text="Asia / Pacific">
    <outline xmlUrl="https://a.example/"/></outline><outline xmlUrl="https://b.example/"/></outline>
    <outline xmlUrl="https://c.example/"/></body></opml>"""
    outlines, _ = read_opml(nested, "x")
    assert {one.url: one.section for one in outlines} == {
        "https://a.example/": "World / Asia ∕ Pacific",
        "https://b.example/": "World",
        "https://c.example/": "",
    }
    again, _ = read_opml(write_opml(outlines).encode(), "x")
    assert {one.url: one.section for one in again} == {one.url: one.section for one in outlines}


def test_what_is_written_can_be_read():
    given = [
        Outline("https://a.example/?x=1&y=2", 'A "quoted" <title> & \x07more'),
        Outline("https://b.example/"),
    ]
    outlines, problems = read_opml(write_opml(given).encode(), "x")
    assert [outline.url for outline in outlines] == [outline.url for outline in given]
    assert outlines[0].title == 'A "quoted" <title> & more'
    assert problems == []


@pytest.mark.parametrize(
    "body", [b"", b"hello", b"<opml/>", b"\x00\xff\xfe", b"https://x.example/"]
)
def test_what_is_no_list_is_said_so(body):
    outlines, problems = read_opml(body, "x.opml")
    assert outlines == []
    assert len(problems) == 1


def test_entity_bombs_and_files_are_not_expanded(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("https://treasure.example/")
    head = f'<!DOCTYPE opml [<!ENTITY x SYSTEM "{secret.as_uri()}"><!ENTITY a "{"x" * 1000}">'
    head += '<!ENTITY b "' + "&a;" * 1000 + '"><!ENTITY c "' + "&b;" * 1000 + '">]>'
    body = head + '<opml><body><outline type="rss" xmlUrl="&x;" text="&c;"/></body></opml>'
    outlines, _ = read_opml(body.encode(), "x")
    assert "treasure" not in str(outlines)
    assert len(str(outlines)) < 10_000


def test_a_file_that_cannot_be_read_is_one_line(tmp_path):
    with pytest.raises(SourceError, match="no.opml: cannot be read"):
        load_opml(str(tmp_path / "no.opml"))
    with pytest.raises(SourceError, match="cannot be read"):
        load_opml(str(tmp_path))


def test_ten_thousand_feeds_are_enough():
    many = "".join(f'<outline type="rss" xmlUrl="https://x.example/{n}"/>' for n in range(10_050))
    outlines, problems = read_opml(f"<opml><body>{many}</body></opml>".encode(), "x")
    assert len(outlines) == 10_000
    assert "10,050 feeds; the first 10,000 are read" in problems[-1].problem


PIECES = st.sampled_from(
    [
        "<opml>",
        "<body>",
        "<outline ",
        "type='rss' ",
        "xmlUrl='",
        "https://a.example/",
        "'/>",
        "text='",
        "<rdf:RDF>",
        "<foaf:Agent>",
        "<!DOCTYPE x [",
        "<!ENTITY a 'b'>",
        "&a;",
        "&#0;",
        "<head><dateCreated>",
        "x",
    ]
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.one_of(PIECES, st.text(max_size=6)), max_size=30) | st.binary(max_size=200))
def test_whatever_comes_is_feeds_or_problems(given_):
    body = given_ if isinstance(given_, bytes) else "".join(given_).encode("utf-8", "replace")
    outlines, _ = read_opml(body, "x")
    assert all(outline.url.startswith(("http://", "https://")) for outline in outlines)
    write_opml(outlines)
