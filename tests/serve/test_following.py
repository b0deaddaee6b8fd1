"""A service that follows feeds: what they say becomes stories, and how they do is on a page."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from starlette.testclient import TestClient

from scstory.config import Settings
from scstory.feeds.schedule import Subscription
from scstory.serve import Service, make_app
from scstory.serve.following import Following
from scstory.serve.keeping import Deciding
from scstory.store import open_store
from scstory.store.browse import Browser
from tests.serve.conftest import make_engine, until
from tests.web import LOCAL, Answer, item, paragraphs, rss

SETTINGS = Settings(feeds=LOCAL)


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "news.db")


def now():
    return datetime.now(UTC).strftime("%a, %d %b %Y %H:%M:%S GMT")


def test_articles_of_feeds_become_stories_and_failing_feeds_are_told(site, path):
    site.pages["/good"] = rss(item(1, text="\n".join(paragraphs(1)), date=now()))
    site.pages["/bad"] = Answer(b"", 500)
    store, inbox = open_store(path), open_store(path)
    for name in ("good", "bad"):
        inbox.subscribe(f"{site.url}/{name}")
    told = []
    deciding = Deciding(make_engine(), store)
    following = Following(inbox, SETTINGS, on_new=deciding.wake, on_problem=told.append)
    service = Service(Browser(path), deciding=deciding, following=following)
    with TestClient(make_app(service), base_url="http://127.0.0.1") as client:
        (story,) = until(lambda: client.get("/api/stories").json()["stories"])
        assert story["title"] == "Headline 1"
        until(lambda: told)
        assert told == [f"{site.url}/bad: answered 500 Internal Server Error"]
        until(lambda: "scstory_failing 1.0" in client.get("/metrics").text)
        metrics = client.get("/metrics").text
        page = client.get("/about").text
    assert "scstory_feeds 2.0" in metrics
    assert "failing (answered 500 Internal Server Error)" in page
    assert "The Wire" in page
    store.close()
    inbox.close()


def test_stopping_does_not_wait_for_feeds_that_never_answer(site, path):
    site.pages["/slow"] = lambda request: (site.closing.wait(20), Answer(b""))[1]
    store = open_store(path)
    store.subscribe(f"{site.url}/slow")
    following = Following(store, SETTINGS)
    following.start()
    until(lambda: site.requests)
    started = datetime.now(UTC)
    following.stop()
    assert datetime.now(UTC) - started < timedelta(seconds=3)
    store.close()


def test_hostile_feeds_do_no_harm_to_the_page_and_secrets_stay_out(path):
    store = open_store(path)
    feeds = [
        Subscription("https://a.example/feed?key=s3cret", "<script>alert(1)</script>"),
        Subscription("https://b.example/feed", error='"><img src=x onerror=alert(1)>', errors=2),
    ]
    for feed in feeds:
        store.subscribe(feed.url)
        store.update_subscription(replace(feed, fetched=datetime.now(UTC)))
    store.close()
    service = Service(Browser(path))
    with TestClient(make_app(service), base_url="http://127.0.0.1") as client:
        page = client.get("/about").text
    assert "s3cret" not in page
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert "&lt;script&gt;alert(1)" in page
