"""Threads and sections on the command line, and the other stories that an article is about."""

import json

import pytest

from tests.serve.conftest import surveyed  # noqa: F401
from tests.surveyed import ROUND_UP


@pytest.fixture
def ask(scstory, surveyed):  # noqa: F811
    return lambda *arguments: scstory(*arguments, "--db", surveyed)


def lines(outcome):
    return [json.loads(line) for line in outcome.out.splitlines()]


def test_threads_and_sections_are_listed_and_shown(ask):
    threads, sections = lines(ask("threads", "--json")), lines(ask("sections", "--json"))
    assert len(threads) >= 3
    shown = ask("threads").out
    assert all(f"#{thread['id']}  " in shown for thread in threads)
    assert "1 thread; there are more, see --limit" in ask("threads", "--limit", 1).out
    (one,) = lines(ask("threads", threads[0]["id"], "--json"))
    assert len(one["members"]) == one["stories"] == threads[0]["stories"]
    of_story = ask("threads", one["members"][-1]["id"]).out
    assert all(f"#{story['id']}  " in of_story for story in one["members"])
    assert all(f"#{section['id']}  " in ask("sections").out for section in sections)
    stories = lines(ask("sections", sections[0]["id"], "--json"))
    assert len(stories) == sections[0]["stories"]
    assert "1 story shown; there are more" in ask("sections", 1, "--limit", 1).out


def test_a_story_and_an_article_say_what_else_they_belong_to(ask):
    (thread,) = lines(ask("threads", "--json"))[:1]
    (why,) = lines(ask("explain", ROUND_UP, "--json"))
    also = why["also_about"][0]
    shown = ask("explain", ROUND_UP).out
    assert f"Also about story {also['story']}" in shown
    (story,) = lines(ask("story", also["story"], "--json"))
    assert ROUND_UP in {one["article"] for one in story["also_in"]}
    assert f"Also in {ROUND_UP}" in ask("story", also["story"]).out
    assert f"scstory threads {thread['id']}" in ask("story", thread["id"]).out


@pytest.mark.parametrize("command", ["threads", "sections"])
def test_what_does_not_exist_is_refused_in_a_line(ask, command):
    refused = ask(command, 99999)
    assert refused.code == 2
    assert f"{command[:-1]} 99999: does not exist; scstory {command}" in refused.err
    assert ask(command, 0).code == 2
