"""Review: the doubtful are released, stories are taken without them, and they are assigned anew."""

import numpy as np
import pytest

from scstory.discovery.confidence import PlainConfidence
from scstory.discovery.review import review
from tests.discovery.rows import from_views


def go(angles, story, rated, *, delta=0.5, frozen=True):
    """Review articles that are unit vectors at some angles, in degrees; return what came out."""
    turned = np.radians(np.array(angles, dtype=float))
    rows, _ = from_views([np.stack([np.cos(turned), np.sin(turned)], axis=1)], dense=1)
    story, rated = np.array(story), np.array(rated, dtype=float)
    next_story, doubted = review(
        story,
        rated,
        np.arange(len(story), dtype=float),
        rows,
        PlainConfidence(),
        below=0.85,
        delta=delta,
        frozen=frozen,
        next_story=10,
    )
    return story.tolist(), rated, next_story, doubted


def cosine(degrees):
    return pytest.approx(np.cos(np.radians(degrees)))


def test_nothing_doubtful_nothing_done():
    story, rated, next_story, doubted = go([0, 10, 90], [1, 1, 2], [0.9, 0.9, 0.85])
    assert (story, next_story, doubted) == ([1, 1, 2], 10, False)
    assert rated.tolist() == [0.9, 0.9, 0.85]


def test_the_doubtful_go_where_they_fit_best():
    # At 70 degrees it was in the story around 10, but is nearer to that at 90.
    story, rated, _, doubted = go([0, 20, 70, 90], [1, 1, 1, 2], [0.9, 0.9, 0.6, 1])
    assert doubted
    assert story == [1, 1, 2, 2]
    assert rated[2] == cosine(20)


def test_the_rest_are_rated_among_themselves():
    _, rated, _, _ = go([0, 20, 60], [1, 1, 1], [0.9, 0.9, 0.6], delta=0.1)
    assert rated[:2] == cosine(10)
    assert rated[2] == cosine(50)


def test_one_that_fits_nowhere_founds_a_story_for_sure():
    story, rated, next_story, _ = go([0, 5, 120], [1, 1, 1], [0.9, 0.9, 0.2])
    assert (story, next_story) == ([1, 1, 10], 11)
    assert rated[2] == 1


def test_a_story_released_whole_keeps_its_number():
    story, rated, next_story, _ = go([0, 90, 100], [1, 4, 4], [1, 0.8, 0.8])
    assert (story, next_story) == ([1, 4, 4], 10)
    assert rated.tolist() == [cosine(0), 1, cosine(10)]


@pytest.mark.parametrize(("frozen", "found"), [(True, [1, 1, 10]), (False, [1, 1, 1])])
def test_held_fixed_a_story_does_not_follow_who_joins(frozen, found):
    # Seen from 0 degrees, 65 is too far off; seen from the middle of 0 and 50 it is not.
    story, *_ = go([0, 50, 65], [1, 1, 1], [1, 0.6, 0.4], frozen=frozen)
    assert story == found
