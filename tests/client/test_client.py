"""The client against a real server: both of its kinds say and do the same."""

import asyncio
import inspect
import re
import socket
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from scstory.client import ApiError, AsyncClient, Client
from tests.serve.conftest import (  # noqa: F401
    TOKEN,
    file_db,
    listening,
    record_of,
    tell,
    told,
    until,
    writing,
)


@pytest.fixture
def address(file_db):  # noqa: F811
    with writing(file_db) as service, listening(service) as address:
        yield address


def test_everything_that_can_be_read(address):
    with Client(address) as client:
        page = client.stories(state="all", limit=2)
        every = list(client.every_story(state="all", limit=2))
        assert [story.id for story in page.stories] == [story.id for story in every[:2]]
        assert len(every) > 2
        assert every[0].last_seen.tzinfo is not None
        story = client.story(every[0].id)
        assert story.related is not None
        articles = client.story_articles(story.id, limit=200).articles
        assert len(articles) == story.size
        one = client.article(articles[0].id)
        assert (one.story, one.title) == (story.id, articles[0].title)
        assert one.text
        assert client.explanation(one.id).story == story.id
        found = client.articles(q="flood", since=date(2026, 1, 1), until="2026")
        assert found.total == len(list(client.every_article(q="flood", limit=5)))
        later = client.articles(since=datetime(2030, 1, 1, tzinfo=UTC))
        assert (later.total, later.articles) == (0, [])
        day = one.date.date()
        assert client.digest(day).articles > 0
        assert client.match(text="The river rose.").confidence is not None
        assert client.follows().follows == []
        assert client.following().stories == []


def test_everything_that_can_be_written_and_the_events_of_it(address):
    with Client(f"{address}/", token=TOKEN) as client:
        receipts = client.add_articles([record_of(tell(600, "flood", day=12)), {"id": "bad"}])
        assert [one.status for one in receipts.receipts] == ["accepted", "rejected"]
        story = until(lambda: decided(client, "flood-600"))
        made = client.follow("story", story)
        assert client.following().stories[0].because == [made.number]
        assert client.follow("story", story, muted=True).muted
        client.unfollow(made.number)
        with pytest.raises(ApiError, match="does not exist"):
            client.unfollow(made.number)
        for event in client.events(after=0):
            if "flood-600" in event.articles:
                assert event.story == story
                assert event.article_urls == ["/articles/flood-600"]
                break


def decided(client, article):
    try:
        return client.article(article).story
    except ApiError:
        return None


def test_refusals_say_why(address):
    with Client(address) as client:
        for call, status, reason in (
            (lambda: client.story(99999), 404, "story 99999: does not exist"),
            (lambda: client.article("no/such"), 404, "does not exist"),
            (lambda: client.stories(q="since:soon"), 422, "since:soon"),
            (lambda: client.stories(colour="red"), 422, "unknown parameter colour"),
            (lambda: client.digest("soon"), 404, "write a date"),
            (lambda: client.follow("query", "flood"), 401, "no token"),
            (lambda: client.add_articles([]), 401, "no token"),
        ):
            with pytest.raises(ApiError, match=reason) as error:
                call()
            assert error.value.status == status
    with pytest.raises(ApiError, match="wrong token"), Client(address, token="wrong") as client:
        client.follow("query", "flood")
    with socket.create_server(("127.0.0.1", 0)) as closed:
        nowhere = f"http://127.0.0.1:{closed.getsockname()[1]}"
    with pytest.raises(ApiError, match="cannot be reached") as error, Client(nowhere) as client:
        client.stories()
    assert error.value.status == 0


def test_what_is_no_scstory_is_said_to_be_none(site):
    site.pages["/api/stories"] = b"<html>hello</html>"
    with Client(site.url) as client:
        with pytest.raises(ApiError, match="not an answer of scstory"):
            client.stories()
        with pytest.raises(ApiError, match="404: nothing here"):
            client.story(1)


def test_the_asynchronous_client_does_the_same(address):
    async def ask():
        async with AsyncClient(address, token=TOKEN) as client:
            every = [story.id async for story in client.every_story(state="all", limit=2)]
            found = [article.id async for article in client.every_article(q="flood", limit=5)]
            one = await client.story(every[0])
            made = await client.follow("story", one.id)
            followed = await client.following()
            await client.unfollow(made.number)
            async for event in client.events(after=0):
                assert event.number == 1
                break
            with pytest.raises(ApiError, match="does not exist"):
                await client.story(99999)
            return every, found, followed.stories[0].story.id

    every, found, followed = asyncio.run(ask())
    with Client(address) as client:
        assert every == [story.id for story in client.every_story(state="all")]
        assert found == [article.id for article in client.every_article(q="flood")]
    assert followed == every[0]


def test_both_clients_have_the_same_methods():
    def methods(kind):
        return {
            name: list(inspect.signature(method).parameters.values())
            for name, method in inspect.getmembers(kind, inspect.isfunction)
            if not name.startswith("_") and name not in ("close", "aclose")
        }

    assert methods(Client) == methods(AsyncClient)


def test_the_code_that_the_documentation_shows_runs(address, capsys):
    page = (Path(__file__).parents[2] / "docs" / "api.md").read_text("utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    code = code.replace("http://127.0.0.1:8765", address).replace("ferry AND strike", "flood")
    exec(compile(code, "api.md", "exec"), {})
    shown = capsys.readouterr().out
    assert "404 story 99999: does not exist" in shown
    assert len(shown.splitlines()) > 2
