"""The page of feeds and its forms, against a real server with feeds, on both kinds of stores."""

import json
import re
from dataclasses import replace

import pytest
from starlette.testclient import TestClient

from scstory.serve import make_app
from tests.serve.conftest import AUTHORISED, record_of, signed_in, tell, until, writing
from tests.web import LOCAL, Answer, item, page, rss

LIST = b"""<opml version="2.0"><body><outline text="News"><outline text="Local">
<outline xmlUrl="https://herald.example/feed" text="Herald"/></outline></outline>
<outline xmlUrl="https://courier.example/feed" text="Courier"/>
<outline xmlUrl="file:///etc/passwd" text="bad"/></body></opml>"""


@pytest.fixture
def db(any_db):
    return any_db


@pytest.fixture
def editor(db):
    with (
        writing(db) as service,
        TestClient(make_app(service), base_url="http://127.0.0.1") as client,
    ):
        service.feeds = LOCAL
        client.token = signed_in(client)
        client.service = service
        yield client


def send(client, path, files=None, **data):
    data = {"form_token": client.token, **data}
    return client.post(path, data=data, files=files, headers={"accept": "text/html"})


def said(answer):
    found = re.search(r'class="banner said"[^>]*>([^<]*)<', answer.text)
    return found and found[1]


def test_feeds_are_added_without_a_scheme_and_removed(editor, site):
    site.pages["/"] = page(
        "Home", "Hello.", head='<link rel="alternate" type="application/rss+xml" href="/feed">'
    )
    site.pages["/feed"] = rss(item(1), item(2))
    short = site.url.removeprefix("http://")
    added = send(editor, "/feeds", url=f" {short}/ ", section="News / Local")
    assert said(added) == f"Following The Wire ({site.url}/feed): 2 items."
    assert "News / Local" in added.text
    assert "not fetched yet" in added.text
    assert "followed already" in said(send(editor, "/feeds", url=f"{site.url}/feed"))
    (feed,) = editor.get("/api/feeds", headers=AUTHORISED).json()["feeds"]
    assert (feed["url"], feed["section"]) == (f"{site.url}/feed", "News / Local")
    gone = send(editor, "/feeds/remove", url=f"{site.url}/feed")
    assert "followed no longer" in said(gone)
    assert editor.get("/api/feeds", headers=AUTHORISED).json()["feeds"] == []


def test_what_cannot_be_added_is_refused_with_the_reason(editor, site):
    site.pages["/gone"] = Answer(b"", 410)
    for url, reason in (
        ("", "at least 1 character"),
        ("not an address", "not a web address"),
        (f"{site.url}/gone", "410"),
        ("x" * 2001, "at most 2000"),
    ):
        refused = send(editor, "/feeds", url=url)
        assert refused.status_code == 422, url
        assert reason in refused.text
    refused = send(editor, "/feeds/remove", url="https://nowhere.example/")
    assert refused.status_code == 404


def test_failing_feeds_are_shown_with_the_reason(editor, site):
    site.pages["/feed"] = rss(item(1))
    send(editor, "/feeds", url=f"{site.url}/feed")
    (feed,) = editor.service.inbox.subscriptions()
    editor.service.inbox.update_subscription(replace(feed, errors=3, error="answered 404"))
    shown = editor.get("/feeds").text
    assert '<span class="health failing">1 failing</span>' in shown
    assert "answered 404; 3 failures in a row" in shown


def test_lists_come_in_and_go_out_with_their_folders(editor):
    added = send(editor, "/feeds/opml", files={"file": ("feeds.opml", LIST)})
    assert said(added).startswith("2 feeds added; not usable: the list feed 3: not a web address")
    again = send(editor, "/feeds/opml", files={"file": ("feeds.opml", LIST)})
    assert "0 feeds added, 2 already followed" in said(again)
    out = editor.get("/feeds.opml")
    assert "attachment" in out.headers["content-disposition"]
    assert re.search(
        r'<outline text="News"[^>]*>\s*<outline text="Local"[^>]*>\s*<outline type="rss" '
        r'text="Herald"',
        out.text,
    )
    over_api = editor.get("/api/feeds/opml", headers=AUTHORISED)
    assert over_api.text == out.text
    same = editor.post("/api/feeds/opml", content=out.content, headers=AUTHORISED)
    assert same.json() == {"added": 0, "known": 2, "problems": []}
    for body in (b"", b"hello", b"<opml/>"):
        refused = send(editor, "/feeds/opml", files={"file": ("x.opml", body)})
        assert refused.status_code == 422
    assert send(editor, "/feeds/opml").status_code == 422


def test_files_go_through_the_inbox_and_say_what_became_of_them(editor):
    articles = [tell(80 + i, "strike", day=12) for i in range(3)]
    lines = "\n".join(json.dumps(record_of(article)) for article in articles)
    lines += '\n{"id": "bad", "title": "No date"}\n'
    files = [("file", ("harbour <1>.jsonl", lines.encode())), ("file", ("no.csv", b"a,b\n1,2\n"))]
    started = send(editor, "/import", files=files)
    assert said(started) == "Reading harbour &lt;1&gt;.jsonl, no.csv."
    until(lambda: all(one.over for one in editor.service.imports.latest()))
    shown = editor.get("/feeds").text
    assert "harbour &lt;1&gt;.jsonl</strong>: read; 3 articles accepted, 1 refused" in shown
    assert "no.csv</strong>: no usable article" in shown
    found = until(lambda: editor.get("/api/stories", params={"q": "strike"}).json()["stories"])
    assert sum(story["size"] for story in found) <= 3
    again = send(editor, "/import", files=files[:1])
    assert again.status_code == 200
    until(lambda: all(one.over for one in editor.service.imports.latest()))
    assert "0 articles accepted, 3 known" in editor.get("/feeds").text
    assert not any(one.path.exists() for one in editor.service.imports.latest())


def test_no_file_and_a_list_in_the_wrong_place_are_refused(editor):
    assert "choose one or more" in send(editor, "/import").text
    refused = send(editor, "/import", files={"file": ("feeds.opml", LIST)})
    assert "import it as OPML" in refused.text


def test_only_editors_see_the_page_and_the_sign_in_leads_there(writer):
    answer = writer.get("/feeds", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in?next=%2Ffeeds")
    assert writer.get("/feeds.opml", follow_redirects=False).status_code == 303
    assert writer.post("/feeds", data={"url": "x"}).status_code == 401
    assert writer.post("/import", files={"file": ("x", b"x")}).status_code == 401
