"""Assignment against the plain loop it stands for, and on small cases."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from scstory.discovery.assign import View, assign
from scstory.discovery.confidence import PlainConfidence, confidences

ONE = PlainConfidence([1.0])


def plainly(articles, stories, delta):
    """The paper's algorithm, line by line."""
    groups = [[vector] for vector in stories]
    result = []
    for vector in articles:
        cosines = []
        for group in groups:
            mean = np.mean(group, axis=0) if len(group) > 1 else group[0]
            cosines.append(vector @ mean / (np.linalg.norm(vector) * np.linalg.norm(mean) + 1e-300))
        if cosines and max(cosines) >= delta:
            best = int(np.argmax(cosines))
            groups[best].append(vector)
            result.append((best, cosines[best], False))
        else:
            groups.append([vector])
            result.append((len(groups) - 1, 1.0, True))
    return result


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(0, 6), st.floats(-0.5, 0.9))
def test_agrees_with_the_plain_loop(seed, count, known, delta):
    rng = np.random.default_rng(seed)
    articles, stories = rng.standard_normal((count, 5)), rng.standard_normal((known, 5))
    decisions = assign([View.of("learned", articles, stories)], ONE, delta=delta)
    expected = plainly(articles, stories, delta)
    assert [(d.story, d.new) for d in decisions] == [(s, new) for s, _, new in expected]
    np.testing.assert_allclose(
        [d.confidence for d in decisions], [c for _, c, _ in expected], atol=1e-9
    )


def test_an_article_joins_the_story_a_neighbour_just_founded():
    articles = np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]])
    decisions = assign([View.of("learned", articles, np.empty((0, 2)))], ONE, delta=0.5)
    assert [(d.story, d.new) for d in decisions] == [(0, True), (0, False), (1, True)]
    assert decisions[2].runners_up[0][0] == 0


def test_confidence_equal_to_delta_joins():
    articles, stories = np.array([[1.0, 1.0]]), np.array([[1.0, 0.0]])
    delta = float(1 / np.sqrt(2))
    decision = assign([View.of("learned", articles, stories)], ONE, delta=delta - 1e-12)[0]
    assert not decision.new


def test_views_add_up_by_weight_and_are_told_apart():
    learned = View.of("learned", np.array([[1.0, 0.0]]), np.array([[1.0, 0.0], [0.0, 1.0]]))
    lexical = View.of(
        "lexical", csr_array([[0.0, 1.0]]), csr_array(np.array([[1.0, 0.0], [1.0, 1.0]]))
    )
    both = PlainConfidence([0.4, 0.6])
    np.testing.assert_allclose(confidences([learned, lexical], both)[0], [[0.4, 0.6 / np.sqrt(2)]])
    decision = assign([learned, lexical], both, delta=0.3)[0]
    assert decision.story == 1
    np.testing.assert_allclose(decision.parts["learned"], 0)
    np.testing.assert_allclose(decision.parts["lexical"], 0.6 / np.sqrt(2))
    np.testing.assert_allclose(decision.confidence, 0.6 / np.sqrt(2))


def test_a_vector_of_no_length_is_similar_to_nothing():
    articles = np.zeros((2, 3))
    decisions = assign([View.of("learned", articles, np.eye(3))], ONE, delta=0.1)
    assert all(decision.new for decision in decisions)
    assert all(np.isfinite(c) for d in decisions for _, c in d.runners_up)


def test_frozen_stories_do_not_follow_the_articles_that_join():
    articles = np.array([[1.0, 0.0], [0.7, 0.7], [0.0, 1.0]])
    view = View.of("learned", articles, np.empty((0, 2)))
    moving = assign([view], ONE, delta=0.6)
    frozen = assign([view], ONE, delta=0.6, frozen=True)
    assert [d.story for d in moving] == [0, 0, 1]
    assert frozen[2].runners_up[0] == (0, 0.0)
    np.testing.assert_allclose(moving[2].runners_up[0][1], 0.7 / np.hypot(1.7, 0.7), rtol=1e-6)
