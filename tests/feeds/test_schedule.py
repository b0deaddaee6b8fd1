"""When a feed is looked at next."""

import random
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scstory.feeds.schedule import FIRST_INTERVAL, Pace, Subscription

NOW = datetime(2026, 3, 3, tzinfo=UTC)
PACE = Pace(300, 21_600, random.Random(1))


def wait(feed):
    return (feed.due - NOW).total_seconds()


def test_a_new_feed_is_due_at_once():
    assert Subscription("https://wire.example/").is_due(NOW)


def test_a_feed_with_news_is_looked_at_more_and_more_often_down_to_the_limit():
    feed, waits = Subscription("x"), []
    for _ in range(10):
        feed = PACE.after_success(feed, NOW, new=3)
        waits.append(feed.interval)
    assert waits == sorted(waits, reverse=True)
    assert waits[0] < FIRST_INTERVAL
    assert waits[-1] == 300
    assert feed.found == NOW


def test_a_quiet_feed_is_looked_at_less_and_less_often_up_to_the_limit():
    feed, waits = Subscription("x"), []
    for _ in range(30):
        feed = PACE.after_success(feed, NOW, new=0)
        waits.append(feed.interval)
    assert waits == sorted(waits)
    assert waits[-1] == 21_600
    assert feed.found is None


def test_looks_are_not_in_step():
    assert len({PACE.after_success(Subscription("x"), NOW, new=0).due for _ in range(10)}) == 10


def test_a_server_that_says_for_how_long_its_answer_is_good_is_believed_within_limits():
    feed = PACE.after_success(Subscription("x"), NOW, new=9, fresh_for=7_200)
    assert 0.9 * 7_200 <= wait(feed) <= 1.1 * 7_200
    feed = PACE.after_success(Subscription("x"), NOW, new=9, fresh_for=10**9)
    assert wait(feed) <= 1.1 * 21_600


def test_failures_double_the_wait_and_success_ends_them():
    feed, waits = Subscription("x", etag="e"), []
    for _ in range(12):
        feed = PACE.after_failure(feed, NOW, "answered 500")
        waits.append(wait(feed))
    assert all(later > earlier for earlier, later in pairwise(waits[:6]))
    assert max(waits) <= 1.25 * 21_600
    assert (feed.errors, feed.error, feed.etag) == (12, "answered 500", "e")
    feed = PACE.after_success(feed, NOW, new=0)
    assert (feed.errors, feed.error) == (0, None)


@pytest.mark.parametrize("seconds", [10_000, 86_400])
def test_a_server_that_asks_for_time_gets_it(seconds):
    assert wait(PACE.after_failure(Subscription("x"), NOW, "busy", retry_after=seconds)) >= seconds


@given(st.lists(st.one_of(st.none(), st.integers(0, 100)), max_size=50))
def test_the_wait_is_always_within_the_limits(looks):
    feed = Subscription("x")
    for new in looks:
        if new is None:
            feed = PACE.after_failure(feed, NOW, "x")
        else:
            feed = PACE.after_success(feed, NOW, new=new)
        assert 0.75 * 300 <= wait(feed) <= 1.25 * 21_600
        assert not feed.is_due(NOW)
        assert feed.is_due(NOW + timedelta(days=1))


def test_items_whose_pages_may_come_are_looked_for_soon():
    slow = Subscription("x", interval=20_000)
    feed = PACE.after_success(slow, NOW, new=0, fresh_for=7_200, waiting=True)
    assert feed.due - NOW <= timedelta(seconds=PACE.shortest * 1.1)
    assert feed.interval < slow.interval
