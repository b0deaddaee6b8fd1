"""The API's reading half."""

import threading
from datetime import timedelta

import pytest

from scstory.store.records import StoryQuery, Version
from scstory.store.store_reader import SharedReader
from tests.conftest import START
from tests.postgres import raw
from tests.serve.conftest import as_time, reading, stream, until


@pytest.fixture(params=["told", "told_server_copy"])
def db(request):
    """Return the name of a store of each kind, which is only read."""
    return request.getfixturevalue(request.param)


def stories(client, **query):
    answer = client.get("/api/stories", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()["stories"]


def test_active_stories_come_by_momentum(reader):
    found = stories(reader)
    assert found
    assert all(story["active"] for story in found)
    momenta = [story["momentum"] for story in found]
    assert momenta == sorted(momenta, reverse=True)
    assert all(sum(s["timeline"]["counts"]) <= s["size"] for s in found)
    assert found[0]["sources"] == [{"name": "Test Wire", "articles": found[0]["size"]}]


def test_stories_by_size(reader):
    sizes = sorted(story["size"] for story in stories(reader, state="all"))
    least, most = sizes[0], sizes[-1]
    assert least < most
    assert {s["size"] for s in stories(reader, state="all", max_size=least)} == {least}
    assert {s["size"] for s in stories(reader, state="all", min_size=most)} == {most}
    assert stories(reader, state="all", min_size=most + 1) == []


def test_past_and_all_stories(reader):
    past, every = stories(reader, state="past"), stories(reader, state="all")
    assert past  # the comet ended halfway
    assert not any(story["active"] for story in past)
    assert {s["id"] for s in every} == {s["id"] for s in past} | {s["id"] for s in stories(reader)}
    seen = [story["last_seen"] for story in every]
    assert seen == sorted(seen, reverse=True)


def test_words_find_stories(reader):
    found = stories(reader, q="comet probe")
    assert found
    for story in found:
        articles = reader.get(f"/api/stories/{story['id']}/articles").json()["articles"]
        assert any(article["id"].startswith("comet") for article in articles)
    assert stories(reader, q="comet zebra") == []
    assert stories(reader, q="come")  # a word not typed to its end
    assert stories(reader, q='"comet" NOT (comet*') == []
    refused = reader.get("/api/stories", params={"q": '"*('})
    assert refused.status_code == 422
    assert "has no word to search for" in refused.json()["detail"]


def test_a_search_that_finds_nothing_is_told_what_may_be_meant(reader):
    page = reader.get("/api/stories", params={"q": "commet prob"}).json()
    assert page == {
        "stories": [],
        "next": None,
        "suggestion": "comet probe",
        "reason": "No article has: commet, prob.",
    }
    assert stories(reader, q=page["suggestion"])


def test_a_range_is_met_by_stories_that_touch_it(reader):
    day = START + timedelta(days=3)
    for story in stories(reader, since=day.isoformat(), until=(day + timedelta(1)).isoformat()):
        assert as_time(story["last_seen"]) >= day
        assert as_time(story["first_seen"]) < day + timedelta(1)
    later = (START + timedelta(days=300)).isoformat()
    assert stories(reader, since=later) == []


def test_size_is_a_filter_and_an_order(reader):
    found = stories(reader, min_size=3, sort="size", state="all")
    sizes = [story["size"] for story in found]
    assert sizes == sorted(sizes, reverse=True)
    assert min(sizes) >= 3


@pytest.mark.parametrize(
    "query",
    [
        {"state": "all"},
        {"state": "all", "sort": "size"},
        {"state": "active"},
        {"q": "news"},
        {"q": "news", "sort": "latest"},
        {"q": "news", "sort": "size"},
        {"q": "news", "state": "active", "sort": "momentum"},
    ],
    ids=str,
)
def test_pages_follow_on_each_other(reader, query):
    whole = [story["id"] for story in stories(reader, limit=200, **query)]
    assert len(whole) > 1
    read, cursor = [], None
    while True:
        given = {**query, "limit": 1, **({"cursor": cursor} if cursor else {})}
        page = reader.get("/api/stories", params=given).json()
        read += [story["id"] for story in page["stories"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert read == whole


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ({"cursor": "nonsense"}, "cursor"),
        ({"sort": "relevance"}, "relevance"),
        ({"sort": "momentum", "state": "past"}, "momentum"),
        ({"limit": 0}, "limit"),
        ({"limit": 1000}, "limit"),
        ({"since": "yesterday"}, "since"),
        ({"since": "0001-01-01T00:00:00+14:00"}, "since"),
        ({"q": "x" * 201}, "q"),
    ],
    ids=str,
)
def test_wrong_questions_are_answered_on_one_line(reader, query, says):
    answer = reader.get("/api/stories", params=query)
    assert answer.status_code == 422
    assert says in answer.json()["detail"]
    assert "\n" not in answer.json()["detail"]


def test_a_cursor_of_one_order_is_not_taken_for_another(reader):
    cursor = reader.get("/api/stories", params={"state": "all", "limit": 1}).json()["next"]
    answer = reader.get("/api/stories", params={"sort": "size", "cursor": cursor})
    assert answer.status_code == 422


def test_one_story_and_its_articles(reader):
    first = stories(reader)[0]
    story = reader.get(f"/api/stories/{first['id']}").json()
    assert story["title"] == first["title"]
    assert sum(story["timeline"]["counts"]) == story["size"]
    assert first["id"] not in [other["id"] for other in story["related"]]
    page = reader.get(f"/api/stories/{first['id']}/articles", params={"limit": 200}).json()
    assert len(page["articles"]) == story["size"]
    dates = [article["date"] for article in page["articles"]]
    assert dates == sorted(dates, reverse=True)
    assert {article["story"] for article in page["articles"]} == {first["id"]}


def test_an_article_and_why_it_is_where_it_is(reader):
    article = reader.get("/api/articles/flood-3").json()
    assert article["text"]
    why = reader.get("/api/articles/flood-3/explanation").json()
    assert why["story"] == article["story"]
    assert why["sentences"][0]["text"] == article["title"]
    assert sum(sentence["weight"] for sentence in why["sentences"]) == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize(
    "path", ["/api/stories/9999", "/api/stories/9999/articles", "/api/articles/none"]
)
def test_what_is_not_there(reader, path):
    answer = reader.get(path)
    assert answer.status_code == 404
    assert "does not exist" in answer.json()["detail"]


def test_a_merged_story_leads_on(any_db):
    with reading(any_db) as reader:
        first = stories(reader)[0]["id"]
        raw(any_db).run("INSERT INTO redirects (old, new) VALUES (777, ?)", (first,))
        for tail in ("", "/articles"):
            answer = reader.get(f"/api/stories/777{tail}", follow_redirects=False)
            assert answer.status_code == 301
            assert answer.headers["location"] == f"/api/stories/{first}{tail}"
        assert reader.get("/stories/777", follow_redirects=False).status_code == 301


def test_nothing_changed_is_said_in_few_words(reader):
    for path in ("/api/stories", "/", "/feed.xml", "/feed.json", "/api/articles/flood-3"):
        first = reader.get(path)
        again = reader.get(path, headers={"if-none-match": first.headers["etag"]})
        assert again.status_code == 304
        assert again.content == b""
        other = reader.get(path, headers={"if-none-match": 'W/"other"'})
        assert other.status_code == 200


def test_reading_only_refuses_to_write(reader):
    answer = reader.post("/api/articles", json={}, headers={"Authorization": "Bearer x"})
    assert answer.status_code == 403
    assert "read-only" in answer.json()["detail"]


def test_momentum_does_not_depend_on_when_one_asks(told):
    browser = SharedReader(told)
    page, _ = browser.story_page(StoryQuery(active=True, sort="momentum"))
    browser.close()
    again = SharedReader(told)
    assert [row.id for row in again.story_page(StoryQuery(active=True, sort="momentum"))[0]] == [
        row.id for row in page
    ]
    again.close()


def test_the_map_is_the_same_twice(reader, told):
    from scstory.serve.map import story_map

    points = reader.get("/api/map").json()["points"]
    assert {p["id"] for p in points} == {s["id"] for s in stories(reader)}
    assert all(-1 <= p["x"] <= 1 and -1 <= p["y"] <= 1 for p in points)
    browser = SharedReader(told)
    assert [(row.id, x, y) for row, x, y in story_map(browser)] == [
        (p["id"], p["x"], p["y"]) for p in points
    ]
    browser.close()


def test_health_and_metrics(reader):
    assert reader.get("/healthz").json() == {"status": "ok"}
    assert reader.get("/readyz").json() == {"status": "ok"}
    reader.get("/api/stories")
    text = reader.get("/metrics").text
    assert f"scstory_articles {len(stream())}.0" in text
    assert 'route="/api/stories"' in text


def test_a_newer_map_is_drawn_aside(told, monkeypatch):
    from scstory.serve import map as module

    drawn, gate = [], threading.Event()
    gate.set()

    def draw(asked):
        gate.wait(10)
        drawn.append(asked)
        return [] if len(drawn) == 1 else [len(drawn)]

    monkeypatch.setattr(module, "story_map", draw)
    monkeypatch.setattr(module, "MAP_INTERVAL", 0)
    version = [Version(1, 1, 1)]
    kept = module.Map(SharedReader(told), lambda: version[0])
    kept.start()
    assert kept.latest() == kept.latest() == (Version(1, 1, 1), [])
    version[0] = Version(2, 2, 1)
    assert kept.latest() == (Version(2, 2, 1), [2])  # one that shows nothing is not given
    gate.clear()
    version[0] = Version(3, 3, 1)
    assert kept.latest() == (Version(2, 2, 1), [2])  # does not wait
    gate.set()
    until(lambda: kept.latest() == (Version(3, 3, 1), [3]))
    gate.clear()
    version[0] = Version(4, 4, 1)
    monkeypatch.setattr(module, "IDLE_MAP_INTERVAL", 0)
    threading.Timer(0.2, gate.set).start()
    assert kept.latest() == (Version(4, 4, 1), [4])  # nor one that is long out of date
    kept.stop()
