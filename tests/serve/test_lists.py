"""Lists of articles and stories: filters, totals, files to take away; and how the API is asked."""

import csv
import io
import json

import pytest
from starlette.testclient import TestClient

from scstory.serve import Service, make_app
from scstory.serve.tables import table_lines
from scstory.store.store_reader import SharedReader
from tests.serve.conftest import AUTHORISED, record_of, tell, until, writing


@pytest.fixture
def db(any_db):
    return any_db


def articles(client, **query):
    answer = client.get("/api/articles", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_articles_are_listed_by_pages_with_the_total(reader):
    first = articles(reader, limit=20)
    assert first["total"] == 56
    found, after = first["articles"], first["next"]
    while after:
        page = articles(reader, limit=20, cursor=after)
        assert page["total"] == 56
        found, after = found + page["articles"], page["next"]
    assert len(found) == len({article["id"] for article in found}) == 56
    dates = [article["date"] for article in found]
    assert dates == sorted(dates, reverse=True)


def test_articles_by_words_story_outlet_language_and_time(reader):
    floods = articles(reader, q="flood", limit=200)
    assert {article["id"].split("-")[0] for article in floods["articles"]} == {"flood"}
    assert floods["total"] == len(floods["articles"]) == 24
    story = floods["articles"][0]["story"]
    of_story = articles(reader, story=story, limit=200)
    assert {article["story"] for article in of_story["articles"]} == {story}
    assert of_story["total"] == len(of_story["articles"])
    assert articles(reader, outlet="test wire")["total"] == 56
    assert articles(reader, outlet="Nobody")["total"] == 0
    assert articles(reader, q="flood", outlet="test wire", story=story)["total"]
    known = {article["language"] for article in floods["articles"]} - {None}
    for tag in known:
        assert articles(reader, language=tag.upper())["total"]
    assert articles(reader, language="xx")["total"] == 0
    day = floods["articles"][0]["date"][:10]
    of_day = articles(reader, since=day, until=day)
    assert {article["date"][:10] for article in of_day["articles"]} == {day}
    whole = articles(reader, since=f"{day}T00:00:00Z", until=f"{day}T23:59:59.999999")
    assert of_day["total"] == whole["total"] > 0
    assert articles(reader, since=day[:4], until=day[:7])["total"] == 56


@pytest.mark.parametrize("path", ["/api/articles", "/api/stories", "/api/articles.csv"])
def test_a_parameter_that_does_not_exist_is_refused_by_name(reader, path):
    for query, reason in (
        ({"colour": "red"}, "unknown parameter colour; there are "),
        ({"sinc": "2026"}, "unknown parameter sinc; did you mean since?"),
        ({"x": "1", "y": "2", "q": "flood"}, "unknown parameters x, y"),
        ({"since": "soon"}, "since: "),
        ({"since": "2026-02-30"}, "since: "),
        ({"until": "1700000000"}, "until: "),
        ({"q": "since:soon"}, "since:soon"),
    ):
        refused = reader.get(path, params=query)
        assert refused.status_code == 422, query
        assert reason in refused.json()["detail"]
        assert "\n" not in refused.json()["detail"]


def test_pages_take_what_others_append(reader):
    assert reader.get("/", params={"utm_source": "x"}).status_code == 200
    assert reader.get("/digest/2026-03-05", params={"utm_source": "x"}).status_code == 200
    assert reader.get("/api/map", params={"x": "1"}).status_code == 422


def test_lists_in_every_form(reader):
    stories = reader.get("/api/stories", params={"state": "all", "limit": 200}).json()["stories"]
    answer = reader.get("/api/stories.csv", params={"state": "all"})
    assert answer.headers["content-type"].startswith("text/csv")
    assert 'filename="stories.csv"' in answer.headers["content-disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [int(row["id"]) for row in rows] == [story["id"] for story in stories]
    assert rows[0]["url"] == f"http://127.0.0.1/stories/{stories[0]['id']}"
    as_json = reader.get("/api/stories.json", params={"state": "all"}).json()
    assert [row["id"] for row in as_json] == [story["id"] for story in stories]
    markdown = reader.get("/api/stories.md", params={"state": "all"}).text
    assert len(markdown.splitlines()) == len(stories) + 2
    one = stories[0]["id"]
    of_story = reader.get(f"/api/stories/{one}/articles.json").json()
    assert len(of_story) == stories[0]["size"]
    assert len(reader.get("/api/articles.json", params={"q": "flood"}).json()) == 24
    assert reader.get("/api/following.json").json() == []
    assert reader.get("/api/stories.json", params={"q": "zebra"}).json() == []
    assert reader.get("/api/stories/99999/articles.csv").status_code == 404
    assert reader.get("/api/stories.pdf").status_code == 422


def test_the_pages_lead_to_the_lists(reader):
    page = reader.get("/search", params={"q": "flood", "min_size": "2"}).text
    assert "/api/stories.csv?q=flood&amp;min_size=2&amp;state=all" in page
    rows = reader.get("/api/stories.csv?q=flood&min_size=2&state=all")
    assert rows.status_code == 200
    assert "/api/stories/1/articles.md" in reader.get("/stories/1").text
    assert "/api/articles.csv?since=2026-03-03" in reader.get("/day/2026-03-03").text


def test_titles_are_no_formulas_and_no_markup():
    record = {
        "id": "x",
        "date": "2026-03-03T06:35:00+00:00",
        "title": '=HYPERLINK("x") | [a](javascript:b) <b>\nnext',
        "url": "javascript:alert(1)",
        "source": "@outlet",
        "language": None,
        "story": 3,
        "story_url": "/stories/3",
        "confidence": -0.5,
        "new": True,
        "copies": ["a", "b"],
    }
    rows = list(csv.DictReader(io.StringIO("".join(table_lines("articles", "csv", [record])))))
    assert rows[0]["title"] == "'" + record["title"]
    assert rows[0]["source"] == "'@outlet"
    assert rows[0]["confidence"] == "-0.5"
    assert rows[0]["copies"] == "a; b"
    (line,) = "".join(table_lines("articles", "md", [record])).splitlines()[2:]
    assert line.count("|") - line.count("\\|") == 5
    assert "](javascript" not in line.replace("\\](", "")
    assert "<b>" not in line
    assert json.loads("".join(table_lines("articles", "json", [record]))) == [record]


def test_json_needs_no_header_where_it_is_unmistakable(writer):
    article = json.dumps(record_of(tell(500, "strike", day=12))).encode()
    match = b' \n {"title": "Flood news", "text": "The river rose."}'
    for declared in (None, "application/x-www-form-urlencoded", "text/plain"):
        headers = {"content-type": declared} if declared else {}
        taken = writer.post("/api/match", content=match, headers=headers)
        assert taken.status_code == 200, taken.text
        posted = writer.post("/api/articles", content=article, headers={**headers, **AUTHORISED})
        assert posted.status_code == 202
    for body, declared in ((match, "text/csv"), (b"title=x&text=y", "text/plain"), (b"", "")):
        refused = writer.post("/api/match", content=body, headers={"content-type": declared})
        assert refused.status_code == 422
    pieces = writer.post("/api/match", content=iter([b" ", match[:5], match[5:]]))
    assert pieces.status_code == 200


def test_events_carry_the_links(writer):
    writer.post("/api/articles", json=record_of(tell(501, "flood", day=12)), headers=AUTHORISED)
    found = until(lambda: writer.get("/api/articles/flood-501").json().get("story"))
    from scstory.serve.events import as_json

    event = writer.app.state.service.browser.events(0)[-1]
    assert as_json(event)["url"] == f"/stories/{event.becomes or event.story}"
    assert found
    assert all(writer.get(url).status_code == 200 for url in as_json(event)["article_urls"])


def test_other_sites_read_the_api_only_if_a_setting_names_them(db):
    asked = {"origin": "https://app.example"}
    wants = {**asked, "access-control-request-method": "GET"}
    for origins, allowed in (((), False), (("https://app.example/",), True), (("*",), True)):
        service = Service(SharedReader(db), origins=origins)
        with TestClient(make_app(service), base_url="http://127.0.0.1") as client:
            answer = client.get("/api/stories", headers=asked)
            assert ("access-control-allow-origin" in answer.headers) == allowed
            assert "access-control-allow-credentials" not in answer.headers
            assert client.options("/api/stories", headers=wants).is_success == allowed
            page = client.get("/sign-in", headers=asked)
            assert "access-control-allow-origin" not in page.headers
    service = Service(SharedReader(db), origins=("https://app.example",))
    with TestClient(make_app(service), base_url="http://127.0.0.1") as client:
        other = client.get("/api/stories", headers={"origin": "https://evil.example"})
        assert "access-control-allow-origin" not in other.headers


def test_the_lists_of_a_writer_are_of_what_was_decided(file_db):
    with writing(file_db) as service, TestClient(make_app(service)) as client:
        client.base_url = "http://127.0.0.1"
        before = articles(client)["total"]
        client.post("/api/articles", json=record_of(tell(502, "trial", day=12)), headers=AUTHORISED)
        until(lambda: articles(client)["total"] == before + 1)
