"""Scores on cases worked out by hand, against the definition, and by their properties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from scstory.evaluation.metrics import adjusted_rand, b_cubed, score

LABELS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=40)


def by_definition(truth, found):
    precision = recall = 0.0
    for i in range(len(truth)):
        together = [j for j in range(len(truth)) if found[j] == found[i]]
        belong = [j for j in range(len(truth)) if truth[j] == truth[i]]
        right = len(set(together) & set(belong))
        precision += right / len(together) / len(truth)
        recall += right / len(belong) / len(truth)
    return precision, recall


@given(LABELS)
def test_agrees_with_the_definition(labels):
    truth, found = zip(*labels, strict=True)
    precision, recall, f1 = b_cubed(truth, found)
    expected = by_definition(truth, found)
    np.testing.assert_allclose((precision, recall), expected, atol=1e-12)
    assert f1 == pytest.approx(2 * precision * recall / (precision + recall))


@given(LABELS, st.permutations(range(5)))
def test_names_of_groups_do_not_matter(labels, renamed):
    truth, found = zip(*labels, strict=True)
    other = [renamed[label] for label in found]
    np.testing.assert_allclose(b_cubed(truth, found), b_cubed(truth, other))


@given(LABELS)
def test_truth_and_found_swap_precision_and_recall(labels):
    truth, found = zip(*labels, strict=True)
    precision, recall, f1 = b_cubed(truth, found)
    np.testing.assert_allclose(b_cubed(found, truth), (recall, precision, f1))


@given(st.lists(st.integers(0, 5), min_size=1, max_size=40))
def test_perfect_singletons_and_one_group(truth):
    n, k = len(truth), len(set(truth))
    assert b_cubed(truth, truth)[2] == pytest.approx(1)
    precision, recall, _ = b_cubed(truth, range(n))
    assert precision == pytest.approx(1)
    assert recall == pytest.approx(k / n)
    precision, recall, _ = b_cubed(truth, [0] * n)
    assert recall == pytest.approx(1)
    assert precision == pytest.approx(sum((truth.count(t) / n) ** 2 for t in set(truth)))


@settings(deadline=None)
@given(LABELS)
def test_all_scores_are_numbers_in_range(labels):
    truth, found = zip(*labels, strict=True)
    scores = score(truth, found)
    for value in (scores.b3_precision, scores.b3_recall, scores.b3_f1):
        assert 0 < value <= 1 + 1e-12
    assert np.isfinite(scores.ami)
    assert -1 <= scores.ari <= 1 + 1e-12


@given(LABELS)
def test_the_rand_index_is_that_of_scikit_learn(labels):
    truth, found = zip(*labels, strict=True)
    assert adjusted_rand(truth, found) == adjusted_rand_score(truth, found)


def test_nothing_to_score_and_uneven_lists():
    with pytest.raises(ValueError, match="no items"):
        b_cubed([], [])
    with pytest.raises(ValueError, match="2 true labels but 1 found"):
        b_cubed([1, 2], [1])
