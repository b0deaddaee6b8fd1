"""Releasing the doubtful: stories are compared without them, and they are assigned again."""

import numpy as np
import pytest

from scstory.baselines.hrstory import HrStorySettings, release
from scstory.discovery.method import Scope
from scstory.discovery.paper.embedding import model_columns
from tests.conftest import encoded, make_article


def go(angles, story, rated, *, delta=0.5):
    """Release what is doubtful of unit vectors at some angles, in degrees; return what came out."""
    scope = Scope(HrStorySettings(), model_columns(2))
    members = [
        encoded(make_article(n, "flood"), ["One."], np.zeros((1, 2), dtype=np.float32))
        for n in range(len(story))
    ]
    scope.window.append(members, not_before=0.0)
    turned = np.radians(np.array(angles, dtype=float))
    scope.window["vectors"][:] = np.stack([np.cos(turned), np.sin(turned)], axis=1)
    scope.window.story[:], scope.window.confidence[:] = story, rated
    scope.next_story = 10
    release(scope, np.flatnonzero(scope.window.confidence < 0.85), delta=delta)
    return scope.window.story.tolist(), scope.window.confidence, scope.next_story


def cosine(degrees):
    return pytest.approx(np.cos(np.radians(degrees)), abs=1e-6)


def test_the_doubtful_go_where_they_fit_best():
    # At 70 degrees it was in the story around 10, but is nearer to that at 90.
    story, rated, _ = go([0, 20, 70, 90], [1, 1, 1, 2], [0.9, 0.9, 0.6, 1])
    assert story == [1, 1, 2, 2]
    assert rated[2] == cosine(20)


def test_the_rest_are_rated_among_themselves():
    _, rated, _ = go([0, 20, 60], [1, 1, 1], [0.9, 0.9, 0.6], delta=0.1)
    assert rated[:2] == cosine(10)
    assert rated[2] == cosine(50)


def test_one_that_fits_nowhere_founds_a_story_for_sure():
    story, rated, next_story = go([0, 5, 120], [1, 1, 1], [0.9, 0.9, 0.2])
    assert (story, next_story) == ([1, 1, 10], 11)
    assert rated[2] == 1


def test_a_story_released_whole_keeps_its_number():
    story, rated, next_story = go([0, 90, 100], [1, 4, 4], [1, 0.8, 0.8])
    assert (story, next_story) == ([1, 4, 4], 10)
    assert rated.tolist() == [cosine(0), 1, cosine(10)]


def test_a_story_does_not_follow_who_joins():
    # Seen from 0 degrees, 65 is too far off; seen from the middle of 0 and 50 it would not be.
    assert go([0, 50, 65], [1, 1, 1], [1, 0.6, 0.4])[0] == [1, 1, 10]


def test_nothing_doubtful_nothing_moves():
    story, _, next_story = go([0, 10, 90], [1, 1, 2], [0.9, 0.9, 0.85])
    assert (story, next_story) == ([1, 1, 2], 10)
