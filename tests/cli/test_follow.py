"""Following and the digest on the command line, on what a run leaves."""

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import lines


def test_following_muting_and_removing(scstory, db):
    story = lines(scstory("stories", "--all", "--json"))[0]
    made = scstory("follow", "story", story["id"])
    assert (made.code, made.out) == (0, f"following #1  story {story['id']}\n")
    assert (
        scstory("follow", "query", "  the  OR a", "--mute").out
        == "muted #2  muted query the OR a\n"
    )
    assert scstory("follow", "outlet", "Courier").code == 0
    listed = lines(scstory("follow", "list", "--json"))
    assert [(one["kind"], one["muted"]) for one in listed] == [
        ("story", False),
        ("query", True),
        ("outlet", False),
    ]
    assert "muted query the OR a" in scstory("follow", "list").out
    assert scstory("follow", "remove", 2).code == 0
    found = lines(scstory("follow", "stories", "--json"))
    assert 1 in next(one["because"] for one in found if one["id"] == story["id"])
    assert f"#{story['id']}" in scstory("follow", "stories").out


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("follow", "story", 99999), "story 99999: does not exist"),
        (("follow", "query", " "), "empty"),
        (("follow", "outlet", "?"), "letter or a digit"),
        (("follow", "remove", 9), "follow list shows all"),
        (("webhooks", "add", "ftp://x.example"), "ftp://x.example"),
        (("webhooks", "add", "https://x.example", "--kind", "odd"), "there are new"),
        (("webhooks", "add", "https://x.example", "--query", " "), "empty"),
        (("webhooks", "add", "https://x.example", "--story", 99999), "does not exist"),
        (("webhooks", "remove", 3), "does not exist"),
        (("digest", "--day", "soon"), "write a date like 2026-03-03"),
        (("digest", "--html", "--json"), "one of them"),
        (("digest", "--url", "ftp://x"), "--url ftp://x"),
    ],
)
def test_wrong_usage_is_one_line(scstory, db, arguments, reason):
    outcome = scstory(*arguments)
    assert outcome.code == 2
    assert outcome.out == ""
    assert reason in outcome.err
    assert outcome.err.count("\n") == 1


def test_the_digest_is_of_the_latest_day_unless_told(scstory, db):
    (digest,) = lines(scstory("digest", "--json"))
    assert digest["articles"]
    (same,) = lines(scstory("digest", "--day", digest["day"], "--json"))
    assert same == digest
    markdown = scstory("digest").out
    assert markdown.startswith("# Stories of ")
    assert "](http" not in markdown.split("\n### ")[0]
    linked = scstory("digest", "--url", "https://news.example/x/").out
    assert "](https://news.example/x/stories/" in linked
    assert scstory("digest", "--html").out.startswith("<!doctype html>")
    assert "No article of this day" in scstory("digest", "--day", "2020-01-01").out


def test_the_commands_that_the_documentation_shows_run(scstory, db):
    page = (Path(__file__).parents[2] / "docs" / "follow.md").read_text("utf-8")
    commands = re.findall(r"^\$ scstory ([^#|\n>]*)", page, re.MULTILINE)
    assert len(commands) == 14
    for command in commands:
        words = shlex.split(command.replace(" 29", " 1"))
        outcome = scstory(*words)
        assert (outcome.code, outcome.err) == (0, ""), command


def test_lists_of_articles_and_stories_in_every_form(scstory, db):
    every = lines(scstory("articles", "--json"))
    assert len(every) == 40
    assert [row["date"] for row in every] == sorted((r["date"] for r in every), reverse=True)
    day = every[0]["date"][:10]
    of_day = lines(scstory("articles", "--since", day, "--until", day, "--format", "json"))
    assert {row["date"][:10] for row in of_day} == {day}
    found = lines(scstory("articles", "--search", "river", "--limit", 2, "--json"))
    assert 0 < len(found) <= 2
    story = every[0]["story"]
    assert {r["story"] for r in lines(scstory("articles", "--story", story, "--json"))} == {story}
    table = scstory("articles", "--format", "csv").out
    assert table.startswith("id,date,title,")
    assert len(table.splitlines()) == 41
    assert "40 articles of 40." in scstory("articles").out
    stories = lines(scstory("stories", "--all", "--json"))
    table = scstory("stories", "--all", "--format", "csv").out.splitlines()
    assert len(table) == len(stories) + 1
    assert scstory("stories", "--all", "--format", "markdown").out.startswith("| Story | Articles")
    of_search = scstory("stories", "--search", "river", "--format", "csv").out.splitlines()
    assert len(of_search) == len(lines(scstory("stories", "--search", "river", "--json"))) + 1
    for arguments in (("articles", "--format", "pdf"), ("stories", "--format", "x")):
        assert scstory(*arguments).code == 2
    for arguments in (("--since", "soon"), ("--search", "since:x"), ("--outlet", "?")):
        outcome = scstory("articles", *arguments)
        assert (outcome.code, outcome.out) == (2, "")


def test_webhooks_are_added_listed_and_removed(scstory, db):
    story = lines(scstory("stories", "--all", "--json"))[0]["id"]
    made = scstory("webhooks", "add", "https://x.example/hook", "--story", story, "--kind", "new")
    assert made.code == 0
    assert re.search(r"^secret, shown once: \S{40,}$", made.out, re.MULTILINE)
    assert scstory("webhooks", "add", "https://y.example/", "--query", " ferry  strike").code == 0
    first, second = lines(scstory("webhooks", "list", "--json"))
    assert (first["story"], first["query"], first["kinds"]) == (story, None, ["new"])
    assert (second["story"], second["query"]) == (None, "ferry strike")
    assert "secret" not in first
    assert "ferry strike" in scstory("webhooks", "list").out
    assert scstory("webhooks", "remove", first["number"]).code == 0
    assert len(lines(scstory("webhooks", "list", "--json"))) == 1
