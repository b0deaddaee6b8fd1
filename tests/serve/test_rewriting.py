"""Summaries rewritten by a language model, which a small server on the loopback plays."""

import json
import re
import threading
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from pydantic import ValidationError

from scstory.config import RewriteSettings, Settings
from scstory.serve import rewriting
from scstory.serve.rewriting import Rewriter, UnusableAnswer, read_answer
from scstory.store.address import open_database
from scstory.store.records import StoryQuery
from scstory.store.rewritten import RewrittenSummaries
from scstory.store.store_reader import SharedReader
from scstory.types import Quote
from tests.serve.conftest import until

KEY = "a-key"
SET_SUMMARY = "UPDATE stories SET summary = ? WHERE id = ?"
QUOTES = (
    Quote("The river Alder flooded 12 homes in Kelby on Tuesday.", "a1"),
    Quote("Ann Lanning said that the bank behind Mill Lane had failed.", "a2"),
)


@pytest.fixture
def db(file_db):
    """Return the path of a database whose stories have summaries."""
    database = open_database(file_db, create=False, write=True)
    found = database.rows("SELECT story, min(article) FROM assignments GROUP BY story")
    for story, article in found:
        summary = json.dumps([[quote.text, article] for quote in QUOTES])
        database.write(partial(database.run, SET_SUMMARY, (summary, story)))
    database.close()
    return file_db


def retell(prompt):
    """Answer as a good model does: the same sentences, with their numbers behind them."""
    return " ".join(f"{text} [{n}]" for n, text in re.findall(r"^\[(\d+)\] (.*)$", prompt, re.M))


@contextmanager
def model(answer, statuses=()):
    """Serve an OpenAI-compatible address; give it and the requests that came."""
    requests, statuses = [], list(statuses)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            requests.append((self.path, self.headers["authorization"], body))
            said = answer(body["messages"][-1]["content"])
            sent = json.dumps({"choices": [{"message": {"content": said}}]}).encode()
            self.send_response(statuses.pop(0) if statuses else 200)
            self.send_header("content-length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", requests
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def rewriter(db, url, problems):
    """Run the thread that rewrites; give what reads the database."""
    settings = RewriteSettings(url=url, model="small", key=KEY, min_articles=2)
    browser = SharedReader(db)
    thread = Rewriter(settings, RewrittenSummaries(db), browser, on_problem=problems.append)
    thread.start()
    try:
        yield browser
    finally:
        thread.stop()
        browser.close()


def summarised(browser):
    """Return the stories whose summaries can be rewritten."""
    rows, _ = browser.story_page(StoryQuery(active=True, min_size=2, sort="momentum"), limit=30)
    return [row for row in rows if len(row.summary) > 1]


def test_a_rewritten_summary_is_marked_and_cites_its_articles(db, reader, capsys):
    from scstory.cli.story import command

    problems = []
    with model(retell) as (url, requests), rewriter(db, url, problems) as browser:
        stories = summarised(browser)
        until(lambda: all(browser.rewritten(story) for story in stories))
        story = stories[0]
        asked = len(requests)
    assert (problems, asked) == ([], len(stories))
    path, authorization, body = requests[0]
    assert (path, authorization) == ("/v1/chat/completions", f"Bearer {KEY}")
    assert body["model"] == "small"
    said = reader.get(f"/api/stories/{story.id}").json()
    assert said["rewritten"]["model"] == "small"
    assert said["rewritten"]["sentences"][0]["articles"] == [said["summary"][0]["article"]]
    page = reader.get(f"/stories/{story.id}").text
    assert "Rewritten by small, a language model" in page
    assert f'href="/articles/{said["summary"][0]["article"]}" aria-label="Source 1"' in page
    command(story.id, db=db)
    assert "Rewritten by small, a language model:" in capsys.readouterr().out


def test_what_the_model_makes_up_is_not_shown(db, reader):
    problems = []
    with (
        model(lambda prompt: "Queen Zenobia came with 99 elephants. [1]") as (url, requests),
        rewriter(db, url, problems) as browser,
    ):
        stories = summarised(browser)
        until(lambda: len(requests) >= len(stories) and len(problems) >= len(stories))
        assert not any(browser.rewritten(story) for story in stories)
    assert "'Zenobia' is not in the sentences that it cites" in problems[0]
    assert len(requests) == len(stories)  # the same summary is not asked for again
    assert "Rewritten by" not in reader.get(f"/stories/{stories[0].id}").text


def test_a_model_that_fails_is_asked_again(db, monkeypatch):
    monkeypatch.setattr(rewriting, "FIRST_RETRY", 0.01)
    problems = []
    with model(retell, [503, 429]) as (url, _), rewriter(db, url, problems) as browser:
        story = summarised(browser)[0]
        until(lambda: browser.rewritten(story))
    assert [problem.rpartition(" ")[2] for problem in problems] == ["503", "429"]


def test_a_summary_that_has_changed_is_shown_as_it_is(db):
    summaries = RewrittenSummaries(db)
    summaries.put(1, QUOTES, read_answer(retell("[1] Alder. \n[2] Mill Lane."), QUOTES), "small")
    assert summaries.of(1, QUOTES).model == "small"
    assert summaries.of(1, QUOTES[::-1]) is None
    summaries.close()


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("The Alder flooded homes in Kelby.", "cites nothing"),
        ("The Alder flooded homes. [1] Nobody was hurt.", "cites nothing"),
        ("The Alder flooded homes in Kelby. [3]", r"cites \[3\]; there are 2"),
        ("The Alder flooded 13 homes in Kelby. [1]", "'13' is not in"),
        ("The bank behind Mill Lane failed. [1]", "'Mill' is not in"),
        ("The Alder flooded homes in Kelby again and again. [1] " * 9, "longer than"),
        ("", "cites nothing"),
    ],
)
def test_an_answer_that_cannot_be_checked_is_not_used(answer, problem):
    with pytest.raises(UnusableAnswer, match=problem):
        read_answer(answer, QUOTES)


def test_sentences_may_be_joined_and_reworded():
    answer = "After the bank behind Mill Lane failed, the Alder flooded 12 homes in Kelby [1, 2]."
    (cited,) = read_answer(answer, QUOTES)
    assert cited.articles == ("a1", "a2")


def test_nothing_is_sent_unless_an_address_and_a_model_are_set():
    assert Settings().rewrite.url is None
    with pytest.raises(ValidationError, match=r"set rewrite\.model"):
        RewriteSettings(url="http://127.0.0.1:11434/v1")
