"""Feeds followed and left over the API, against a real server."""

import pytest
from starlette.testclient import TestClient

from scstory.config import FeedSettings
from scstory.serve import make_app
from tests.serve.conftest import AUTHORISED, writing
from tests.web import LOCAL, item, page, redirect, rss


@pytest.fixture
def follower(db):
    with (
        writing(db) as service,
        TestClient(make_app(service), base_url="http://127.0.0.1") as client,
    ):
        service.feeds = LOCAL
        yield client


def add(client, url, **more):
    return client.post("/api/feeds", json={"url": url, **more}, headers=AUTHORISED)


def followed(client):
    return [feed["url"] for feed in client.get("/api/feeds", headers=AUTHORISED).json()["feeds"]]


def test_a_feed_is_followed_listed_and_left(follower, site):
    site.pages["/feed"] = rss(item(1), item(2))
    url = f"{site.url}/feed"
    made = add(follower, url)
    assert made.status_code == 201
    assert made.json() == {"url": url, "title": "The Wire", "added": True, "items": 2}
    again = add(follower, url)
    assert (again.status_code, again.json()["added"]) == (200, False)
    (feed,) = follower.get("/api/feeds", headers=AUTHORISED).json()["feeds"]
    assert (feed["url"], feed["title"], feed["failures"], feed["fetched"]) == (
        url,
        "The Wire",
        0,
        None,
    )
    gone = follower.delete("/api/feeds", params={"url": url}, headers=AUTHORISED)
    assert gone.status_code == 204
    assert followed(follower) == []
    gone = follower.delete("/api/feeds", params={"url": url}, headers=AUTHORISED)
    assert gone.status_code == 404
    assert "not followed" in gone.json()["detail"]


def test_of_a_page_the_feed_it_names_and_of_one_that_moved_where_it_is(follower, site):
    link = '<link rel="alternate" type="application/rss+xml" href="/old">'
    site.pages["/"] = page("Home", "Welcome to the wire.", head=link)
    site.pages["/old"] = redirect("/feed", 301)
    site.pages["/feed"] = rss(item(1))
    assert add(follower, f"{site.url}/").json()["url"] == f"{site.url}/feed"


def test_what_is_no_feed_is_refused_with_the_reason(follower, site):
    site.pages["/page"] = page("Home", "Welcome to the wire, where all is well today.")
    for url, reason in (
        (f"{site.url}/page", "neither a feed nor an article"),
        (f"{site.url}/nowhere", "404"),
        ("file:///etc/passwd", "not a web address"),
        ("http://user:pass@example.com/", "passwords"),
        ("newsapi:", "no query"),
    ):
        refused = add(follower, url)
        assert refused.status_code == 422, url
        assert reason in refused.json()["detail"]
    assert followed(follower) == []


def test_a_feed_may_be_taken_on_trust(follower, site):
    url = f"{site.url}/later"
    made = add(follower, url, unchecked=True)
    assert (made.status_code, made.json()["items"]) == (201, None)
    assert followed(follower) == [url]
    assert site.requests == []


def test_private_addresses_are_not_asked_unless_allowed(follower, site):
    follower.app.state.service.feeds = FeedSettings()
    refused = add(follower, f"{site.url}/feed")
    assert refused.status_code == 422
    assert "not a public address" in refused.json()["detail"]
    assert site.requests == []


def test_nobody_changes_feeds_without_the_token_or_where_none_are_followed(follower, reader):
    assert follower.post("/api/feeds", json={"url": "https://example.com"}).status_code == 401
    assert follower.delete("/api/feeds", params={"url": "x"}).status_code == 401
    assert add(reader, "https://example.com").status_code == 403
    assert reader.get("/api/feeds").status_code == 403
    assert follower.get("/api/feeds").status_code == 401
    follower.app.state.service.feeds = None
    assert add(follower, "https://example.com").status_code == 403


def test_the_page_about_feeds_keeps_their_addresses_to_itself(follower, site):
    add(follower, f"{site.url}/feed?key=secret", unchecked=True)
    page = follower.get("/about").text
    assert f'href="{site.url}/"' in page
    assert "secret" not in page
