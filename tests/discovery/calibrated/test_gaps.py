"""The time between an article and a story."""

import numpy as np
import pytest

from scstory.discovery.calibrated.gaps import Gaps, spans


@pytest.mark.parametrize(
    ("time", "near", "far"), [(9, 4, 7), (5, 0, 3), (3, 0, 2), (2, 0, 3), (0, 2, 5)]
)
def test_gaps_are_to_the_nearer_and_the_farther_end(time, near, far):
    found = Gaps.between(time, np.array([5.0]), np.array([2.0]))
    assert (found.near.tolist(), found.far.tolist()) == ([near], [far])


def test_gaps_of_many_articles_and_stories():
    newest, oldest = np.array([5.0, 1.0, 8.0]), np.array([2.0, 1.0, 7.0])
    times = np.array([[0.0], [6.0]])
    found = Gaps.between(times, newest, oldest)
    assert found.near.tolist() == [[2, 1, 7], [1, 5, 1]]
    assert found.far.tolist() == [[5, 1, 8], [4, 5, 2]]


def test_spans_are_from_the_oldest_to_the_newest():
    story, times = np.array([5, 2, 5, 5, 9]), np.array([3.0, 4.0, 1.0, 2.0, 7.0])
    newest, oldest = spans(story, times, np.array([2, 5, 9]))
    assert newest.tolist() == [4, 3, 7]
    assert oldest.tolist() == [4, 1, 7]
