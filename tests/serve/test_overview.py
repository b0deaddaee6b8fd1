"""Threads, sections and articles of several stories: over the API, on pages, to clients."""

import asyncio
import csv
import io
import json
import re
from functools import partial

import httpx2
import pytest
from mcp import Client as Assistant
from starlette.testclient import TestClient

from scstory.client import AsyncClient, Client
from scstory.mcp_server import make_server, of_database
from scstory.serve import Service, make_app
from scstory.store.store_reader import SharedReader
from tests.surveyed import ROUND_UP, articles

WRONG = ["0", "x", "9" * 30, "-1"]


@pytest.fixture(params=["file", "server"])
def reader(request):
    name = "surveyed" if request.param == "file" else "surveyed_server"
    app = make_app(Service(SharedReader(request.getfixturevalue(name))))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        yield client


def test_threads_are_listed_and_read(reader):
    page = reader.get("/api/threads", params={"limit": 1}).json()
    (first,) = page["threads"]
    assert first["stories"] >= 2
    assert first["url"] == f"/threads/{first['id']}"
    rest = reader.get("/api/threads", params={"cursor": page["next"]}).json()["threads"]
    assert first["id"] not in {thread["id"] for thread in rest}
    thread = reader.get(f"/api/threads/{first['id']}").json()
    assert len(thread["members"]) == thread["stories"]
    assert sum(thread["timeline"]["counts"]) == thread["articles"]
    for story in thread["members"]:
        assert reader.get(f"/api/threads/{story['id']}").json() == thread
        detail = reader.get(f"/api/stories/{story['id']}").json()
        assert detail["thread"]["id"] == first["id"]
    listed = reader.get("/api/stories", params={"thread": first["id"]}).json()["stories"]
    assert {story["id"] for story in listed} == {story["id"] for story in thread["members"]}
    table = reader.get("/api/stories.csv", params={"thread": first["id"]}).text
    assert len(list(csv.DictReader(io.StringIO(table)))) == thread["stories"]


def test_sections_are_listed_and_filter_stories(reader):
    sections = reader.get("/api/sections").json()["sections"]
    assert len(sections) >= 4
    for section in sections:
        found = reader.get("/api/stories", params={"section": section["id"], "state": "all"})
        assert len(found.json()["stories"]) == section["stories"]
    one = found.json()["stories"][0]["id"]
    assert reader.get(f"/api/stories/{one}").json()["section"] == section
    assert reader.get("/api/stories", params={"section": 999}).json()["stories"] == []


def test_an_article_names_the_other_stories_that_it_is_about(reader):
    _, guest = articles()
    other = reader.get(f"/api/articles/{guest}").json()["story"]
    found = reader.get(f"/api/articles/{ROUND_UP}").json()
    (also,) = [one for one in found["also_about"] if one["id"] == other]
    assert also["sentences"]
    detail = reader.get(f"/api/stories/{other}").json()
    (back,) = [one for one in detail["also_in"] if one["article"]["id"] == ROUND_UP]
    assert back["sentences"] == also["sentences"]
    shown = reader.get(f"/articles/{ROUND_UP}").text
    assert "Also about" in shown
    assert f'href="/stories/{other}"' in shown
    assert "Also in articles of other stories" in reader.get(f"/stories/{other}").text


def test_what_does_not_exist_is_refused_with_the_way_out(reader):
    for path, way_out in (
        ("/api/threads/99999", "/api/threads lists all"),
        ("/threads/99999", "/api/threads lists all"),
        ("/sections/99999", "/api/sections lists all"),
    ):
        refused = reader.get(path)
        assert refused.status_code == 404
        assert way_out in refused.json()["detail"]
    for number in WRONG:
        for path in ("/api/threads/", "/threads/", "/sections/"):
            assert reader.get(f"{path}{number}").status_code == 422
    for path in ("/api/threads", "/threads", "/sections/1"):
        assert reader.get(path, params={"cursor": "x"}).status_code == 422
    assert reader.get("/api/stories", params={"section": 0}).status_code == 422


def test_the_pages_link_to_each_other(reader):
    front = reader.get("/").text
    assert '<a href="/threads"' in front
    assert '<a href="/sections"' in front
    threads = reader.get("/threads").text
    thread = re.search(r'href="(/threads/\d+)"', threads)[1]
    page = reader.get(thread).text
    assert "<svg" in page
    story = re.findall(r'data-story="(\d+)"', page)
    assert len(story) >= 2
    own = reader.get(f"/stories/{story[-1]}").text
    assert "Part of a thread" in own
    assert f'href="{thread}"' in own
    others = [number for number in story if f"/threads/{number}" != thread]
    moved = reader.get(f"/threads/{others[0]}", follow_redirects=False)
    assert (moved.status_code, moved.headers["location"]) == (303, thread)
    sections = reader.get("/sections").text
    section = re.search(r'href="(/sections/\d+)"', sections)[1]
    assert 'data-story="' in reader.get(section).text
    for page in (threads, sections):
        assert page.count("<h1") == 1


def test_an_empty_store_has_neither(tmp_path):
    from scstory.store import open_store

    open_store(str(tmp_path / "empty.db")).close()
    app = make_app(Service(SharedReader(str(tmp_path / "empty.db"))))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        assert "No thread yet" in client.get("/threads").text
        assert "No section yet" in client.get("/sections").text
        assert client.get("/api/threads").json() == {"threads": [], "next": None}
        assert client.get("/api/sections").json() == {"sections": []}


def test_clients_and_assistants_read_the_same(surveyed):
    app = make_app(Service(SharedReader(surveyed)))

    async def ask():
        transport = httpx2.ASGITransport(app=app)
        async with AsyncClient("http://127.0.0.1", transport=transport) as client:
            page, sections = await client.threads(limit=2), await client.sections()
            thread = await client.thread(page.threads[0].id)
            article = await client.article(ROUND_UP)
            stories = await client.stories(section=sections.sections[0].id, state="all")
        async with Assistant(make_server(partial(of_database, db=surveyed))) as assistant:
            said = {}
            for name, arguments in (
                ("list_threads", {"limit": 2}),
                ("read_thread", {"thread": thread.id}),
                ("list_sections", {}),
                ("read_article", {"article": ROUND_UP}),
                ("search_stories", {"section": sections.sections[0].id}),
            ):
                answer = await assistant.call_tool(name, arguments)
                said[name] = json.loads(answer.content[0].text)
        assert [one["id"] for one in said["list_threads"]["threads"]] == [
            one.id for one in page.threads
        ]
        assert len(said["read_thread"]["members"]) == thread.stories
        assert said["list_sections"]["sections"][0]["name"] == sections.sections[0].name
        assert said["read_article"]["also_about"][0]["id"] == article.also_about[0].id
        found = {one["story"] for one in said["search_stories"]["stories"]}
        assert found <= {story.id for story in stories.stories}

    asyncio.run(ask())
    for name in ("threads", "thread", "sections"):
        assert hasattr(Client, name)
