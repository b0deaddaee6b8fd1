"""The past by days."""

from collections import Counter
from datetime import date, timedelta

import pytest

from scstory.store.store_reader import SharedReader
from tests.conftest import START
from tests.serve.conftest import (  # noqa: F401
    any_db,
    file_db,
    server_db,
    stream,
    told,
    told_server,
)

FIRST = START.date()


@pytest.fixture
def browser(any_db):  # noqa: F811
    browser = SharedReader(any_db)
    yield browser
    browser.close()


def test_every_day_has_its_articles_and_stories(browser):
    written = Counter(article.published.date() for article in stream())
    days = browser.days(FIRST.year)
    assert {count.day: count.articles for count in days} == written
    assert days[0] == (FIRST, 6, 3)
    assert days[-1].stories == 2  # the comet's story has ended
    assert browser.years() == [FIRST.year]
    assert browser.days(FIRST.year - 1) == []
    assert [browser.count_of_day(count.day) for count in days] == days


def test_a_story_of_a_day_is_as_it_stood_at_its_end(browser):
    day = FIRST + timedelta(days=2)
    found = browser.stories_of_day(day, limit=10)
    assert len(found) == 3
    for one in found:
        assert [article.published.date() for article in one.articles] == [day, day]
        assert one.size == 6
        assert {article.story for article in one.articles} == {one.story.id}
    assert len(browser.stories_of_day(day, limit=1)) == 1
    assert browser.stories_of_day(date(2020, 1, 1), limit=10) == []


def test_days_without_articles_are_skipped(browser):
    last = browser.days(FIRST.year)[-1].day
    assert browser.neighbours(FIRST) == (None, FIRST + timedelta(days=1))
    assert browser.neighbours(last) == (last - timedelta(days=1), None)
    assert browser.neighbours(date(2030, 1, 1)) == (last, None)
    assert browser.neighbours(date(2020, 1, 1)) == (None, FIRST)


def test_the_latest_articles_are_ordered_by_time(browser):
    times = [article.published for article, _ in browser.latest(limit=30)]
    assert times == sorted(times, reverse=True)
    assert times[0] == max(article.published for article in stream())
