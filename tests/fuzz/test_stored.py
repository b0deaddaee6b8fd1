"""What is stored and read again: saved engines and databases, after something damaged them."""

import sqlite3
from functools import cache

import numpy as np
from hypothesis import strategies as st

from scstory.config import Settings
from scstory.discovery import StoryDiscovery, load_engine
from scstory.discovery.state import dump_state, load_state
from scstory.errors import ScstoryError
from scstory.runners import Writer, open_engine
from scstory.store import open_store
from scstory.store.store_reader import SharedReader
from scstory.types import State
from scstory.vectors.hashing import HashingEncoder
from tests.conftest import engine_with, make_stream
from tests.fuzz.inputs import damaged, file_of, fuzz, json_values, only


@cache
def engine():
    made = engine_with(HashingEncoder(dim=8), heads=2, batch_size=4)
    made.decide(make_stream(3))
    made.finish()
    return made


@cache
def saved():
    return dump_state(engine().state())


@cache
def database():
    with file_of("s.db", b"") as path:
        path.unlink()
        store = open_store(str(path))
        store.accept(make_stream(2))
        writer = Writer(engine_with(HashingEncoder(dim=8), heads=2, batch_size=4), store)
        writer.drain()
        writer.finish()
        store.subscribe("https://a.example/", "A")
        store.close()
        return path.read_bytes()


def restore(state):
    load_engine(state, HashingEncoder(dim=8)).stories()


@fuzz(st.deferred(lambda: damaged(saved())))
def test_any_saved_engine(body):
    with file_of("engine.npz", body) as path, only(ScstoryError):
        StoryDiscovery.load(path, encoder=HashingEncoder(dim=8)).stories()


@fuzz(st.data())
def test_a_saved_engine_with_something_else_in_it(data):
    state = load_state(saved())
    meta, arrays = dict(state.meta), dict(state.arrays)
    if data.draw(st.booleans()):
        name = data.draw(st.sampled_from(sorted(meta)))
        meta[name] = data.draw(json_values)
        if data.draw(st.booleans()):
            del meta[name]
    else:
        name = data.draw(st.sampled_from(sorted(arrays)))
        other = data.draw(
            st.sampled_from(
                [[], [1, 2], [[0.5]], [-1], [10**9], [np.nan], ["x"], 7, *arrays.values()]
            )
        )
        arrays[name] = np.array(other)
        if data.draw(st.booleans()):
            del arrays[name]
    with only(ScstoryError):
        restore(State(meta, arrays, state.members))


def read_all(path):
    store = open_store(path, create=False)
    try:
        for story in store.stories():
            store.redirect(story.id)
            store.articles_of(story.id)
        store.article("flood-1")
        for part in (
            store.counts,
            store.subscriptions,
            store.parked,
            store.last_event,
            store.check,
        ):
            part()
        store.events(0)
        store.pending(10)
        if store.state() is not None:
            open_engine(store, Settings())
    finally:
        store.close()


@fuzz(st.deferred(lambda: damaged(database())))
def test_any_database(body):
    with file_of("s.db", body) as path:
        with only(ScstoryError):
            read_all(str(path))
        with only(ScstoryError):
            SharedReader(str(path)).counts()


@fuzz(st.data())
def test_a_database_with_something_else_in_it(data):
    with file_of("s.db", database()) as path:
        db = sqlite3.connect(path)
        tables = [r[0] for r in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        table = data.draw(st.sampled_from(sorted(tables)))
        columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
        column = data.draw(st.sampled_from(columns))
        value = data.draw(
            st.sampled_from([None, "", "{", "[]", "{}", "null", b"\xff", -1, 2**62, 1.5, "9" * 30])
        )
        try:
            db.execute(f"UPDATE OR REPLACE {table} SET {column} = ?", (value,))
            db.commit()
        except sqlite3.Error:
            return
        finally:
            db.close()
        with only(ScstoryError):
            read_all(str(path))


@fuzz(st.deferred(lambda: damaged(database())))
def test_a_run_on_any_database(body):
    with file_of("s.db", body) as path, only(ScstoryError):
        store = open_store(str(path))
        try:
            store.accept(make_stream(4))
            if store.state() is not None:
                writer = Writer(open_engine(store, Settings()), store)
                writer.step(3)
        finally:
            store.close()
