"""Looking after a database: doctor, backup, compact, and who may do what at the same time."""

import json
import os
import re
import signal
import sqlite3

import pytest

from scstory.errors import AlreadyClaimed
from scstory.store import open_store
from tests.cli.conftest import lines
from tests.conftest import make_article


def test_doctor_finds_a_sound_database_sound(scstory, db):
    outcome = scstory("doctor")
    assert outcome.code == 0
    assert "scstory.db: 40 articles of" in outcome.out
    assert re.search(r"MB, schema \d+$", outcome.out, re.MULTILINE)
    assert "The database is consistent." in outcome.out
    (told,) = lines(scstory("doctor", "--json"))
    assert (told["articles"], told["inbox"], told["parked"], told["problems"]) == (40, 0, [], [])


def test_doctor_shows_what_was_put_aside_and_retries_it(scstory, articles, db):
    store = open_store(db)
    bad = make_article(1, "flood")
    store.accept([bad, make_article(2, "trial")])
    store.park(bad, "ValueError: too odd\x1b[31m")
    store.close()
    outcome = scstory("doctor")
    assert outcome.code == 1
    assert "1 article in the inbox" in outcome.out
    assert "parked: flood-1: ValueError: too odd" in outcome.out
    assert "\x1b" not in outcome.out
    outcome = scstory("doctor", "--retry")
    assert outcome.code == 0
    assert "1 article put back into the inbox for the next run" in outcome.out
    outcome = scstory("run", articles, "--json")
    assert {d["article"] for d in lines(outcome)} == {"flood-1", "trial-2"}
    assert "2 articles taken in" in outcome.err
    assert scstory("doctor").code == 0


def test_doctor_finds_what_is_wrong(scstory, db):
    with sqlite3.connect(db) as raw:
        raw.execute("DELETE FROM assignments WHERE article = 'a001'")
        raw.execute("DELETE FROM vectors WHERE article = 'a001'")
        raw.execute("UPDATE stories SET size = size + 3 WHERE id = (SELECT max(id) FROM stories)")
    outcome = scstory("doctor")
    assert outcome.code == 1
    assert "wrong: 1 articles of no story" in outcome.out
    assert "wrong: 2 stories whose size is not the number of their articles" in outcome.out
    assert scstory("doctor", "--json").code == 1


def test_doctor_finds_a_damaged_file(scstory, db):
    with sqlite3.connect(db) as raw:
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    size = os.path.getsize(db)
    with open(db, "r+b") as file:
        file.seek(size // 2)
        file.write(os.urandom(size // 4))
    outcome = scstory("doctor")
    assert outcome.code == 1
    assert outcome.err.count("\n") <= 1
    assert "Traceback" not in outcome.err


def test_backup_is_a_whole_database_also_while_another_has_it(scstory, db):
    busy = open_store(db)
    busy.claim()
    outcome = scstory("backup", "copy.db")
    busy.close()
    assert (outcome.code, outcome.out[:19]) == (0, "copy.db: 40 article")
    assert scstory("doctor", "--db", "copy.db").code == 0
    listed = scstory("stories", "--all", "--json").out
    assert scstory("stories", "--all", "--json", "--db", "copy.db").out == listed
    for path, message in (("copy.db", "exists already"), ("no/copy.db", "folder does not exist")):
        outcome = scstory("backup", path)
        assert outcome.code == 2
        assert message in outcome.err


def test_compact_lets_text_go_and_keeps_the_stories(scstory, articles, db):
    # Move the window on, so that the articles are past.
    later = {"id": "z", "date": "2026-06-01", "title": "Later", "text": "Something else now."}
    with open("later.jsonl", "w") as file:
        file.write(json.dumps(later))
    scstory("run", "later.jsonl")
    before = scstory("stories", "--all", "--json").out
    outcome = scstory("compact", "--older-than", "100w")
    assert outcome.out.startswith("scstory.db: deleted the text of 0 articles")
    outcome = scstory("compact", "--older-than", "1s")
    assert outcome.code == 0
    assert outcome.out.startswith("scstory.db: deleted the text of 40 articles from before")
    assert scstory("stories", "--all", "--json").out == before
    assert scstory("story", 1).code == 0
    assert scstory("explain", "a001").code == 0
    assert scstory("doctor").code == 0
    outcome = scstory("run", articles)
    assert "40 already known." in outcome.err
    outcome = scstory("compact", "--older-than", "soon")
    assert outcome.code == 2


def test_the_lock_of_the_writer_names_it_and_goes_with_it(scstory, db):
    first = open_store(db)
    first.claim()
    with pytest.raises(AlreadyClaimed, match=f"process {os.getpid()} is its writer; stop it"):
        open_store(db).claim()
    first.close()
    assert not os.path.exists("scstory.db.lock")


def test_a_writer_that_is_killed_leaves_no_lock(scstory, db):
    child = os.fork()
    if not child:
        open_store(db).claim()
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    assert os.path.exists("scstory.db.lock")  # the file, which nobody holds
    store = open_store(db)
    store.claim()
    store.close()
