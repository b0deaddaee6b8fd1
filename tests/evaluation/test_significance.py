"""The bootstrap over windows, on differences whose resamples can be counted by hand."""

import math
from datetime import timedelta

import numpy as np
import pytest

from scstory.evaluation.metrics import Scores
from scstory.evaluation.protocol import Result
from scstory.evaluation.report import Row, against_first, differences, table
from scstory.evaluation.significance import block_bootstrap, block_length, compare

HALF = [1.0] * 5 + [0.0] * 5


def against_zero(values, block):
    return compare(values, [0.0] * len(values), block=block)


def test_single_windows_by_hand():
    # Ten draws of 0 or 1: up to one 1 has a chance of 11/1024, up to two 1 have one of 56/1024. So
    # 2.5 % of the resamples are below .2, and above .8. With ten blocks, Student's t is 2.262.
    found = against_zero(HALF, block=1)
    half = 0.3 * math.sqrt(10 / 9) * 2.262 / 1.960
    assert found.mean == 0.5
    assert found.interval == pytest.approx((0.5 - half, 0.5 + half), abs=1e-3)
    assert found.significant


def test_blocks_by_hand():
    # The ten blocks of two have the means 1, 1, 1, 1, ½, 0, 0, 0, 0 and, around the end, ½. Five
    # are drawn: all are 0 with a chance of .4⁵ = .0102, all but a ½ with 5 · .4⁴ · .2 = .0256.
    # So 2.5 % of the resamples are below .1. With five blocks, Student's t is 2.776.
    found = against_zero(HALF, block=2)
    half = 0.4 * math.sqrt(5 / 4) * 2.776 / 1.960
    assert found.interval == pytest.approx((0.5 - half, 0.5 + half), abs=1e-3)
    assert not found.significant


def test_neighbours_that_are_alike_widen_the_interval():
    low, high = against_zero(HALF * 4, block=1).interval
    wide_low, wide_high = against_zero(HALF * 4, block=5).interval
    assert wide_high - wide_low > 1.2 * (high - low)


def test_every_window_is_drawn_equally_often():
    for place in range(11):  # the last of four blocks of three is cut to two
        only = np.zeros(11)
        only[place] = 11
        means = block_bootstrap(only, 3, np.random.default_rng(1))
        assert means.mean() == pytest.approx(1, abs=0.05)
        # No more than once per block; a window is in the cut block, too.
        assert set(np.unique(means.round(9))) <= {0, 1, 2, 3, 4}


def test_what_is_compared_are_windows_not_means():
    """A small difference in every window counts, however much the windows differ."""
    easy_and_hard = [0.9, 0.1] * 10
    better = [value + 0.01 for value in easy_and_hard]
    found = compare(better, easy_and_hard, block=2)
    assert found.mean == pytest.approx(0.01)
    assert found.interval == pytest.approx((0.01, 0.01))
    assert found.significant
    shuffled = compare(better[1:] + better[:1], easy_and_hard, block=1)
    assert shuffled.mean == pytest.approx(0.01)
    assert not shuffled.significant


def test_the_sign_is_that_of_ours():
    worse = compare([0.2] * 10, [0.5] * 10, block=1)
    assert worse.mean == pytest.approx(-0.3)
    assert worse.significant


def test_no_difference_is_not_significant():
    same = compare(HALF, HALF, block=2)
    assert (same.mean, same.interval, same.significant) == (0, (0, 0), False)


def test_the_same_windows_give_the_same_interval():
    values = np.random.default_rng(0).normal(size=50).tolist()
    assert against_zero(values, block=7) == against_zero(values, block=7)


def test_a_stream_of_fewer_than_five_blocks_has_no_interval():
    short = against_zero([1.0] * 9, block=2)
    assert (short.mean, short.interval, short.significant) == (1, None, False)
    assert against_zero([1.0] * 10, block=2).interval is not None


def test_different_windows_cannot_be_compared():
    with pytest.raises(ValueError, match="3 windows against 2"):
        compare([1, 1, 1], [1, 1], block=1)


@pytest.mark.parametrize(
    ("window", "slide", "length"), [(168, 24, 14), (36, 24, 4), (24, 24, 2), (24, 1, 48)]
)
def test_a_block_is_at_least_as_long_as_two_windows(window, slide, length):
    assert block_length(timedelta(hours=window), timedelta(hours=slide)) == length


def row(name, *seeds):
    """Return a row with the B³-F1 of each window, for each seed."""
    results = []
    for windows in seeds:
        scores = tuple(Scores(1, 1, f1, 1, 1) for f1 in windows)
        results.append(Result(scores, scores[0], scores[0], scores[0], 10, 2.0, 1.0))
    return Row(name, None, results)


def test_seeds_are_averaged_in_each_window_first():
    first = row("first", [0.5] * 10)
    second = row("second", [0.4, 0.8] * 5, [0.8, 0.4] * 5)
    alone = row("alone", [0.4, 0.8] * 5)
    _, averaged, single = against_first([first, second, alone], block=1)
    assert second.by_window == pytest.approx([0.6] * 10)
    assert averaged.difference.interval == pytest.approx((0.1, 0.1))
    assert single.difference.mean == pytest.approx(0.1)
    low, high = single.difference.interval
    assert low < 0.1 < high


def test_the_table_marks_what_differs():
    rows = against_first(
        [row("a", [0.5] * 10), row("b", [0.5] * 10), row("c", [0.6] * 10)], block=1
    )
    assert [line[3] for line in table(rows)] == ["B³-F1", "0.500 ", "0.500 ", "0.600*"]
    assert [line[3] for line in table(rows[:1])] == ["B³-F1", "0.500"]
    assert differences(rows) == [
        ("B³-F1 against a", "difference", "95 % interval"),
        ("b", "+0.000 ", "+0.000 to +0.000"),
        ("c", "+0.100*", "+0.100 to +0.100"),
    ]
    assert differences(rows[:1]) == []
    assert against_first([], block=1) == []
