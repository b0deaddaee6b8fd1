"""Following and muting over the API and on the page, feeds and webhooks of it, and the digest."""

import re
import xml.etree.ElementTree as ET

import pytest

from scstory.errors import UsageError
from scstory.store import open_store
from tests.serve.conftest import AUTHORISED, record_of, signed_in, tell, until

ATOM = "{http://www.w3.org/2005/Atom}"
HTML = {"accept": "text/html"}


@pytest.fixture
def db(any_db):
    return any_db


def follow(client, kind, target, muted=False):
    wanted = {"kind": kind, "target": str(target), "muted": muted}
    return client.post("/api/follows", json=wanted, headers=AUTHORISED)


def followed(client):
    found = client.get("/api/following").json()["stories"]
    return {one["story"]["id"]: one["because"] for one in found}


def stories(client, q):
    found = client.get("/api/stories", params={"q": q, "state": "all"}).json()["stories"]
    return {story["id"] for story in found}


def test_stories_queries_and_outlets_are_followed_and_muted(writer):
    floods, trials = stories(writer, "flood"), stories(writer, "trial")
    assert floods
    assert trials
    assert not floods & trials
    one = min(trials)
    by_query = follow(writer, "query", "flood AND river OR  flood").json()
    assert by_query["target"] == "flood AND river OR flood"
    by_number = follow(writer, "story", one).json()
    assert followed(writer) == {
        **{story: [by_query["number"]] for story in floods},
        one: [by_number["number"]],
    }
    changed = follow(writer, "story", one, muted=True).json()
    assert (changed["number"], changed["muted"]) == (by_number["number"], True)
    assert set(followed(writer)) == floods
    gone = writer.delete(f"/api/follows/{by_query['number']}", headers=AUTHORISED)
    assert gone.status_code == 204
    assert followed(writer) == {}
    assert writer.delete("/api/follows/9", headers=AUTHORISED).status_code == 404


def test_a_muted_outlet_hides_what_only_it_reports(writer):
    outlets = {
        source["name"]
        for story in writer.get("/api/stories?state=all").json()["stories"]
        for source in story["sources"]
    }
    name = sorted(outlets)[0]
    of_it = stories(writer, f'outlet:"{name}"')
    follow(writer, "outlet", name)
    assert set(followed(writer)) == of_it
    for other in outlets:
        follow(writer, "outlet", other, muted=True)
    follow(writer, "query", "flood")
    assert followed(writer) == {}


def test_what_cannot_be_followed_is_refused_with_the_reason(writer):
    for kind, target, reason in (
        ("story", "99999", "does not exist"),
        ("story", "x", "does not exist"),
        ("story", "9" * 30, "does not exist"),
        ("query", "   ", "empty"),
        ("query", "since:soon", "since:soon"),
        ("query", "x" * 201, "200"),
        ("outlet", "!!", "letter or a digit"),
        ("topic", "x", "story"),
    ):
        refused = follow(writer, kind, target)
        assert refused.status_code == 422, (kind, target)
        assert reason in refused.json()["detail"]
    assert writer.get("/api/follows").json() == {"follows": []}
    assert writer.post("/api/follows", json={"kind": "query", "target": "x"}).status_code == 401


def test_feeds_of_a_story_of_a_query_and_of_what_is_followed(writer):
    floods = stories(writer, "flood")
    follow(writer, "query", "flood")
    atom = ET.fromstring(writer.get("/search/feed.xml", params={"q": "flood"}).content)
    assert atom.findtext(f"{ATOM}title") == "Stories with flood"
    assert len(atom.findall(f"{ATOM}entry")) == len(floods)
    links = {link.get("rel"): link.get("href") for link in atom.findall(f"{ATOM}link")}
    assert links["self"] == "http://127.0.0.1/search/feed.xml?q=flood"
    feed = writer.get("/following/feed.json").json()
    assert {item["id"] for item in feed["items"]} == {f"urn:scstory:story:{n}" for n in floods}
    one = min(floods)
    feed = writer.get(f"/stories/{one}/feed.json").json()
    size = writer.get(f"/api/stories/{one}").json()["size"]
    assert len(feed["items"]) == size
    assert feed["items"][0]["date_published"] >= feed["items"][-1]["date_published"]
    assert len({item["id"] for item in feed["items"]}) == size
    assert writer.get("/stories/99999/feed.xml").status_code == 404
    assert writer.get("/search/feed.xml", params={"q": "since:soon"}).status_code == 422
    assert writer.get("/feed.pdf").status_code == 422


def test_the_page_follows_mutes_and_removes(writer):
    token = signed_in(writer)

    def send(path, **data):
        return writer.post(path, data={"form_token": token, **data}, headers=HTML)

    one = min(stories(writer, "flood"))
    page = writer.get(f"/stories/{one}").text
    assert f'name="target" value="{one}"' in page
    back = send("/following", kind="story", target=one, next=f"/stories/{one}")
    assert back.url.path == f"/stories/{one}"
    assert f"Following: story {one}." in back.text
    shown = writer.get("/following").text
    assert "followed itself" in shown
    assert (
        "Muted: query ferry AND strike."
        in send("/following", kind="query", target="ferry AND strike", muted="yes").text
    )
    number = writer.get("/api/follows").json()["follows"][0]["number"]
    assert "Removed." in send("/following/remove", number=number).text
    assert len(writer.get("/api/follows").json()["follows"]) == 1
    for path, data in (
        ("/following", {"kind": "topic", "target": "x"}),
        ("/following", {"kind": "story", "target": "0"}),
        ("/following/remove", {"number": "x"}),
        ("/following/remove", {"number": "9" * 30}),
    ):
        assert send(path, **data).status_code == 422
    assert send("/following/remove", number=77).status_code == 404
    writer.cookies.clear()
    assert "form_token" not in writer.get("/following").text
    assert send("/following", kind="story", target=one).status_code == 401


def test_webhooks_are_registered_and_removed_on_their_page(writer):
    assert writer.get("/webhooks", follow_redirects=False).status_code == 303
    token = signed_in(writer)

    def send(path, **data):
        return writer.post(path, data={"form_token": token, **data}, headers=HTML)

    url = "http://127.0.0.1:9/<b>"
    made = send("/webhooks", url=url, kind=["new", "grew"], query="flood", story="")
    assert (made.status_code, made.headers["cache-control"]) == (201, "no-store")
    secret = re.search(r'class="secret">([^<]+)<', made.text)[1]
    (hook,) = writer.get("/api/webhooks", headers=AUTHORISED).json()["webhooks"]
    assert (hook["kinds"], hook["query"], hook["story"]) == (["new", "grew"], "flood", None)
    (stored,) = writer.app.state.service.courier.hooks.all()
    assert stored.secret == secret
    shown = writer.get("/webhooks").text
    assert hook["url"] in shown
    assert "<b>" not in shown
    assert secret not in shown
    for reason, wanted in (
        ("url: ", {"url": "ftp://x.example/", "kind": "new"}),
        ("kinds: none is chosen", {"url": url}),
        ("kind: Input should be", {"url": url, "kind": "later"}),
        ("story: Input should be", {"url": url, "kind": "new", "story": "first"}),
        ("story 99999: does not exist", {"url": url, "kind": "new", "story": "99999"}),
        ("since:soon", {"url": url, "kind": "new", "query": "since:soon"}),
        ("url: Field required", {"kind": "new"}),
    ):
        refused = send("/webhooks", **wanted)
        assert refused.status_code == (404 if "99999" in reason else 422), reason
        assert reason in refused.text
    assert "Webhook 1 was removed." in send("/webhooks/remove", number=1).text
    assert send("/webhooks/remove", number=1).status_code == 404
    assert send("/webhooks/remove", number="9" * 30).status_code == 422
    assert writer.post("/webhooks", data={"url": url, "kind": "new"}).status_code == 403
    writer.cookies.clear()
    assert writer.post("/webhooks", data={"url": url, "kind": "new"}).status_code == 401


def test_the_page_of_readers_is_new_after_every_change(writer):
    assert "Nothing is followed" in writer.get("/following").text
    follow(writer, "query", "flood")
    shown = writer.get("/following")
    assert "query: flood" in shown.text
    known = {"if-none-match": shown.headers["etag"]}
    assert writer.get("/following", headers=known).status_code == 304
    follow(writer, "query", "flood", muted=True)
    assert "Muted" in writer.get("/following", headers=known).text


def test_the_digest_of_a_day_in_every_form(writer):
    day = "2026-03-05"
    one = min(stories(writer, "flood"))
    whole = writer.get(f"/api/digest/{day}").json()
    assert whole["followed"] == []
    assert one in {story["id"] for story in whole["others"] + whole["singles"]}
    follow(writer, "story", one)
    trials = stories(writer, "trial")
    for story in trials:
        follow(writer, "story", story, muted=True)
    digest = writer.get(f"/api/digest/{day}").json()
    (story,) = digest["followed"]
    assert (story["id"], story["because"]) == (one, ["followed"])
    shown = {other["id"] for other in digest["others"] + digest["singles"]}
    assert not shown & trials
    page = writer.get(f"/digest/{day}")
    assert f'<a href="/stories/{one}">' in page.text
    markdown = writer.get(f"/digest/{day}.md")
    assert markdown.headers["content-type"].startswith("text/markdown")
    assert f"](http://127.0.0.1/stories/{one})" in markdown.text
    assert "## Followed" in markdown.text
    mail = writer.get(f"/digest/{day}.html")
    assert "<script" not in mail.text
    assert "<link" not in mail.text
    assert f'href="http://127.0.0.1/stories/{one}"' in mail.text
    assert "No article of this day" in writer.get("/digest/2020-01-01").text
    assert writer.get("/digest", follow_redirects=False).headers["location"].startswith("/digest/2")
    for bad in ("soon", "2026-02-30", "2026-03-05.pdf", "0001-01-01"):
        assert writer.get(f"/digest/{bad}").status_code == 404


def test_hostile_titles_are_text_in_every_digest(db, writer):
    hostile = "[x](javascript:alert(1)) <script>alert(1)</script> *b* `c`"
    bad = [tell(400 + i, "strike", day=12) for i in range(2)]
    writer.post(
        "/api/articles",
        json=[record_of(a, title=hostile, url="javascript:alert(1)") for a in bad],
        headers=AUTHORISED,
    )
    day = until(lambda: [a for a in [writer.get("/api/articles/strike-400")] if a.is_success])
    day = day[0].json()["date"][:10]
    markdown = writer.get(f"/digest/{day}.md").text
    assert "<script" not in markdown
    assert not re.search(r"(?<!\\)\]\(javascript", markdown)
    assert "<script>alert" not in writer.get(f"/digest/{day}.html").text
    assert 'javascript:alert(1)"' not in writer.get(f"/digest/{day}.html").text


def test_follows_survive_a_merge_and_a_restart(any_db):
    store = open_store(any_db)
    try:
        (first, second, *_) = sorted(story.id for story in store.stories())
        made = store.follow("story", str(first))
        store.db.write(lambda: store.db.run("INSERT INTO redirects VALUES (?, ?)", (first, second)))
        (one,) = store.followed_stories(store.follows(), limit=10)
        assert (one.story.id, one.because) == (second, (made,))
        with pytest.raises(UsageError, match="does not exist"):
            store.follow("story", "12345")
        hide = "UPDATE stories SET hidden = ? WHERE id = ?"
        store.db.write(lambda: store.db.run(hide, (1, second)))
        assert store.followed_stories(store.follows(), limit=10) == []
    finally:
        store.close()
    again = open_store(any_db, create=False)
    assert again.follows() == [made]
    again.close()
