"""Pages and feeds: what they hold, and what hostile content cannot do to them."""

import html
import json
import re
import sqlite3
import time
import xml.etree.ElementTree as ET
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest
from starlette.testclient import TestClient

from scstory.serve import Service, make_app
from scstory.serve.guard import Guard
from scstory.serve.render import safe_url
from scstory.store import open_store
from scstory.store.store_reader import SharedReader
from tests.serve.conftest import AUTHORISED, record_of, tell, until

PAGES = [
    "/",
    "/stories/1",
    "/articles/flood-3",
    "/archive",
    "/archive?year=2026",
    "/day/2026-03-03",
    "/day/2026-01-01",
    "/search",
    "/search?q=flood",
    "/map",
    "/about",
    "/api",
    "/following",
    "/threads",
    "/sections",
    "/digest/2026-03-05",
    "/digest/2020-01-01",
]
HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)>{{7*7}}'


@pytest.mark.parametrize("path", PAGES)
def test_pages_are_whole(reader, path):
    answer = reader.get(path)
    assert answer.status_code == 200
    assert answer.text.endswith("</html>")
    assert answer.text.count("<h1") == 1
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["x-frame-options"] == "DENY"
    assert not re.search(r"<script(?![^>]* src=)|\son\w+=|\sstyle=|javascript:", answer.text)


def test_the_front_page_shows_the_stories(reader):
    told = reader.get("/api/stories", params={"min_size": 2}).json()["stories"]
    page = reader.get("/").text
    for story in told:
        assert f'data-story="{story["id"]}"' in page
    assert page.index(f"/stories/{told[0]['id']}") < page.index(f"/stories/{told[-1]['id']}")


def test_a_story_page_shows_its_articles_with_shaded_sentences(reader):
    story = reader.get("/api/stories").json()["stories"][0]
    page = reader.get(f"/stories/{story['id']}").text
    assert page.count('class="piece"') == story["size"]
    assert set(re.findall(r'class="w w(\d)"', page)) >= {"0", "7"}


def test_what_is_not_there_is_a_page_too(reader):
    answer = reader.get("/stories/9999", headers={"accept": "text/html"})
    assert answer.status_code == 404
    assert "story 9999: does not exist" in answer.text
    assert answer.text.endswith("</html>")


def test_search_shows_where_the_words_are(reader):
    page = reader.get("/search", params={"q": "evacuated homes"}).text
    assert re.search(r"<mark>(evacuated|homes)</mark>", page, re.IGNORECASE)


def test_a_misspelled_search_is_offered_in_another_spelling(reader):
    page = reader.get("/search", params={"q": "evacuatd homes", "min_size": "2"}).text
    link = re.search(r'Did you mean <a href="([^"]+)">([^<]+)</a>', page)
    assert link[2] == "evacuated homes"
    assert "No article has: evacuatd." in page
    assert "<mark>" in reader.get(link[1].replace("&amp;", "&")).text


def test_a_search_that_cannot_be_answered_keeps_what_was_typed(reader):
    page = reader.get("/search", params={"q": "flood since:soon"}).text
    assert "since:soon: write a date like since:2026-03-03" in page
    assert 'value="flood since:soon"' in page


def test_search_takes_anything(reader):
    for query in (
        {"q": HOSTILE},
        {"min_size": "-1"},
        {"min_size": "9" * 30},
        {"since": "tomorrow"},
        {"until": "9999-12-31"},
        {"cursor": "x"},
        {"sort": "relevance"},
        {"q": "\0"},
    ):
        answer = reader.get("/search", params=query)
        assert answer.status_code == 200
        assert "<script>alert" not in answer.text


def test_hostile_content_stays_text(writer):
    article = tell(80, "flood", day=12)
    record = record_of(
        article,
        title=HOSTILE,
        text=f"{article.text} {HOSTILE}. \x01 control",
        source=f"<b>{HOSTILE}",
        url="javascript:alert(document.cookie)",
    )
    writer.post("/api/articles", json=record, headers=AUTHORISED)
    story = until(lambda: writer.get(f"/api/articles/{article.id}").json().get("story"))
    until(lambda: "onerror=alert(2)" in writer.get("/").text)
    for path in ("/", f"/stories/{story}", f"/articles/{article.id}", "/search?q=alert"):
        page = writer.get(path).text
        assert "<script>alert" not in page
        assert "<img" not in page
        assert "<b>" not in page
        assert 'href="javascript' not in page
        assert "&lt;script&gt;alert" in page
        assert "{{7*7}}" in page
    atom = ET.fromstring(writer.get("/feed.xml").content)
    assert "<script>" not in "".join(atom.itertext())
    feed = writer.get("/feed.json").json()
    assert "<script>" not in "".join(item["content_html"] for item in feed["items"])


@pytest.mark.parametrize(
    ("url", "safe"),
    [
        ("https://example.org/a?b=c", True),
        ("http://example.org", True),
        ("HTTPS://EXAMPLE.ORG", True),
        ("javascript:alert(1)", False),
        ("java\nscript:alert(1)", False),
        (" https://example.org", False),
        ("data:text/html,x", False),
        ("//example.org", False),
        ("/local", False),
        ("http://", False),
        ("http://[::1", False),
        ("", False),
        (None, False),
    ],
)
def test_links_of_strangers(url, safe):
    assert safe_url(url) == (url if safe else None)


def test_feeds_tell_the_stories(reader):
    told = reader.get("/api/stories", params={"min_size": 2, "sort": "latest"}).json()["stories"]
    space = {"a": "http://www.w3.org/2005/Atom"}
    atom = ET.fromstring(reader.get("/feed.xml").content)
    titles = [
        entry.findtext("a:title", namespaces=space) for entry in atom.findall("a:entry", space)
    ]
    assert titles == [story["title"] for story in told]
    feed = reader.get("/feed.json")
    assert feed.headers["content-type"] == "application/feed+json"
    items = json.loads(feed.content)["items"]
    assert [item["title"] for item in items] == titles
    assert items[0]["url"] == f"http://127.0.0.1/stories/{told[0]['id']}"


def test_new_since_the_last_visit(writer, monkeypatch):
    assert "since your last visit" not in writer.get("/").text
    article = tell(81, "flood", day=12)
    writer.post("/api/articles", json=record_of(article), headers=AUTHORISED)
    until(lambda: writer.get(f"/api/articles/{article.id}").json().get("story"))
    until(lambda: "1 new" in writer.get("/").text)
    # The same visit goes on showing it; the next one does not.
    assert "since your last visit" in writer.get("/").text
    now = time.time() + 3600
    monkeypatch.setattr("scstory.serve.front.time.time", lambda: now)
    assert "since your last visit" not in writer.get("/").text
    for cookie in ("x", "1.2", "a.b.c", "9" * 40 + ".1.1"):
        writer.cookies.set("visit", cookie)
        assert writer.get("/").status_code == 200


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        ("127.0.0.1:8765", True),
        ("localhost", True),
        ("[::1]:8765", True),
        ("192.168.1.5", True),
        ("news.example.org", True),
        ("NEWS.example.org.:80", True),
        ("evil.example", False),
        ("127.0.0.1.evil.example", False),
        ("", False),
    ],
)
def test_only_known_names_are_answered(host, allowed):
    from scstory.serve.guard import host_name

    guard = Guard(None, hosts=["news.example.org"])
    assert guard.allows(host_name(host)) == allowed


def test_another_name_is_refused(reader):
    answer = reader.get("/", headers={"host": "evil.example"})
    assert answer.status_code == 421
    assert "evil.example" in answer.json()["detail"]


def test_asking_for_the_headers_only(reader):
    whole, head = reader.get("/feed.json"), reader.head("/feed.json")
    assert head.status_code == 200
    assert head.content == b""
    assert head.headers["etag"] == whole.headers["etag"]
    assert reader.head("/stories/9999").status_code == 404


def test_static_files_are_kept_for_good(reader):
    page = reader.get("/").text
    for path in re.findall(r'(?:href|src)="(/static/[^"]+)"', page):
        answer = reader.get(path)
        assert answer.status_code == 200
        assert "immutable" in answer.headers["cache-control"]
    assert reader.get("/static/../service.py").status_code == 404
    assert reader.get("/static/%2e%2e/service.py").status_code == 404


def test_a_fault_is_one_line(reader, monkeypatch, caplog):
    def fail(*arguments, **options):
        raise ZeroDivisionError("of\nthe test")

    monkeypatch.setattr("scstory.store.store_reader.SharedReader.story_page", fail)
    answer = reader.get("/api/stories?limit=7")
    assert answer.status_code == 500
    assert "see the log of the service" in answer.json()["detail"]
    (record,) = caplog.records
    assert "ZeroDivisionError: of the test" in record.getMessage()
    assert "\n" not in record.getMessage()


def test_an_article_shows_what_spoke_for_and_against(reader):
    joined = next(
        article
        for story in reader.get("/api/stories").json()["stories"]
        for article in reader.get(f"/api/stories/{story['id']}/articles").json()["articles"]
        if not article["new"]
    )
    parts = reader.get(f"/api/articles/{joined['id']}/explanation").json()["evidence"]
    page = reader.get(f"/articles/{joined['id']}").text
    assert len(parts) > 1
    for value in parts.values():
        assert f"{value:+.2f}" in page
    assert "names in common" in page


def test_a_front_page_without_news_says_so_and_shows_the_last_stories(db):
    with sqlite3.connect(db) as connection:
        (newest,) = connection.execute("SELECT max(published) FROM articles").fetchone()
        connection.execute("UPDATE events SET time = ?", (newest,))
    later = datetime.fromisoformat(newest) + timedelta(days=9)
    app = make_app(Service(SharedReader(db, clock=lambda: later)))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        page = client.get("/").text
        assert "No current story" in page
        assert 'data-story="1"' in page
        assert client.get("/api/stories").json()["stories"] == []
        assert client.get("/api/map").json()["points"] == []
        assert "scstory_active 0.0" in client.get("/metrics").text
        assert not any(s["active"] for s in client.get("/api/stories?state=all").json()["stories"])


def test_one_story_does_not_drown_the_others_in_what_is_just_in(writer):
    flood = [record_of(tell(200 + i, "flood", day=12)) for i in range(8)]
    writer.post("/api/articles", json=flood, headers=AUTHORISED)
    until(lambda: "scstory_waiting 0.0" in writer.get("/metrics").text)
    page = writer.get("/", headers={"cache-control": "no-cache"}).text
    latest = re.findall(r'data-article="(\w+)-\d+"', page)
    assert latest[:3] == ["flood"] * 3
    assert latest.count("flood") == 3
    assert "trial" in latest


def test_text_that_would_turn_itself_around_is_shown_straight(writer):
    strike = record_of(tell(300, "strike", day=12), title="Strike \u202eekirts\u2066 goes on")
    writer.post("/api/articles", json=strike, headers=AUTHORISED)
    until(lambda: "Strike ekirts goes on" in writer.get("/").text)


def test_an_archive_says_that_it_is_one(reader):
    page = reader.get("/").text
    assert "This is an archive, not a live stream" in page
    assert 'data-stream="past"' in page
    assert "Just in" not in page


def test_a_live_stream_does_not_say_that_it_is_an_archive(db):
    with sqlite3.connect(db) as connection:
        (newest,) = connection.execute("SELECT max(published) FROM articles").fetchone()
        connection.execute("UPDATE events SET time = ?", (newest,))
    soon = datetime.fromisoformat(newest) + timedelta(hours=1)
    app = make_app(Service(SharedReader(db, clock=lambda: soon)))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        page = client.get("/").text
    assert "This is an archive" not in page
    assert 'data-stream="live"' in page
    assert "Just in" in page


def test_what_is_just_in_is_ordered_by_time(writer):
    late = [record_of(tell(500, "flood", day=3)), record_of(tell(501, "trial", day=11))]
    writer.post("/api/articles", json=late, headers=AUTHORISED)
    until(lambda: "scstory_waiting 0.0" in writer.get("/metrics").text)
    page = writer.get("/", headers={"cache-control": "no-cache"}).text
    latest = page[page.index('id="just-in"') :]
    times = re.findall(r'<time datetime="([^"]+)"', latest[: latest.index("</ol>")])
    assert len(times) >= 4
    assert times == sorted(times, reverse=True)


def test_an_empty_database_says_what_to_do_with_its_own_name(tmp_path):
    path = str(tmp_path / "my news.db")
    open_store(path).close()
    app = make_app(Service(SharedReader(path), program="/opt/bin/scstory"))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        page = html.unescape(re.sub(r"</?span[^>]*>", "", client.get("/").text))
        assert f"| /opt/bin/scstory run - --db '{path}'</code>" in page
        assert f"feeds add https://www.theguardian.com/world/rss --db '{path}'</code>" in page
        for other in ("/archive", "/map", "/search"):
            assert client.get(other).status_code == 200


def test_a_compacted_article_says_so(db, reader):
    with closing(open_store(db)) as store:
        assert store.compact(datetime(2026, 3, 4, tzinfo=UTC))
    for path in ("/articles/comet-1", "/stories/3"):
        assert "scstory compact" in reader.get(path).text
    assert "scstory compact" not in reader.get("/articles/flood-23").text


def test_separators_are_not_text(reader):
    # The style sheet draws them, and leaves them out where a line begins or ends.
    for path in ("/", "/stories/1", "/day/2026-03-03", "/map", "/articles/flood-3"):
        page = reader.get(path).text
        assert " · " not in page[page.index("<body") :], path
