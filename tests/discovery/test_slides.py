"""A stream cut into slides."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scstory.discovery.slides import by_slide, cut_slides, slide_index, slide_start
from scstory.types import Article

DAY = timedelta(days=1)
START = datetime(2026, 3, 2, tzinfo=UTC)


def at(hours):
    return Article(f"x{hours}", START + timedelta(hours=hours), "t", "text")


def ids(slides):
    return [[article.id for article in slide] for slide in slides]


def test_slides_are_calendar_days_in_utc():
    midnight = datetime(2026, 3, 3, tzinfo=UTC)
    assert slide_index(midnight, DAY) - slide_index(midnight - timedelta(seconds=1), DAY) == 1
    assert slide_start(slide_index(midnight, DAY), DAY) == midnight


@given(
    st.datetimes(min_value=datetime(1900, 1, 1), timezones=st.just(UTC)),
    st.integers(1, 10**7).map(lambda seconds: timedelta(seconds=seconds)),
)
def test_a_time_is_in_its_slide(time, slide):
    try:
        start = slide_start(slide_index(time, slide), slide)
    except OverflowError:
        return
    assert start <= time < start + slide


def test_a_slide_closes_when_a_later_article_comes():
    slides = cut_slides([at(1), at(5), at(23), at(24), at(80)], DAY)
    assert ids(slides) == [["x1", "x5", "x23"], ["x24"], ["x80"]]


def test_it_does_not_wait_for_more_than_that():
    def endless():
        yield from (at(1), at(24))
        pytest.fail("one too many")

    assert ids([next(cut_slides(endless(), DAY))]) == [["x1"]]


def test_within_a_slide_articles_are_put_in_publication_order():
    assert ids(cut_slides([at(9), at(3), at(5)], DAY)) == [["x3", "x5", "x9"]]


def test_late_articles_go_with_the_open_slide():
    slides = cut_slides([at(1), at(30), at(2), at(31), at(60)], DAY)
    assert ids(slides) == [["x1"], ["x2", "x30", "x31"], ["x60"]]


def test_no_articles_no_slides():
    assert list(cut_slides([], DAY)) == []
    assert list(by_slide([], lambda article: article.published, DAY, None)) == []


def decided_in(articles, current):
    today = slide_index(START, DAY)
    current = None if current is None else today + current
    found = by_slide(articles, lambda article: article.published, DAY, current)
    return [(index - today, [article.id for article in some]) for index, some in found]


def test_articles_are_decided_in_order_each_in_its_slide():
    assert decided_in([at(30), at(5), at(31), at(50)], None) == [
        (1, ["x30", "x5", "x31"]),
        (2, ["x50"]),
    ]


def test_old_slides_are_not_opened_again():
    assert decided_in([at(2), at(31), at(60)], 1) == [(1, ["x2", "x31"]), (2, ["x60"])]
