"""One who commits: whoever loses the lease commits nothing more, whatever it believes."""

import json
import os
import queue
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import torch

from scstory.discovery.window import cut_slides
from scstory.errors import Kept, LeaseLost
from scstory.runners import Keeper
from scstory.store import lease, open_store
from tests.conftest import make_article, make_stream
from tests.crash.__main__ import content, differences
from tests.crash.stream import articles, clock, feed_inbox, make_engine
from tests.discovery.test_engine import DAY, make
from tests.store.test_store import fill

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def address(postgres):
    address = postgres.make()
    yield address
    postgres.drop(address)


@pytest.fixture
def short(monkeypatch):
    """Leases end soon, and nobody insists."""
    monkeypatch.setattr(lease, "SECONDS", 1.0)
    monkeypatch.setattr(lease, "MOMENT", 0.0)


def pause(store):
    """Stop renewing, as a process does that is suspended."""
    held = store.db._lease
    held._stop.set()
    held._thread.join()


def step(engine, slide):
    encoded = engine.encode(slide)
    return encoded, engine.process(encoded), engine.stories(), engine.state()


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
    assert one.keeping()
    holder = f"kept by .*:{os.getpid()}; let it end" if one.shared else "another run is writing"
    with pytest.raises(Kept, match=holder):
        other.claim()
    assert not other.keeping()
    one.close()
    other.claim()
    other.close()


def test_a_lease_is_renewed_as_long_as_its_holder_lives(address, short):
    one, other = open_store(address), open_store(address)
    one.claim()
    for _ in range(3):
        time.sleep(lease.SECONDS / 2)
        with pytest.raises(Kept):
            other.claim()
    one.close()
    other.close()


def test_whoever_lost_the_lease_commits_nothing(address, short):
    first, second, third, *_ = cut_slides(make_stream(), DAY)
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
    before = content(address)
    with pytest.raises(LeaseLost, match="has taken over, so this was not committed"):
        one.commit(*step(engine, second))
    with pytest.raises(LeaseLost):
        one.park(second[0], "odd")
    assert content(address) == before
    assert not one.keeping()
    assert one.accept([make_article(99, "strike")])[0].status == "accepted"  # anybody may
    fill(other, successor, second)
    with pytest.raises(Kept):
        one.claim()
    other.close()
    one.claim()
    engine.restore(one.state())
    fill(one, engine, third)
    assert one.counts()[0] == len(first + second + third)
    one.close()


def test_an_expired_lease_that_nobody_took_is_still_good(address, short):
    first, second, *_ = cut_slides(make_stream(), DAY)
    store, other, engine = open_store(address), open_store(address), make()
    store.claim()
    fill(store, engine, first)
    pause(store)
    time.sleep(1.5 * lease.SECONDS)
    fill(store, engine, second)
    with pytest.raises(Kept):
        other.claim()  # the commit has renewed it
    store.close()
    other.close()


def test_one_who_sleeps_within_a_transaction_holds_up_nobody(address, short):
    one, other = open_store(address), open_store(address)
    engine, (first, *_) = make(), cut_slides(make_stream(), DAY)
    one.claim()

    def sleep(parts, *, keep):
        pause(one)
        time.sleep(3 * lease.SECONDS)
        return type(one)._write_parts(one, parts, keep=keep)

    one._write_parts = sleep
    failed = queue.Queue()

    def commit():
        try:
            one.commit(*step(engine, first))
        except LeaseLost as error:
            failed.put(error)

    thread = threading.Thread(target=commit)
    thread.start()
    successor = make()

    def taken():
        try:
            other.claim()
            return True
        except Kept:
            return False

    until(taken)
    fill(other, successor, first)
    thread.join()
    assert failed.get_nowait()
    assert other.counts()[0] == len(first)
    one.close()
    other.close()


class Process:
    """A keeper in a process of its own, and what it has said so far."""

    def __init__(self, address, count, seconds=1.0):
        command = [sys.executable, "-m", "tests.store.keeping", address, str(count), str(seconds)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        self.said = []
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        for line in self.process.stdout:
            self.said.append(json.loads(line))

    @property
    def decided(self):
        return [article for line in self.said for article in line.get("decided", ())]

    def began(self):
        return any("began" in line for line in self.said)

    def signal(self, number):
        self.process.send_signal(number)

    def stop(self):
        self.signal(signal.SIGCONT)
        self.signal(signal.SIGTERM)
        assert self.process.wait(60) == 0


def test_one_who_is_killed_is_followed_at_once(address):
    killed = Process(address, 36, seconds=600)
    until(killed.began)
    assert killed.said[0] == {"began": True}
    store = open_store(address)
    killed.signal(signal.SIGKILL)
    killed.process.wait()
    store.claim()  # long before the ten minutes are over
    store.close()


@pytest.fixture
def one_thread():
    """Compute with one thread, as the processes do: sums of several differ in the last bit."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def test_two_keepers_one_suspended_and_resumed(address, postgres, one_thread):
    """Whoever decides is stopped for longer than its lease, and then goes on, unaware."""
    found = articles(36)
    expected_at = postgres.make()
    feed_inbox(expected_at, found, "")
    expected = content(expected_at)
    front = open_store(address)
    keepers = [Process(address, 36), Process(address, 36)]
    until(lambda: all(keeper.began() for keeper in keepers))
    rng, size = random.Random(1), len(found) // 4 + 1
    for start in range(0, len(found), size):
        front.accept(found[start : start + size])
        time.sleep(rng.random() / 5)
        holder = int(front.db.value("SELECT holder FROM lease").rpartition(":")[2])
        (stopped,) = [keeper for keeper in keepers if keeper.process.pid == holder]
        stopped.signal(signal.SIGSTOP)
        until(lambda: not front.pending(1))  # by the other
        stopped.signal(signal.SIGCONT)
    for keeper in keepers:
        keeper.stop()
    # The slide that is still open is closed as it was in the run that nobody disturbed.
    engine = make_engine()
    engine.restore(front.state())
    Keeper(engine, front, clock=clock(found)).finish()
    front.close()
    assert differences(address, expected) == []
    assert all(keeper.decided for keeper in keepers), "only one of them ever decided"
    told = [article for keeper in keepers for article in keeper.decided]
    assert len(told) == len(set(told)) == len(expected["articles"])
    postgres.drop(expected_at)
