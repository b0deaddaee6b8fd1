"""Answers kept for each state of the store."""

import asyncio
import gzip
import threading

import pytest
from starlette.requests import Request

from scstory.serve.response_cache import ResponseCache, matches


def request(**headers):
    pairs = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "method": "GET", "path": "/", "headers": pairs})


class Store:
    """A store whose answers can be held back."""

    def __init__(self):
        self.version, self.made, self.free = "1", 0, threading.Event()
        self.free.set()

    def make(self):
        self.made += 1
        assert self.free.wait(5)
        return f"answer {self.version} " + "x" * 2000


@pytest.fixture
def store():
    return Store()


@pytest.fixture
def cache(store):
    return ResponseCache(lambda: store.version, fingerprint="test")


def ask(cache, store, *, stale_ok=False, **headers):
    return cache.respond(
        request(**headers), "key", store.make, media_type="text/plain", stale_ok=stale_ok
    )


def test_an_answer_is_made_once_for_each_version(cache, store):
    async def asking():
        first = await asyncio.gather(*(ask(cache, store) for _ in range(10)))
        assert store.made == 1
        assert {answer.body for answer in first} == {store.make().encode()}
        store.version = "2"
        second = await ask(cache, store)
        assert second.body.startswith(b"answer 2")
        assert second.headers["etag"] != first[0].headers["etag"]

    asyncio.run(asking())


def test_a_stale_response_is_sent_while_a_new_one_is_made(cache, store):
    async def asking():
        await ask(cache, store)
        store.version = "2"
        store.free.clear()
        old = await ask(cache, store, stale_ok=True)
        assert old.body.startswith(b"answer 1")
        strict = asyncio.create_task(ask(cache, store, stale_ok=True, cache_control="no-cache"))
        await asyncio.sleep(0.05)
        assert not strict.done()
        store.free.set()
        assert (await strict).body.startswith(b"answer 2")
        assert (await ask(cache, store, stale_ok=True)).body.startswith(b"answer 2")

    asyncio.run(asking())


def test_old_is_not_given_for_long(cache, store, monkeypatch):
    async def asking():
        await ask(cache, store)
        store.version = "2"
        monkeypatch.setattr("scstory.serve.response_cache.STALE_SECONDS", 0)
        assert (await ask(cache, store, stale_ok=True)).body.startswith(b"answer 2")

    asyncio.run(asking())


def test_answers_are_packed_for_those_who_can_unpack(cache, store):
    async def asking():
        packed = await ask(cache, store, accept_encoding="gzip, br")
        assert packed.headers["content-encoding"] == "gzip"
        assert gzip.decompress(packed.body).startswith(b"answer 1")
        assert "content-encoding" not in (await ask(cache, store)).headers

    asyncio.run(asking())


def test_a_failure_is_not_kept(cache, store):
    def fail():
        raise ValueError("no")

    async def asking():
        with pytest.raises(ValueError, match="no"):
            await cache.respond(request(), "key", fail, media_type="text/plain")
        assert (await ask(cache, store)).status_code == 200

    asyncio.run(asking())


def test_memory_is_bounded(store, cache, monkeypatch):
    monkeypatch.setattr("scstory.serve.response_cache.MAX_RESPONSES", 10)

    async def asking():
        for number in range(100):
            await cache.respond(request(), number, store.make, media_type="text/plain")

    asyncio.run(asking())
    assert len(cache._entries) <= 10


@pytest.mark.parametrize(
    ("given", "is_it"),
    [(None, False), ("*", True), ('W/"a"', True), ('"x", W/"a"', True), ('W/"b"', False)],
)
def test_tags_match(given, is_it):
    assert matches(given, 'W/"a"') == is_it


def test_what_is_out_of_date_and_not_asked_for_is_forgotten(store, monkeypatch):
    now = [1000.0]
    monkeypatch.setattr("scstory.serve.response_cache.time.monotonic", lambda: now[0])

    async def asking(key):
        await cache.respond(request(), key, store.make, media_type="text/plain")

    cache = ResponseCache(lambda: store.version, fingerprint="test")
    for number in range(5):
        asyncio.run(asking(("story", number)))
    now[0] += 61
    asyncio.run(asking("front page"))
    assert len(cache._entries) == 6, "all of it is still right"
    store.version = "2"
    asyncio.run(asking("front page"))
    now[0] += 61
    asyncio.run(asking("search"))
    assert set(cache._entries) == {"front page", "search"}
    assert cache._bytes == sum(entry.size for entry in cache._entries.values())
