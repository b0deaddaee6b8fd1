"""The feeds that are followed, in the database."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from scstory.feeds.schedule import Subscription
from scstory.store import open_store

URL = "https://wire.example/feed"
NOW = datetime(2026, 3, 3, 6, 35, tzinfo=UTC)


@pytest.fixture
def store(path):
    opened = open_store(path)
    yield opened
    opened.close()


def test_a_feed_is_followed_once(store):
    assert store.subscribe(URL, "The Wire")
    assert not store.subscribe(URL, "Another title")
    assert store.subscriptions() == [Subscription(URL, "The Wire")]


def test_all_of_its_state_is_kept(store, path):
    store.subscribe(URL)
    state = Subscription(
        URL, "Wire", '"e"', "Tue", NOW, NOW - timedelta(hours=1), 321.5, 2, "answered \ud800", NOW
    )
    store.update_subscription(state)
    again = open_store(path)
    assert again.subscriptions() == [replace(state, error="answered ?")]
    again.close()


def test_what_is_due_comes_in_order(store):
    for name, due in (("a", NOW), ("b", NOW + timedelta(hours=1)), ("c", None)):
        store.subscribe(name)
        store.update_subscription(Subscription(name, due=due))
    assert [feed.url for feed in store.subscriptions(due=NOW)] == ["c", "a"]
    assert [feed.url for feed in store.subscriptions()] == ["a", "b", "c"]


def test_one_that_is_gone_stays_gone(store):
    store.subscribe(URL)
    store.note_tries(URL, {"1": 3}, NOW)
    assert store.unsubscribe(URL)
    assert not store.unsubscribe(URL)
    store.update_subscription(Subscription(URL, errors=3))
    store.note_tries(URL, {"2": 3}, NOW)
    assert store.subscriptions() == []
    store.subscribe(URL)
    assert store.tries(URL) == {}


def test_items_are_remembered_while_they_are_in_the_feed_and_a_while_longer(store):
    store.subscribe(URL)
    store.note_tries(URL, {"old": 3, "there": 1}, NOW)
    store.note_tries(URL, {"there": 2}, NOW)
    store.forget_items(URL, ["there"], NOW + timedelta(days=1))
    assert store.tries(URL) == {"old": 3, "there": 2}
    store.forget_items(URL, ["there"], NOW + timedelta(days=3))
    assert store.tries(URL) == {"there": 2}
