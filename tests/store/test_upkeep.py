"""Events, redirects, old schemas: what a store keeps true over time."""

import os
import sqlite3
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from importlib.resources import files
from multiprocessing import get_context
from tempfile import TemporaryDirectory

import pytest

from scstory.discovery.state import dump_state
from scstory.errors import NoDatabase, StoreError
from scstory.store import commits, open_store
from scstory.store.address import is_server
from scstory.store.sqlite import APPLICATION_ID
from tests.conftest import make_article, make_distinct
from tests.discovery.test_engine import decisions, make
from tests.postgres import raw
from tests.store.test_store import by_slide, fill, step


@pytest.fixture
def file(tmp_path):
    return str(tmp_path / "s.db")


def test_events_tell_what_happened_in_order(path):
    store, engine = open_store(path), make()
    for day, topic in ((0, "flood"), (1, "flood"), (20, "comet")):
        fill(store, engine, [make_article(day, topic, day=day)])
    events = store.events(0)
    assert [(e.number, e.kind, e.story, e.articles) for e in events] == [
        (1, "new", 1, ("flood-0",)),
        (2, "grew", 1, ("flood-1",)),
        (3, "new", 2, ("comet-20",)),
        (4, "ended", 1, ()),
    ]
    assert events == store.events(0, 2) + store.events(2)
    assert store.last_event() == 4
    assert store.events(4) == []


def test_events_are_numbered_on_and_pruned(path, monkeypatch):
    monkeypatch.setattr(commits, "MAX_EVENTS", 5)
    store, engine = open_store(path), make()
    fill(store, engine, make_distinct(6))
    numbers = [event.number for event in store.events(0)]
    assert len(numbers) == 5
    assert numbers == list(range(numbers[0], numbers[0] + 5))
    assert numbers[-1] == store.last_event() > 10


def test_a_commit_that_fails_leaves_no_event(path):
    store, engine = open_store(path), make()
    fill(store, engine, make_distinct(1))
    last = store.last_event()
    article = make_article(98, "flood", day=1)
    store.accept([article])
    decided = engine.decide([article])
    broken = [replace(decided[0], article="no such article")]
    with pytest.raises(StoreError):
        store.commit([article], broken, engine.stories(), engine.state())
    assert store.last_event() == last
    store.commit([article], decided, engine.stories(), engine.state())
    assert [event.number for event in store.events(last)] == [last + 1]


def test_merged_stories_lead_to_the_one_that_is_left(path):
    store, engine = open_store(path), make(delta=0.999)
    fill(store, engine, [make_article(1, topic) for topic in ("flood", "trial", "comet")])
    state, (one, two, three) = engine.state(), sorted(engine.stories(), key=lambda s: s.id)
    joined = replace(two, size=two.size + one.size)
    store.commit([], [], [joined, three], state, redirects={one.id: two.id})
    whole = replace(three, size=joined.size + three.size)
    store.commit([], [], [whole], state, redirects={two.id: three.id})
    for old in (one.id, two.id, three.id):
        assert store.redirect(old) == three.id
        assert store.story(old).size == len(store.story(old).articles) == whole.size
    assert [s.id for s in store.stories()] == [three.id]
    assert [(e.kind, e.story, e.becomes) for e in store.events(0) if e.kind == "merged"] == [
        ("merged", one.id, two.id),
        ("merged", two.id, three.id),
    ]
    assert store.check().problems == ()


def test_a_database_of_the_first_schema_goes_on(file):
    stream = make_distinct(6)
    slides = list(by_slide(stream))
    engine = make()
    with sqlite3.connect(file) as db:
        script = (files("scstory.store.migrations") / "0001_initial.sql").read_text()
        db.executescript(script)
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        db.execute("PRAGMA user_version = 1")
    newer = open_store(file + ".new")
    fill(newer, engine, [a for slide in slides[:3] for a in slide])
    with sqlite3.connect(file) as db:
        db.execute("ATTACH ? AS newer", (newer.name,))
        columns = "sequence, id, published, title, text, url, source, language"
        db.execute(f"INSERT INTO articles SELECT {columns} FROM newer.articles")
        for table in ("vectors", "stories", "assignments"):
            found = db.execute(f"SELECT name FROM pragma_table_info('{table}', 'main')").fetchall()
            columns = ", ".join(name for (name,) in found)
            db.execute(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM newer.{table}")
        db.execute("INSERT INTO engine VALUES (1, ?)", (dump_state(engine.state(), members=False),))
    store = open_store(file)
    assert dump_state(store.state()) == dump_state(engine.state())
    assert without_events(store) == without_events(newer)
    resumed = make()
    resumed.restore(store.state())
    fill(store, resumed, slides[3])
    fill(newer, engine, slides[3])
    assert dump_state(store.state()) == dump_state(newer.state())
    assert store.check().problems == ()
    assert decisions(step(resumed, slides[4])[1]) == decisions(step(engine, slides[4])[1])


def without_events(store):
    """Return the stories of a store, without what is newer than the first schema."""
    newer = {"summary": (), "milestones": (), "headlines": (), "title_article": None}
    newer |= {"language": None}
    return [replace(story, last_event=0, **newer) for story in store.stories()]


def test_a_reader_brings_an_old_schema_up_to_date(file):
    with sqlite3.connect(file) as db:
        db.executescript((files("scstory.store.migrations") / "0001_initial.sql").read_text())
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        db.execute("PRAGMA user_version = 1")
    assert open_store(file, create=False).counts()[:2] == (0, 0)


def test_readers_cannot_write(path):
    store = open_store(path)
    reader = open_store(path, create=False)
    with pytest.raises(StoreError, match="cannot be written"):
        reader.accept([make_article(0, "flood")])
    fill(store, make(), make_distinct(1))
    assert reader.counts() == store.counts()


@pytest.mark.parametrize("place", ["file", "folder"])
def test_readers_need_no_write_access(place):
    with TemporaryDirectory() as folder:  # pytest's own folders are closed to others
        path = f"{folder}/s.db"
        store = open_store(path)
        fill(store, make(), make_distinct(1))
        expected = store.stories()
        store.close()
        os.chmod(path, 0o444)
        os.chmod(folder, 0o777 if place == "file" else 0o555)
        with ProcessPoolExecutor(1, get_context("fork"), initializer=become_nobody) as pool:
            found = pool.submit(read_stories, path).result(60)
        os.chmod(folder, 0o755)
    assert found == expected


def become_nobody():
    if os.getuid() == 0:
        os.setuid(65534)


def read_stories(path):
    return open_store(path, create=False).stories()


def test_a_missing_database_is_wrong_usage(path):
    with pytest.raises(NoDatabase) as error:
        open_store(path, create=False)
    assert error.value.exit_code == 2


def test_only_what_changed_of_the_engine_is_written(path, monkeypatch):
    store, engine = open_store(path), make()
    stream = make_distinct(1)
    written = []
    write = store._write_parts
    monkeypatch.setattr(
        store,
        "_write_parts",
        lambda changed, keep: (written.append(set(changed)), write(changed, keep=keep))[1],
    )
    store.accept(stream)
    for article in stream[:3]:
        store.commit([article], engine.decide([article]), engine.stories(), engine.state())
    assert {"model", "terms"} <= written[0]
    for later in written[1:]:
        assert "meta" in later
        assert any(name.startswith("window-rows") for name in later)
        assert not {"model", "adam", "terms"} & later
    assert dump_state(store.state()) == dump_state(engine.state())


def read_all(store):
    for story in store.stories():
        list(store.articles_of(story.id))
    make().restore(store.state())


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE articles SET published = ''",
        "UPDATE assignments SET runners_up = 'null'",
        "UPDATE stories SET keywords = '{'",
        "UPDATE vectors SET article = '' WHERE position = (SELECT min(position) FROM vectors)",
        "DELETE FROM engine_parts WHERE name = 'meta'",
        "UPDATE engine_parts SET state = substr(state, 100)",
    ],
)
def test_rows_that_something_got_at_are_told_on_one_line(path, change):
    store = open_store(path)
    fill(store, make(), make_distinct(1))
    store.close()
    trespasser = raw(path)
    trespasser.run(
        "SET session_replication_role = replica" if is_server(path) else "PRAGMA foreign_keys = OFF"
    )
    trespasser.run(change)
    trespasser.close()
    reader = open_store(path, create=False)
    with pytest.raises(StoreError) as error:
        read_all(reader)
    assert "\n" not in str(error.value)
    reader.close()
