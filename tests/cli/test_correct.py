"""Corrections on the command line, with and without a writer beside it."""

import json
import os
import threading

import pytest

from scstory.config import Settings
from scstory.runners import Writer, open_engine
from scstory.store import open_store


@pytest.fixture
def db(db):
    os.rename(db, "s.db")
    return "s.db"


def test_correct_and_undo(scstory, db):
    found = [
        json.loads(line)
        for line in scstory("stories", "--all", "--json", "--db", db).out.splitlines()
    ]
    large = max(found, key=lambda story: story["size"])
    other = next(story for story in found if story["id"] != large["id"])
    done = scstory("correct", "merge", other["id"], large["id"], "--db", db, "--by", "Ann")
    assert done.code == 0, done.err
    assert f"correction 1: merged story {other['id']}" in done.out
    assert "scstory correct undo 1 --db s.db" in done.out
    shown = scstory("story", other["id"], "--db", db, "--json")
    assert json.loads(shown.out)["id"] == large["id"]
    renamed = scstory("correct", "rename", large["id"], "Our title", "--db", db, "--json")
    assert json.loads(renamed.out)["status"] == "done"
    assert "Our title" in scstory("story", large["id"], "--db", db).out
    for kind in ("pin", "unpin", "hide", "show"):
        assert scstory("correct", kind, large["id"], "--db", db).code == 0
    assert scstory("correct", "undo", 1, "--db", db).code == 0
    shown = json.loads(scstory("story", other["id"], "--db", db, "--json").out)
    assert (shown["id"], shown["size"]) == (other["id"], other["size"])
    listed = scstory("correct", "list", "--db", db).out
    assert "Ann" in listed
    assert "undone" in listed
    assert "No corrections" in scstory("correct", "list", 10_000, "--db", db).out


def test_what_cannot_be_done_is_one_line(scstory, db):
    refused = scstory("correct", "merge", 1, 1, "--db", db)
    assert refused.code == 2
    assert refused.err.count("\n") == 1
    assert "cannot be merged with itself" in refused.err
    assert scstory("correct", "pin", 1, "--db", "none.db").code == 2
    assert scstory("correct", "move", 1, "nobody", "--db", db).code == 2


def test_the_writer_beside_it_carries_it_out(scstory, db):
    store = open_store(db)
    engine = open_engine(store, Settings())
    writer, stop = Writer(engine, store), threading.Event()
    thread = threading.Thread(target=writer.run, args=(stop,), kwargs={"poll": 0.05})
    thread.start()
    try:
        done = scstory("correct", "pin", 1, "--db", db)
    finally:
        stop.set()
        thread.join()
        store.close()
    assert done.code == 0, done.err
    assert "pinned story 1" in done.out
