"""A whole database as JSON Lines and back, from each kind of store to each."""

import json
from contextlib import closing

import pytest

from scstory.errors import ScstoryError, StoreError, UsageError
from scstory.store import open_store
from scstory.store.transfer import NOT_CARRIED, carried_tables, export_lines, import_lines
from scstory.store.webhooks import Webhooks
from tests.conftest import make_article
from tests.serve.conftest import any_db, file_db, server_db, told, told_server  # noqa: F401


@pytest.fixture
def full(any_db):  # noqa: F811
    """Return a store of each kind that holds something in every table that can."""
    with closing(open_store(any_db)) as store:
        store.accept([make_article(900, "flood"), make_article(901, "trial")])
        store.park(make_article(901, "trial"), "too [odd]")
        store.subscribe("https://wire.example/feed", "[1, 2]", "News / World")
        store.note_tries("https://wire.example/feed", {"a": 2}, make_article(0, "flood").published)
        store.follow("query", "ferry AND strike")
        with closing(Webhooks(any_db)) as hooks:
            hooks.add("https://x.example/", "secret-of-it", ["new"], after=3, query="flood")
        yield store


def exported(store):
    return store.db.read(lambda: list(export_lines(store.db)))


def imported(store, lines):
    return store.db.write(lambda: import_lines(store.db, lines, name="x.jsonl"))


@pytest.fixture(params=["file", "server"])
def target(request, tmp_path):
    if request.param == "file":
        with closing(open_store(str(tmp_path / "new.db"))) as store:
            yield store
        return
    postgres = request.getfixturevalue("postgres")
    address = postgres.make()
    with closing(open_store(address)) as store:
        yield store
    postgres.drop(address)


def test_everything_comes_back_whatever_the_kinds(full, target):
    lines = exported(full)
    assert imported(target, lines) == len(lines) - 2
    assert sorted(exported(target)) == sorted(lines)
    assert target.check().problems == ()
    for query in ("flood", '"river flood"', "outlet:Wire"):
        assert target.stories_of_query(query) == full.stories_of_query(query)
    state, again = full.state(), target.state()
    assert again.meta == state.meta
    assert [m.article for m in again.members] == [m.article for m in state.members]
    # New rows are numbered after those that came.
    assert target.accept([make_article(950, "flood")])[0].status == "accepted"
    assert target.follow("outlet", "Herald").number == full.follows()[-1].number + 1


def test_every_table_is_carried_or_named_as_not_carried(full):
    names = [json.loads(line).get("table") for line in exported(full)]
    tables = set(full.db.tables())
    assert set(filter(None, names)) <= tables
    assert set(carried_tables(full.db)) == tables - NOT_CARRIED
    without_rows = {"feed_items", "follows", "webhooks", "feeds", "parked", "inbox", "vectors"}
    assert without_rows <= set(names)


def damaged(lines):
    row = next(n for n, line in enumerate(lines) if '"articles"' in line[:30])
    yield "breaks off", lines[:-1]
    key = next(n for n, line in enumerate(lines) if '"text_keys"' in line[:30])
    yield "breaks off", lines[:key] + lines[key + 1 :]
    yield "cut off", [*lines[:row], lines[row][:40], *lines[row + 1 :]]
    yield "not a row of a table", [*lines[:3], '{"table": "users", "row": {}}\n', *lines[3:]]
    yield "not a row of a table", [*lines[:3], '{"table": "head", "row": {"x": 1}}\n', *lines[3:]]
    yield "after its end", [*lines, lines[1]]
    yield "not an export", lines[1:]
    yield "not an export", []
    yield "newer scstory", [lines[0].replace('"schema": ', '"schema": 99'), *lines[1:]]
    yield "another version", [lines[0].replace('"version": 1', '"version": 2'), *lines[1:]]
    yield "cannot be written", [lines[0], lines[2], lines[2], *lines[1:]]


def test_a_damaged_export_leaves_nothing(full, target):
    lines = exported(full)
    before = exported(target)
    for reason, broken in damaged(lines):
        with pytest.raises(ScstoryError, match=reason) as error:
            imported(target, broken)
        assert isinstance(error.value, UsageError | StoreError)
        assert "\n" not in str(error.value)
        assert exported(target) == before
