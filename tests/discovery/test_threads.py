"""Chunks through M in threads of their own."""

import threading

import pytest
import torch

from scstory import StoryDiscovery
from scstory.discovery.threads import CHUNK_ON_CPU, _started, on_all_threads
from scstory.vectors.hashing import HashingEncoder
from tests.conftest import make_article

CPU = torch.device("cpu")


@pytest.fixture
def two_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


def test_results_come_in_order_and_from_threads_that_compute_alone(two_threads):
    together = threading.Barrier(2)

    def work(number):
        together.wait(10)  # nobody passes who is not one of two
        return number, torch.get_num_threads()

    assert list(on_all_threads(work, range(6), CPU)) == [(n, 1) for n in range(6)]
    assert torch.get_num_threads() == 2
    seen = []
    later = threading.Thread(target=lambda: seen.append(torch.get_num_threads()))
    later.start()
    later.join()
    assert seen == [2], "threads to come have as many as before"


def test_the_number_of_threads_changes_no_byte(two_threads):
    def told(threads):
        torch.set_num_threads(threads)
        discovery = start()
        for day in range(9):
            discovery.engine.decide(
                make_article(20 * day + n, topic, day=day, sentences=3 + n % 4)
                for n in range(20)
                for topic in ("flood", "trial")
            )
            discovery.engine.close()
        assert len(discovery.engine.scope.window) > 3 * CHUNK_ON_CPU
        return discovery

    one, other = told(1), told(2)
    fresh = weights(start())
    assert not any(torch.equal(a, b) for a, b in zip(weights(one), fresh, strict=True))
    assert all(torch.equal(a, b) for a, b in zip(weights(one), weights(other), strict=True))
    assert one.stories() == other.stories() != []


def start():
    return StoryDiscovery("paper", encoder=HashingEncoder(dim=64), seed_size=40)


def weights(discovery):
    return list(discovery.engine.method.model.parameters())


def test_a_thread_that_cannot_be_started_leaves_nothing_waiting(monkeypatch, two_threads):
    start, before = threading.Thread.start, set(threading.enumerate())

    def second_fails(thread):
        if thread.name.endswith("_1"):
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", second_fails)
    with pytest.raises(RuntimeError, match="can't start"):
        _started(2)
    assert torch.get_num_threads() == 2
    for thread in set(threading.enumerate()) - before:
        thread.join(10)
        assert not thread.is_alive()
