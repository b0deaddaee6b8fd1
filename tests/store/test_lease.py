"""One writer: a process that has lost the lease commits nothing more, whatever it believes."""

import os
import queue
import signal
import threading
import time

import psycopg
import pytest

from scstory.errors import AlreadyClaimed, LeaseLost
from scstory.store import lease, open_store
from scstory.store.postgres_connection import LOCK_TIMEOUT
from tests.conftest import make_article, make_distinct
from tests.crash.__main__ import content
from tests.discovery.test_engine import make
from tests.store.test_store import by_slide, fill, step


@pytest.fixture
def address(postgres):
    address = postgres.make()
    yield address
    postgres.drop(address)


@pytest.fixture
def short(monkeypatch):
    """Leases end soon, and nobody insists."""
    monkeypatch.setattr(lease, "SECONDS", 1.0)
    monkeypatch.setattr(lease, "INSIST_SECONDS", 0.0)


def pause(store):
    """Stop renewing, as a process does that is suspended."""
    held = store.db._lease
    held._stop.set()
    held._thread.join()


def claimed(store):
    try:
        store.claim()
        return True
    except AlreadyClaimed:
        return False


def until(condition, seconds=60.0):
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)
    return found


def test_one_keeps_the_others_are_refused_by_name(path, short):
    one, other = open_store(path), open_store(path)
    one.claim()
    one.claim()  # once more is no harm
    assert one.is_writer()
    holder = f"{'.*:' if one.shared else 'process '}{os.getpid()} is its writer; stop it"
    with pytest.raises(AlreadyClaimed, match=holder):
        other.claim()
    assert not other.is_writer()
    one.close()
    other.claim()
    other.close()


def test_a_lease_is_renewed_as_long_as_its_holder_lives(address, short):
    one, other = open_store(address), open_store(address)
    one.claim()
    for _ in range(3):
        time.sleep(lease.SECONDS / 2)
        with pytest.raises(AlreadyClaimed):
            other.claim()
    one.close()
    other.close()


def test_whoever_lost_the_lease_commits_nothing(address, short):
    first, second, third, *_ = by_slide(make_distinct())
    one, other = open_store(address), open_store(address)
    engine = make()
    one.claim()
    fill(one, engine, first)
    pause(one)
    time.sleep(lease.SECONDS)
    successor = make()
    other.claim()
    successor.restore(other.state())
    # Nothing has been committed since, so the number of commits alone would let this pass.
    one.accept(second)
    before = content(address)
    with pytest.raises(LeaseLost, match="has taken over as its writer, so this was not committed"):
        one.commit(*step(engine, second))
    with pytest.raises(LeaseLost):
        one.park(second[0], "odd")
    assert content(address) == before
    assert not one.is_writer()
    assert one.accept([make_article(99, "strike")])[0].status == "accepted"  # anybody may
    fill(other, successor, second)
    with pytest.raises(AlreadyClaimed):
        one.claim()
    other.close()
    one.claim()
    engine.restore(one.state())
    fill(one, engine, third)
    assert one.counts()[0] == len(first + second + third)
    one.close()


def test_an_expired_lease_that_nobody_took_is_still_good(address, short):
    first, second, *_ = by_slide(make_distinct())
    store, other, engine = open_store(address), open_store(address), make()
    store.claim()
    fill(store, engine, first)
    pause(store)
    time.sleep(1.5 * lease.SECONDS)
    fill(store, engine, second)
    with pytest.raises(AlreadyClaimed):
        other.claim()  # the commit has renewed it
    store.close()
    other.close()


def test_one_who_sleeps_within_a_transaction_holds_up_nobody(address, short):
    one, other = open_store(address), open_store(address)
    engine, (first, *_) = make(), by_slide(make_distinct())
    one.claim()

    def sleep(parts, *, keep):
        pause(one)
        time.sleep(3 * lease.SECONDS)
        return type(one)._write_parts(one, parts, keep=keep)

    one._write_parts = sleep
    one.accept(first)
    failed = queue.Queue()

    def commit():
        try:
            one.commit(*step(engine, first))
        except LeaseLost as error:
            failed.put(error)

    thread = threading.Thread(target=commit)
    thread.start()
    successor = make()

    until(lambda: claimed(other))
    fill(other, successor, first)
    thread.join()
    assert failed.get_nowait()
    assert other.counts()[0] == len(first)
    one.close()
    other.close()


@pytest.mark.parametrize("row", ["lease", "head"])
def test_one_who_sleeps_in_the_middle_of_statements_holds_up_nobody(address, short, row):
    """Between statements that were sent in one go the server has no patience that could end."""
    open_store(address).close()
    one = psycopg.connect(address, autocommit=True, application_name="scstory")
    other = open_store(address)
    begun = one.pipeline()
    begun.__enter__()
    one.execute("BEGIN")
    one.execute(f"SELECT 1 FROM {row} FOR UPDATE")
    one.pgconn.send_flush_request()
    one.pgconn.flush()
    until(lambda: claimed(other), LOCK_TIMEOUT)
    assert other.accept([make_article(99, "strike")])[0].status == "accepted"
    other.close()
    with pytest.raises(psycopg.OperationalError, match="connection"):
        begun.__exit__(None, None, None)
    one.close()


def test_sessions_of_other_programs_are_let_be(address, short):
    open_store(address).close()
    dump, store = psycopg.connect(address, application_name="pg_dump"), open_store(address)
    dump.execute("SELECT count(*) FROM articles")
    time.sleep(1.5 * lease.SECONDS)
    store.claim()
    assert dump.execute("SELECT count(*) FROM articles").fetchone() == (0,)
    dump.close()
    store.close()


def test_one_who_is_killed_is_followed_at_once(address):
    told, tell = os.pipe()
    child = os.fork()
    if not child:
        store = open_store(address)
        store.claim()
        os.write(tell, b"!")
        time.sleep(600)
    os.read(told, 1)
    store = open_store(address)
    began = time.monotonic()
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    store.claim()
    assert time.monotonic() - began < lease.SECONDS
    store.close()
