"""``scstory feeds`` and ``scstory run --follow``, as a user meets them."""

import json
import signal
import time

import pytest

from tests.cli.conftest import FAST, lines
from tests.web import Answer, item, page, paragraphs, rss


def full(number, **more):
    return item(number, text="\n".join(paragraphs(number)), **more)


@pytest.fixture(autouse=True)
def local(monkeypatch):
    monkeypatch.setenv("SCSTORY_FEEDS__ALLOW_PRIVATE", "true")
    monkeypatch.setenv("SCSTORY_FEEDS__HOST_INTERVAL", "0")
    monkeypatch.setenv("SCSTORY_FEEDS__TIMEOUT", "5")


def followed(scstory):
    return lines(scstory("feeds", "list", "--json"))


def test_feeds_are_added_listed_and_removed(scstory, site):
    site.pages["/feed"] = rss(full(1), full(2))
    url = f"{site.url}/feed"
    outcome = scstory("feeds", "add", url)
    assert (outcome.code, outcome.out) == (0, f"added {url} (The Wire, 2 items)\n")
    assert scstory("feeds", "add", url).out.startswith("already followed: ")
    (feed,) = followed(scstory)
    assert (feed["url"], feed["title"], feed["errors"]) == (url, "The Wire", 0)
    shown = scstory("feeds", "list").out
    assert f"The Wire  {url}" in shown
    assert "not polled yet" in shown
    assert scstory("feeds", "remove", url).out == f"removed {url}\n"
    assert followed(scstory) == []
    scstory("feeds", "add", url)
    assert scstory("feeds", "remove", url.replace("http:", "HTTP:") + "#top").code == 0
    outcome = scstory("feeds", "remove", url)
    assert outcome.code == 2
    assert "not followed" in outcome.err


def test_of_a_page_the_feed_it_names_is_added(scstory, site):
    site.pages["/"] = page(
        "Front", head='<link rel="alternate" type="application/rss+xml" href="/feed">'
    )
    site.pages["/feed"] = rss(full(1))
    assert scstory("feeds", "add", f"{site.url}/").out.startswith(f"added {site.url}/feed")
    assert followed(scstory)[0]["url"] == f"{site.url}/feed"


def test_what_cannot_be_followed_is_not_added_and_the_rest_is(scstory, site):
    site.pages["/good"] = rss(full(1))
    site.pages["/page"] = page("Front", *paragraphs(1))
    outcome = scstory("feeds", "add", *(f"{site.url}/{name}" for name in ("none", "page", "good")))
    assert outcome.code == 1
    assert "/none: answered 404 Not Found; not added (--unchecked" in outcome.err
    assert "/page: is a page, not a feed, and links to none" in outcome.err
    assert [feed["url"] for feed in followed(scstory)] == [f"{site.url}/good"]
    assert scstory("feeds", "add", "--unchecked", f"{site.url}/none").code == 0
    assert len(followed(scstory)) == 2


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("add", "feed.xml"), "not a web address"),
        (("add", "ftp://wire.example/"), "not a web address"),
        (("add", "https://"), "without a host"),
        (("add", "newsapi:river"), "NEWSAPI_KEY"),
        (("remove", "https://wire.example/"), "no such database"),
        (("list",), "no such database, so no feeds; start with: scstory feeds add URL"),
        (("check", "https://u:p@wire.example/"), "user names"),
        (("import", "no.opml"), "cannot be read"),
    ],
)
def test_wrong_usage_is_one_line(scstory, monkeypatch, arguments, reason):
    monkeypatch.delenv("NEWSAPI_KEY", raising=False)
    outcome = scstory("feeds", *arguments)
    assert outcome.code == 2
    assert reason in outcome.err
    assert outcome.err.count("\n") == 1


def test_private_addresses_are_refused_by_default(scstory, site, monkeypatch):
    monkeypatch.delenv("SCSTORY_FEEDS__ALLOW_PRIVATE")
    outcome = scstory("feeds", "add", f"{site.url}/feed")
    assert outcome.code == 1
    assert "127.0.0.1 is not a public address; feeds.allow_private = true" in outcome.err
    assert site.requests == []


def test_check_says_what_feeds_would_yield_and_keeps_nothing(scstory, site):
    site.pages["/a"] = rss(item(1, link=f"{site.url}/1"), title="Wire[31m")
    site.pages["/1"] = page("One", *paragraphs(1))
    for name in ("a", "gone"):
        scstory("feeds", "add", "--unchecked", f"{site.url}/{name}")
    outcome = scstory("feeds", "check")
    assert outcome.code == 1
    good, bad = outcome.out.splitlines()
    assert good.startswith(f"ok {site.url}/a (Wire[31m, 1 item, the first has 1,4")
    assert "characters from its page, dated 2026-03-03 06:35)" in good
    assert bad == f"FAILS {site.url}/gone: answered 404 Not Found"
    assert scstory("feeds", "check", f"{site.url}/a").code == 0
    assert followed(scstory)[0]["fetched"] is None


def test_lists_go_in_and_out(scstory, tmp_path):
    (tmp_path / "mine.opml").write_text(
        '<opml><body><outline type="rss" text="A &amp; B" xmlUrl="https://a.example/"/>'
        '<outline type="rss" xmlUrl="https://b.example/"/>'
        '<outline type="rss" xmlUrl="javascript:x"/></body></opml>'
    )
    outcome = scstory("feeds", "import", "mine.opml")
    assert outcome.out == "2 feeds added\n"
    assert "not a web address (javascript:x)" in outcome.err
    exported = scstory("feeds", "export").out
    (tmp_path / "again.opml").write_text(exported)
    assert scstory("feeds", "import", "again.opml").out == "0 feeds added, 2 already followed\n"
    assert scstory("feeds", "import", "again.opml", "--db", "other.db").out == "2 feeds added\n"


def test_run_reads_a_feed_once(scstory, site):
    site.pages["/feed"] = rss(
        full(1), full(2), item(3, text="", link="ftp://x/").replace("Headline 3", "")
    )
    outcome = scstory("run", f"{site.url}/feed", "--json", *FAST)
    assert outcome.code == 0
    assert [line["article"][-2:] for line in lines(outcome)] == ["n1", "n2"]
    assert f"{site.url}/feed item 3: neither title nor text" in outcome.err


def test_run_says_when_a_feed_cannot_be_had(scstory, site):
    outcome = scstory("run", f"{site.url}/none", *FAST)
    assert outcome.code == 1
    assert "/none: answered 404 Not Found" in outcome.err


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [((), "no SOURCE"), (("--follow",), "nothing to follow; name a feed, or: scstory feeds add")],
)
def test_run_needs_something(scstory, arguments, reason):
    outcome = scstory("run", *arguments, *FAST)
    assert outcome.code == 2
    assert reason in outcome.err


# -- following -----------------------------------------------------------------------------------


def read(process, number):
    return [json.loads(process.stdout.readline()) for _ in range(number)]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_follow_decides_as_articles_come_and_ends_cleanly(start, site, scstory, number):
    site.pages["/feed"] = rss(full(1))
    process = start("run", f"{site.url}/feed", "--follow", "--json", *FAST)
    (first,) = read(process, 1)
    assert first["article"].endswith("#n1")
    assert first["new"] is True
    site.pages["/feed"] = rss(full(2), full(1))
    (second,) = read(process, 1)
    assert second["article"].endswith("#n2")
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 0
    assert out == ""
    assert "Following feeds; Ctrl-C stops." in err
    assert "+1 article · new story “Headline 1”" in err
    assert "2 articles taken in, " in err
    assert "scstory.db now holds 2 articles" in err
    assert "Traceback" not in err
    assert lines(scstory("stories", "--json", "--all"))


def test_follow_reads_files_first_then_the_databases_feeds(start, site, scstory, articles):
    site.pages["/feed"] = rss(full(1))
    scstory("feeds", "add", f"{site.url}/feed")
    process = start("run", articles, "--follow", "--json", *FAST)
    decided = read(process, 40)
    while not decided[-1]["article"].endswith("#n1"):  # changes of mind come in between
        decided += read(process, 1)
    assert [line["article"] for line in decided[:2]] == ["a001", "a002"]
    assert len({line["article"] for line in decided}) == 41
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 0
    (feed,) = followed(scstory)
    assert feed["fetched"]
    assert feed["error"] is None


def test_a_feed_that_fails_is_told_and_does_not_end_it(start, site):
    site.pages["/bad"] = Answer(b"", 500)
    site.pages["/good"] = rss(full(1))
    process = start("run", f"{site.url}/bad", f"{site.url}/good", "--follow", "--json", *FAST)
    read(process, 1)
    deadline = time.monotonic() + 20
    while site.paths().count("/bad") < 2 and time.monotonic() < deadline:
        time.sleep(0.1)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 0
    assert err.count("/bad: answered 500 Internal Server Error; next look") == 1


def test_killed_and_started_again_nothing_is_lost_or_twice(start, site, scstory):
    site.pages["/feed"] = rss(*(full(number) for number in range(1, 9)))
    for _ in range(2):
        process = start("run", f"{site.url}/feed", "--follow", "--json", *FAST)
        deadline = time.monotonic() + 30
        while "/feed" not in site.paths() and time.monotonic() < deadline:
            time.sleep(0.02)
        process.kill()
        process.communicate()
        site.requests.clear()
    process = start("run", f"{site.url}/feed", "--follow", "--json", *FAST)
    deadline = time.monotonic() + 60
    stories = []
    while sum(story["size"] for story in stories) < 8 and time.monotonic() < deadline:
        time.sleep(0.2)
        stories = lines(scstory("stories", "--json", "--all"))
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    stories = lines(scstory("stories", "--json", "--all"))
    found = [article for story in stories for article in story["articles"]]
    assert len(found) == len(set(found)) == 8
