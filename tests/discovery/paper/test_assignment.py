"""Eq. 6 against the plain loop it stands for, and on small cases."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scstory.discovery.paper.assignment import ActiveStories, choose, cosines, own_confidences
from scstory.discovery.window import UNDECIDED

SEEDS = st.integers(0, 2**32 - 1)


def plainly(articles, stories, delta):
    """The paper's algorithm, line by line."""
    groups = [[vector] for vector in stories]
    result = []
    for vector in articles:
        found = []
        for group in groups:
            mean = np.mean(group, axis=0) if len(group) > 1 else group[0]
            found.append(vector @ mean / (np.linalg.norm(vector) * np.linalg.norm(mean) + 1e-300))
        if found and max(found) >= delta:
            best = int(np.argmax(found))
            groups[best].append(vector)
            result.append((best, found[best], False))
        else:
            groups.append([vector])
            result.append((len(groups) - 1, 1.0, True))
    return result


def active(stories):
    """Return stories of one article each, numbered from 0."""
    return ActiveStories(np.arange(len(stories)), np.array(stories, dtype=np.float32))


def assign(articles, stories, delta):
    """Return the story of each article, its confidence, whether it is new, and the runners-up."""
    result = []
    for vector in np.array(articles, dtype=np.float64):
        chosen, confidence, runners_up = choose(stories.ids, stories.confidences(vector), delta)
        story = len(stories.ids) if chosen is None else chosen
        stories.join(story, vector)
        result.append((story, confidence, chosen is None, runners_up))
    return result


@settings(max_examples=50, deadline=None)
@given(SEEDS, st.integers(1, 12), st.integers(0, 6), st.floats(-0.5, 0.9))
def test_agrees_with_the_plain_loop(seed, count, known, delta):
    rng = np.random.default_rng(seed)
    articles, stories = (
        rng.standard_normal((n, 5)).astype(np.float32).astype(np.float64) for n in (count, known)
    )
    found = assign(articles, active(stories), delta)
    expected = plainly(articles, stories, delta)
    assert [(story, new) for story, _, new, _ in found] == [(s, new) for s, _, new in expected]
    np.testing.assert_allclose([c for _, c, *_ in found], [c for _, c, _ in expected], atol=1e-9)


@settings(max_examples=50, deadline=None)
@given(SEEDS, st.integers(1, 40), st.integers(0, 40), st.sampled_from([3, 64]))
def test_going_on_from_what_joined_is_going_on_bit_for_bit(seed, count, stop, dim):
    """Whether articles join one object, or one that is made anew, makes no difference at all."""
    rng = np.random.default_rng(seed)
    vectors, story = rng.standard_normal((count, dim)).astype(np.float32), rng.integers(1, 6, count)
    story[0] = 1
    story = np.maximum.accumulate(np.minimum(story, np.arange(count) + 1))  # numbers as they come
    stop = min(stop, count)
    whole, again = (ActiveStories(story[:n], vectors[:n]) for n in (0, stop))
    for i in range(count):
        whole.join(int(story[i]), vectors[i].astype(np.float64))
        if i >= stop:
            again.join(int(story[i]), vectors[i].astype(np.float64))
    article = rng.standard_normal(dim)
    assert whole.ids == again.ids
    assert np.array_equal(whole.confidences(article), again.confidences(article))


def test_an_article_joins_the_story_a_neighbour_just_founded():
    found = assign([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]], active(np.empty((0, 2))), 0.5)
    assert [(story, new) for story, _, new, _ in found] == [(0, True), (0, False), (1, True)]
    (runner,) = found[2][3]
    assert runner.story == 0
    np.testing.assert_allclose(runner.confidence, 0.1 / np.hypot(1.9, 0.1), rtol=1e-6)


def test_confidence_equal_to_delta_joins():
    (found,) = assign([[1.0, 1.0]], active([[1.0, 0.0]]), 1 / np.sqrt(2) - 1e-12)
    assert not found[2]
    assert choose([4], np.array([0.5]), 0.5)[0] == 4
    assert choose([4], np.array([0.5]), 0.5 + 1e-12)[0] is None


def test_a_vector_of_no_length_is_similar_to_nothing():
    found = assign(np.zeros((2, 3)), active(np.eye(3)), 0.1)
    assert all(new for _, _, new, _ in found)
    assert all(c == 0 for *_, runners_up in found for _, c in runners_up)


def test_of_the_others_the_three_best_are_named():
    rated = np.array([0.1, 0.9, 0.6, -0.3, 0.7, 0.5])
    ids = [10, 11, 12, 13, 14, 15]
    story, confidence, runners_up = choose(ids, rated, 0.5)
    assert (story, confidence) == (11, 0.9)
    assert runners_up == ((14, 0.7), (12, 0.6), (15, 0.5))
    story, confidence, runners_up = choose(ids, rated, 0.95)
    assert (story, confidence) == (None, 1.0)
    assert runners_up == ((11, 0.9), (14, 0.7), (12, 0.6))


def test_of_equally_good_stories_the_first_is_joined():
    assert choose([7, 3], np.array([0.8, 0.8]), 0.5)[0] == 7


def test_the_first_article_of_all_founds_a_story():
    assert choose([], np.empty(0), -1.0) == (None, 1.0, ())


def test_the_undecided_are_in_no_story():
    vectors = np.array([[1, 0], [0, 1], [1, 1]], dtype=np.float32)
    found = ActiveStories(np.array([5, UNDECIDED, 5]), vectors)
    assert found.ids == [5]
    assert found.confidences(np.array([2.0, 1.0])) == pytest.approx([1])


def test_an_articles_own_confidence_is_the_cosine_with_the_mean():
    rng = np.random.default_rng(0)
    vectors, story = rng.standard_normal((6, 4)).astype(np.float32), np.array([1, 2, 1, 1, 2, 3])
    means = [vectors[story == number].mean(axis=0, dtype=np.float64) for number in story]
    expected = [
        one @ mean / np.linalg.norm(one.astype(np.float64)) / np.linalg.norm(mean)
        for one, mean in zip(vectors, means, strict=True)
    ]
    np.testing.assert_allclose(own_confidences(vectors, story), expected, atol=1e-6)
    assert own_confidences(vectors, story)[5] == pytest.approx(1)


def test_cosines_stay_in_range_and_nothing_is_similar_to_no_vector():
    found = cosines(np.array([2.0, 1e-9, 1 + 1e-15]), np.ones(3), np.array([16.0, 0, 1]))
    assert found.tolist() == [0.5, 0, 1]
