"""The server for assistants, asked by the SDK's own client: in this process and over stdio."""

import asyncio
import json
import sys
from functools import partial

import pytest
from mcp import Client, StdioServerParameters

from scstory.mcp_server import make_server, of_database, of_service
from tests.cli.conftest import scstory  # noqa: F401
from tests.serve.conftest import file_db, listening, told, writing  # noqa: F401


async def answers(server, *calls):
    """Return what tools answer: their values, or the reason why there are none."""
    found = []
    async with Client(server) as client:
        for name, arguments in calls:
            result = await client.call_tool(name, arguments)
            text = result.content[0].text
            found.append(text if result.is_error else json.loads(text))
    return found


def test_every_tool_answers_and_refuses_with_the_reason(file_db):  # noqa: F811
    async def ask():
        server = make_server(partial(of_database, db=file_db))
        (found,) = await answers(server, ("search_stories", {"query": "flood", "limit": 3}))
        story = found["stories"][0]
        assert "flood" in story["title"].lower()
        server = make_server(partial(of_database, db=file_db))
        read, articles, digest, followed, none, wrong = await answers(
            server,
            ("read_story", {"story": story["story"]}),
            ("search_articles", {"query": "flood", "since": "2026-01-01", "limit": 5}),
            ("digest", {"day": "2026-03-05"}),
            ("followed_stories", {}),
            ("read_story", {"story": 99999}),
            ("search_stories", {"query": "since:soon"}),
        )
        assert read["articles_in_all"] == story["articles_in_all"]
        assert len(articles["articles"]) == 5
        assert articles["total"] == 24
        assert digest["articles"]
        assert followed == {"stories": []}
        assert "story 99999: does not exist" in none
        assert "since:soon" in wrong
        server = make_server(partial(of_database, db=file_db))
        one = read["articles"][0]["article"]
        text, why, gone, many = await answers(
            server,
            ("read_article", {"article": one}),
            ("explain_article", {"article": one}),
            ("read_article", {"article": "no/such one"}),
            ("search_stories", {"limit": 5000}),
        )
        assert text["text"]
        assert not text["cut_off"]
        assert why["story"] == story["story"]
        assert "does not exist" in gone
        assert "less than or equal to 50" in many

    asyncio.run(ask())


def test_it_says_what_it_is_and_that_it_only_reads(file_db):  # noqa: F811
    async def ask():
        async with Client(make_server(partial(of_database, db=file_db))) as client:
            tools = (await client.list_tools()).tools
            assert len(tools) == 10
            assert all(tool.description and tool.annotations.read_only_hint for tool in tools)
            assert "untrusted" in client.instructions

    asyncio.run(ask())


def test_it_asks_a_service(file_db):  # noqa: F811
    with writing(file_db) as service, listening(service) as address:
        server = make_server(partial(of_service, url=address))
        (found,) = asyncio.run(answers(server, ("search_stories", {"query": "trial"})))
        assert found["stories"]
    server = make_server(partial(of_service, url=address))
    (refused,) = asyncio.run(answers(server, ("search_stories", {})))
    assert "cannot be reached" in refused


def test_the_command_speaks_over_standard_input_and_output(file_db):  # noqa: F811
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "scstory", "mcp", "--db", file_db]
    )
    (found,) = asyncio.run(answers(command, ("search_stories", {"query": "comet"})))
    assert found["stories"]


def test_wrong_usage_and_a_missing_extra_are_one_line(scstory, monkeypatch):  # noqa: F811
    for arguments, reason in (
        (("--db", "no.db"), "no such database"),
        (("--db", "x.db", "--url", "http://x.example"), "one of them"),
        (("--url", "ftp://x.example"), "--url ftp://x.example"),
    ):
        outcome = scstory("mcp", *arguments)
        assert (outcome.code, outcome.out) == (2, "")
        assert reason in outcome.err
        assert outcome.err.count("\n") == 1
    for name in [name for name in sys.modules if name.partition(".")[0] == "mcp"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp", None)
    outcome = scstory("mcp", "--url", "http://x.example")
    assert outcome.code == 2
    assert "pip install 'scstory[mcp]'" in outcome.err


@pytest.fixture(autouse=True)
def no_credentials(monkeypatch):
    monkeypatch.delenv("SCSTORY_TOKEN", raising=False)
