"""The paper's confidence, and the time between an article and a story."""

import numpy as np
import pytest

from scstory.discovery.confidence import Gaps, PlainConfidence


@pytest.mark.parametrize(
    ("time", "near", "far"), [(9, 4, 7), (5, 0, 3), (3, 0, 2), (2, 0, 3), (0, 2, 5)]
)
def test_gaps_are_to_the_nearer_and_the_farther_end(time, near, far):
    found = Gaps.of(time, np.array([5.0]), np.array([2.0]))
    assert (found.near.tolist(), found.far.tolist()) == ([near], [far])


def test_gaps_of_many_articles_and_stories():
    newest, oldest = np.array([5.0, 1.0, 8.0]), np.array([2.0, 1.0, 7.0])
    times = np.array([[0.0], [6.0]])
    found = Gaps.of(times, newest, oldest)
    assert found.near.tolist() == [[2, 1, 7], [1, 5, 1]]
    assert found.far.tolist() == [[5, 1, 8], [4, 5, 2]]


def test_plain_confidence_is_the_cosine_and_remembers_nothing():
    confidence = PlainConfidence()
    cosines, gaps = np.array([[0.3, -0.2]]), Gaps(np.array([0.0, 9e9]), np.array([1.0, 9e9]))
    parts = confidence.parts(cosines, gaps)
    assert confidence.of(parts.sum(axis=0)).tolist() == [0.3, -0.2]
    confidence.note(cosines, gaps, cosines)
    confidence.learn()
    assert confidence.parts(cosines, gaps).tolist() == parts.tolist()
    assert confidence.state() == {}
    assert len(confidence.names) == len(parts)


def test_plain_confidence_takes_no_story_up_again():
    confidence = PlainConfidence()
    resumed = confidence.of(confidence.resumed(np.ones((1, 2))).sum(axis=0))
    assert (resumed == -1).all()
