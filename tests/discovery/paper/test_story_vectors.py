"""Eq. 5, and which articles stories consist of."""

import numpy as np

from scstory.discovery.paper.story_vectors import membership, story_vectors
from scstory.discovery.window import UNDECIDED


def test_story_vectors_are_means():
    vectors = np.array([[1, 0], [3, 0], [0, 5]], dtype=np.float32)
    ids, means = story_vectors(vectors, np.array([7, 7, 2]))
    assert ids.tolist() == [2, 7]
    np.testing.assert_allclose(means, [[0, 5], [2, 0]])


def test_the_undecided_are_left_out():
    story = np.array([7, UNDECIDED, 3, 7])
    ids, members = membership(story)
    assert ids.tolist() == [3, 7]
    assert members.toarray().tolist() == [[0, 0, 1, 0], [1, 0, 0, 1]]
    ids, means = story_vectors(np.array([[1], [9], [3], [2]], dtype=np.float32), story)
    assert (ids.tolist(), means.tolist()) == ([3, 7], [[3], [1.5]])


def test_no_articles_no_stories():
    ids, means = story_vectors(np.empty((0, 4), dtype=np.float32), np.empty(0, dtype=np.int64))
    assert (len(ids), means.shape) == (0, (0, 4))
