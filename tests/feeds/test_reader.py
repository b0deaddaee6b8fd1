"""From a web address to articles, against a real server."""

from datetime import UTC, datetime, timedelta

import pytest

from scstory.config import FeedSettings
from scstory.errors import SourceError
from scstory.feeds import FileSource, SourceOptions, open_source
from scstory.feeds.warc import WarcSource
from tests.web import LOCAL, LONG, Answer, item, page, redirect, rss, zipped

DATE = '<meta property="article:published_time" content="2026-03-03T05:00:00Z">'


def read(*names, **changes):
    settings = FeedSettings(**{**LOCAL.model_dump(), **changes})
    (name,) = names
    source = open_source(name, SourceOptions(settings))
    return source, list(source)


def articles(*names, **changes):
    return [found.article for found in read(*names, **changes)[1] if found.article]


def test_a_feed_is_filled_up_from_its_pages_in_order_of_time(site):
    site.pages["/feed"] = rss(
        item(2, link=f"{site.url}/2", date="Tue, 03 Mar 2026 09:00:00 GMT"),
        item(1, link=f"{site.url}/1", date="Tue, 03 Mar 2026 08:00:00 GMT"),
    )
    site.pages["/1"] = page("Page one", *LONG, head='<link rel="canonical" href="/one">')
    site.pages["/2"] = zipped(page("Page two", *LONG).encode())
    one, two = articles(f"{site.url}/feed")
    assert (one.title, two.title) == ("Headline 1", "Headline 2")
    assert one.text == two.text == "\n".join(LONG)
    assert one.url == f"{site.url}/one"
    assert (one.source, one.language) == ("The Wire", "en")
    assert one.published == datetime(2026, 3, 3, 8, tzinfo=UTC)


def test_a_feed_with_full_text_needs_no_page(site):
    site.pages["/feed"] = rss(item(1, link=f"{site.url}/1", text="Word. " * 300))
    (one,) = articles(f"{site.url}/feed")
    assert len(one.text) > 1_000
    assert site.paths() == ["/feed"]


def test_pages_are_left_alone_if_so_set(site):
    site.pages["/feed"] = rss(item(1, link=f"{site.url}/1"))
    (one,) = articles(f"{site.url}/feed", full_text=False)
    assert one.text == "A summary."
    assert site.paths() == ["/feed"]


@pytest.mark.parametrize(
    "broken",
    [
        Answer(b"", 404),
        Answer(b"", 500),
        redirect("/loop"),
        Answer(b"%PDF-1.7", headers={"Content-Type": "application/pdf"}),
        b"",
        b"\x00\xff" * 100,
        b"x" * 4_000_000,
    ],
    ids=["missing", "failing", "loop", "pdf", "empty", "rubbish", "huge"],
)
def test_where_there_is_no_page_the_summary_is_the_text(site, broken):
    site.pages["/feed"] = rss(item(1, link=f"{site.url}/loop"))
    site.pages["/loop"] = broken
    (one,) = articles(f"{site.url}/feed")
    assert one.text == "A summary."


def test_a_consent_form_is_no_article(site):
    """Else all articles behind it would be one: the same address, the same text."""
    titles = ("River Alder tops its banks", "Court clears former minister")
    site.pages["/feed"] = rss(
        *(item(n, title=title, link=f"{site.url}/{n}") for n, title in enumerate(titles))
    )
    for number in range(2):
        site.pages[f"/{number}"] = redirect("/consent")
    site.pages["/consent"] = page("Before you continue", *["We and our partners use cookies."] * 9)
    one, two = articles(f"{site.url}/feed")
    assert [one.text, two.text] == ["A summary."] * 2
    assert [one.url, two.url] == [f"{site.url}/0", f"{site.url}/1"]


def test_an_item_without_any_text_is_its_headline(site):
    site.pages["/feed"] = rss(item(1, link=f"{site.url}/no", text=""), item(2))
    source, found = read(f"{site.url}/feed", full_text_from=5)
    assert [bool(one.article.text) for one in found] == [False, True]
    assert found[0].article.title == "Headline 1"
    assert source.complete


def test_an_item_without_text_and_title_is_a_problem_that_says_why(site):
    empty = item(1, link=f"{site.url}/no", text="").replace("Headline 1", "")
    site.pages["/feed"] = rss(empty, item(2))
    source, found = read(f"{site.url}/feed", full_text_from=5)
    (problem,) = [one.problem for one in found if one.problem]
    assert problem == "neither title nor text (answered 404 Not Found)"
    assert source.complete


def test_a_text_that_all_items_of_a_site_have_is_no_text(site):
    same = [item(n, text="Read all about it on our site.") for n in range(5)]
    site.pages["/feed"] = rss(*same)
    _, found = read(f"{site.url}/feed", full_text=False)
    assert [bool(one.article.text) for one in found] == [True, True, False, False, False]


def test_a_list_of_feeds_is_no_article(site):
    site.pages["/feed"] = b"<?xml version='1.0'?><!-- x --><opml version='2.0'><body/></opml>"
    source, (found,) = read(f"{site.url}/feed")
    assert found.problem.startswith("is a list of feeds (OPML), not a feed; save it as")
    assert not source.complete


PAGES = {
    "no": ("<html><body>No</body></html>", "no article on the page (1 word of text)"),
    "nothing": ("nothing", "is neither RSS nor Atom nor JSON Feed"),
    "error": (page("404 - Page not found", "The page is gone."), "an error page"),
    "cookies": (
        page(
            "The Wire",
            "We and our partners use cookies to offer you a better service.",
            "Manage your consent or accept all cookies to read on.",
        ),
        "a notice about cookies, a login or the like",
    ),
    "robots": (page("Just a moment...", "Checking your browser before you go on."), "an error"),
    "short": (page("The Wire", "More news soon."), "no article on the page (7 words of text)"),
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_without_an_article_is_refused_although_it_answers(site, name):
    site.pages["/page"], reason = PAGES[name]
    source, (found,) = read(f"{site.url}/page")
    assert found.article is None
    assert reason in found.problem
    assert not source.complete


def test_a_feed_that_breaks_off_gives_what_it_has_and_says_so(site):
    whole = rss(*(item(n) for n in range(4)))
    site.pages["/feed"] = whole[: whole.rindex("Headline 3") + 5]
    _, found = read(f"{site.url}/feed", full_text=False)
    assert [one.article.title for one in found if one.article] == [
        f"Headline {n}" for n in range(3)
    ]
    (problem,) = [one.problem for one in found if one.problem]
    assert problem == "breaks off before its end, after 3 items"


def test_the_date_is_the_feeds_else_the_pages_else_now(site):
    site.pages["/feed"] = rss(
        item(1, link=f"{site.url}/dated", date=None),
        item(2, link=f"{site.url}/undated", date=None),
        item(3, link=f"{site.url}/dated"),
    )
    site.pages["/dated"] = page("A", *LONG, head=DATE)
    site.pages["/undated"] = page("B", *LONG)
    dates = {one.id[-2:]: one.published for one in articles(f"{site.url}/feed")}
    assert dates["n1"] == datetime(2026, 3, 3, 5, tzinfo=UTC)
    assert datetime.now(UTC) - dates["n2"] < timedelta(minutes=5)
    assert dates["n3"] == datetime(2026, 3, 3, 6, 35, tzinfo=UTC)


def test_nothing_is_published_later_than_it_is_read(site):
    ahead = datetime.now(UTC) + timedelta(hours=20)
    site.pages["/feed"] = rss(item(1, date=ahead.strftime("%a, %d %b %Y %H:%M:%S GMT")))
    (one,) = articles(f"{site.url}/feed", full_text=False)
    assert one.published <= datetime.now(UTC)


def test_a_page_is_the_article_on_it(site):
    site.pages["/news"] = page("Alder tops its banks", *LONG, head=DATE)
    (one,) = articles(f"{site.url}/news")
    assert (one.title, one.url) == ("Alder tops its banks", f"{site.url}/news")
    assert one.id == f"127.0.0.1:{site.port}/news"
    assert one.published == datetime(2026, 3, 3, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Answer(b"", 404), "answered 404 Not Found"),
        (b"just words", "is neither RSS nor Atom nor JSON Feed"),
        (b"", "is empty, not a feed"),
        (Answer(b"x", headers={"Content-Encoding": "br"}), "which was not accepted"),
        (b" " * 11_000_000, "more than 10,000,000 bytes"),
        (redirect("file:///etc/passwd"), "file: only http and https are fetched"),
    ],
    ids=["missing", "words", "empty", "packing", "huge", "file"],
)
def test_a_feed_that_cannot_be_had_is_a_problem_not_an_end(site, answer, reason):
    site.pages["/feed"] = answer
    source, (problem,) = read(f"{site.url}/feed")
    assert problem.place == f"{site.url}/feed"
    assert reason in problem.problem
    assert not source.complete


def test_a_hostile_title_and_length_are_reported(site):
    site.pages["/feed"] = rss(item(1, title="x" * 5_000), item(2, text="y" * 2_000_000), item(3))
    _, found = read(f"{site.url}/feed", full_text=False)
    assert [one.article.title for one in found if one.article] == ["Headline 3"]
    assert sorted(one.problem for one in found if one.problem) == [
        "2,000,010 characters; the limit is 1,000,000 (max_characters)",
        "title has 5,000 characters; the limit is 2,000",
    ]


def test_a_list_of_feeds_is_read_side_by_side(site, tmp_path):
    site.pages["/a"] = rss(item(1, link="https://w.example/a"), title="A")
    site.pages["/b"] = rss(item(2, link="https://w.example/b"), title="B")
    outlines = "".join(f'<outline type="rss" xmlUrl="{site.url}/{name}"/>' for name in "abc")
    (tmp_path / "mine.opml").write_text(f"<opml><body>{outlines}</body></opml>")
    source, found = read(str(tmp_path / "mine.opml"), full_text=False)
    assert [one.article.source for one in found if one.article] == ["A", "B"]
    assert [one.problem for one in found if one.problem] == ["answered 404 Not Found"]
    assert not source.complete


def test_what_a_name_stands_for(tmp_path):
    (tmp_path / "a.jsonl").write_text("")
    (tmp_path / "a.warc").write_bytes(b"WARC/1.0\r\n")
    assert isinstance(open_source(str(tmp_path / "a.jsonl")), FileSource)
    assert isinstance(open_source(str(tmp_path / "a.warc")), WarcSource)
    assert open_source("https://wire.example/feed").name == "https://wire.example/feed"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("ftp://wire.example/feed", "only http and https are fetched"),
        ("https://", "without a host"),
        ("http://user:pw@wire.example/", "user names and passwords"),
        ("no.opml", "cannot be read"),
    ],
)
def test_what_cannot_be_a_source_is_said_at_once(name, reason):
    with pytest.raises(SourceError, match=reason):
        open_source(name)


def test_leaving_early_stops_the_reading(site):
    site.pages["/feed"] = rss(
        *(item(n, link=f"{site.url}/{n}", text="").replace(f"Headline {n}", "") for n in range(50))
    )
    for found in open_source(f"{site.url}/feed", SourceOptions(LOCAL)):
        assert found.problem
        break
    assert len(site.requests) < 40
