"""``scstory run FILE`` while another process is the writer: it hands the articles over."""

import json
import signal
import threading
from contextlib import contextmanager

import httpx2
import pytest

from scstory.config import Settings
from scstory.runners import Writer, handover, open_engine
from scstory.store import lease, open_store
from tests.cli.conftest import FAST, first_lines, lines
from tests.cli.test_serve import serving
from tests.postgres import raw

SETTINGS = Settings(encoder="hashing:64", discovery={"batch_size": 16})


@contextmanager
def writing(path, *, undecidable=None):
    """Have a writer decide what comes in, as a service does; one article may be too odd for it."""
    store, stop = open_store(path), threading.Event()
    writer = Writer(open_engine(store, SETTINGS), store)
    decide = writer.engine.decide

    def failing(members):
        if any(member.article.id == undecidable for member in members):
            raise ArithmeticError("not this one")
        return decide(members)

    writer.engine.decide = failing
    thread = threading.Thread(target=writer.run, args=(stop,), kwargs={"poll": 0.05})
    thread.start()
    try:
        yield store
    finally:
        stop.set()
        thread.join()
        store.close()


@pytest.fixture(autouse=True)
def hasty(monkeypatch):
    monkeypatch.setattr(handover, "POLL_SECONDS", 0.02)
    monkeypatch.setattr(handover, "CLAIM_SECONDS", 0.3)
    monkeypatch.setattr(lease, "INSIST_SECONDS", 0.1)


def test_the_writer_decides_and_the_run_reports(scstory, articles, path, first_run):
    with writing(path) as store:
        outcome = scstory("run", articles, "--json", "--db", path)
        assert store.is_writer()
    assert outcome.code == 0
    assert "is its writer, so these articles are handed over to it" in outcome.err
    assert "40 articles taken in" in outcome.err
    assert "now holds 40 articles" in outcome.err
    first, expected = (
        [line for line in lines(printed) if "was" not in line] for printed in (outcome, first_run)
    )
    assert [set(line) for line in first] == [{"article", "story", "confidence", "new"}] * 40
    assert [line["article"] for line in first] == [line["article"] for line in expected]
    # The stories are the same; a change of mind may come after the run has ended.
    listed = [
        [(story["id"], story["articles"]) for story in lines(scstory(*command))]
        for command in (
            ("stories", "--all", "--json", "--db", first_run.db),
            ("stories", "--all", "--json", "--db", path),
        )
    ]
    assert listed[0] == listed[1]
    with writing(path):
        again = scstory("run", articles, "--json", "--db", path)
    assert again.out == ""
    assert "0 articles taken in, 0 new stories; 40 already known." in again.err


def test_settings_that_contradict_the_databases_are_refused(scstory, articles, path):
    with writing(path):
        assert scstory("run", articles, "--db", path).code == 0
        for option, message in (
            (("--set", "delta=0.9"), "delta of 0.9: "),
            (("--encoder", "hashing:32"), "the saved state was made with hashing:64"),
        ):
            outcome = scstory("run", articles, "--db", path, *option)
            assert outcome.code == 2
            assert message in outcome.err
            assert outcome.err.count("\n") == 1


def test_if_the_writer_ends_the_run_decides_by_itself(scstory, articles, path, first_run):
    holder = open_store(path)
    holder.claim()
    ending = threading.Timer(1.0, holder.close)
    ending.start()
    outcome = scstory("run", articles, "--json", "--db", path, *FAST)
    ending.join()
    assert outcome.code == 0
    assert "has ended, so the rest is decided here" in outcome.err
    assert "40 articles taken in" in outcome.err
    assert outcome.out == first_run.out


def test_a_writer_that_hangs_is_told(scstory, articles, path, monkeypatch):
    monkeypatch.setattr(handover, "SILENT_SECONDS", 0.2)
    holder = open_store(path)
    holder.claim()
    ending = threading.Timer(3.0, holder.close)
    ending.start()
    outcome = scstory("run", articles, "--db", path, *FAST)
    ending.join()
    assert outcome.code == 0
    assert outcome.err.count("has decided nothing for") == 1
    assert "if it hangs, stop it and this run goes on by itself" in outcome.err


def test_what_cannot_be_decided_is_reported(scstory, articles, path):
    bad = {"id": "bad", "date": "2026-03-02", "title": "T", "text": "Unusual."}
    with articles.open("a") as file:
        file.write(json.dumps(bad))
    with writing(path, undecidable="bad"):
        outcome = scstory("run", articles, "--json", "--db", path)
    assert "bad: parked (ArithmeticError: not this one)" in outcome.err
    assert "40 articles taken in" in outcome.err
    assert "1 skipped (see above)" in outcome.err


def test_a_service_is_handed_what_a_file_holds(start, articles, tmp_path):
    db = str(tmp_path / "s.db")
    with serving("--db", db, "--encoder", "hashing") as service:
        process = start("run", str(articles), "--json", "--db", db)
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0
        printed = [json.loads(line) for line in out.splitlines()]
        assert len(first_lines(printed)) == 40
        assert f"process {service.process.pid} is its writer" in err
        found = httpx2.get(f"{service.address}/api/articles/{printed[-1]['article']}").json()
        assert found["story"] == printed[-1]["story"]


def test_stopped_while_it_waits_it_leaves_the_articles_in_the_inbox(start, articles, tmp_path):
    db = str(tmp_path / "s.db")
    holder = open_store(db)
    holder.claim()
    process = start("run", str(articles), "--db", db, *FAST)
    assert "handed over" in process.stderr.readline()
    while raw(db).value("SELECT count(*) FROM inbox") < 40:
        pass
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    assert len(holder.pending(100)) == 40
    holder.close()


def test_following_beside_a_writer_of_a_file_says_what_to_do(scstory, tmp_path):
    holder = open_store(str(tmp_path / "s.db"))
    holder.claim()
    outcome = scstory("run", "--follow", "https://a.example/feed", "--db", "s.db", *FAST)
    assert outcome.code == 1
    assert "if it is a service, add feeds to it with: scstory feeds add URL" in outcome.err
    holder.close()
