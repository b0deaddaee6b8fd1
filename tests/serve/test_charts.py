"""Timelines as pictures."""

from datetime import UTC, datetime, timedelta

import pytest

from scstory.serve.charts import MAX_LEVELS, chart
from scstory.store.timeline import Timeline, life_timeline

START = datetime(2026, 3, 2, 5, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@pytest.mark.parametrize(
    ("length", "labels"),
    [
        (10 * HOUR, ["2 Mar, 06:00", "09:00", "12:00", "15:00"]),
        (30 * HOUR, ["2 Mar, 12:00", "3 Mar"]),
        (14 * DAY, ["2 Mar", "6 Mar", "10 Mar", "14 Mar"]),
        (60 * DAY, ["2 Mar", "16 Mar", "30 Mar", "13 Apr", "27 Apr"]),
        (300 * DAY, ["May", "Jul", "Sep", "Nov"]),
        (900 * DAY, ["Jul", "Jan 2027", "Jul", "Jan 2028", "Jul"]),
        (3_000 * DAY, ["2028", "2030", "2032", "2034"]),
    ],
)
def test_the_axis_has_a_few_dates_of_a_fitting_unit(length, labels):
    drawn = chart(life_timeline([START, START + length]))
    written = [tick.label for tick in drawn.ticks]
    assert written == labels
    for tick in drawn.ticks:
        assert tick.x == pytest.approx(100 * (tick.time - drawn.start) / drawn.length, abs=0.01)


def test_bars_stand_where_their_time_is_and_are_as_high_as_their_count():
    drawn = chart(Timeline(START, 12 * HOUR, (0, 3, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2)))
    assert [bar.count for bar in drawn.bars] == [3, 1, 2]
    assert [level for level, _ in drawn.levels] == [1, 2, 3]
    assert [bar.share for bar in drawn.bars] == pytest.approx([1, 1 / 3, 2 / 3])
    first = drawn.bars[0]
    assert (first.start, first.end) == (START + 12 * HOUR, START + 24 * HOUR)
    assert 100 / 16 < first.x < first.x + first.width < 200 / 16
    assert drawn.step == "12 hours"


@pytest.mark.parametrize("most", [0, 1, 2, 3, 4, 7, 10, 11, 99, 1_234])
def test_counts_beside_the_bars_are_round_and_cover_the_highest(most):
    levels = [level for level, _ in chart(Timeline(START, DAY, (most,))).levels]
    assert 2 <= len(levels) <= MAX_LEVELS
    assert levels[-1] >= most
    assert levels == [levels[0] * (i + 1) for i in range(len(levels))]
    assert str(levels[0])[0] in "125"
    assert set(str(levels[0])[1:]) <= {"0"}


def test_a_single_bar_is_not_as_wide_as_the_page():
    (bar,) = chart(life_timeline([START])).bars
    assert bar.width < 10
