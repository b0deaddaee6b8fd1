"""Eq. 9: what M learns from."""

import numpy as np
import pytest

from scstory.discovery.paper.training_samples import Sampler, _distinct
from tests.discovery.paper.windows import make_window

AUGMENTED = ["attention", "pooling", "shuffle"]


def test_distinct_rows_keep_their_story_and_number():
    rows = np.array([[4, 5], [1, -1], [4, 5], [7, 8], [4, 5]])
    target = np.array([2, 0, 2, 1, 2])
    dropped = np.array([False, False, False, True, True])
    found = _distinct(rows, target, dropped)
    assert found.rows.tolist() == [[1, -1], [4, 5], [7, 8], [4, 5]]
    assert found.target.tolist() == [0, 2, 1, 2]
    assert found.dropped.tolist() == [False, False, True, True]
    assert found.times.tolist() == [1, 2, 1, 1]


@pytest.fixture
def window(hashing):
    """A window with sentences that differ in how much they count."""
    window, rng = make_window(hashing), np.random.default_rng(0)
    for name in ("received", "pooling"):
        window[name][:] = rng.random(len(window[name]))
    return window


def draw(window, sampler, scope=None, seed=0):
    scope = np.arange(len(window)) if scope is None else scope
    return sampler.draw(window, window.story, scope, np.random.default_rng(seed))


def articles_of(window, samples):
    """Return the articles that the sentences of each sample come from."""
    ends = np.cumsum(window.lengths)
    return [sorted({*np.searchsorted(ends, row[row >= 0], "right")}) for row in samples.rows]


def test_as_many_are_replayed_as_augmented(window):
    samples = draw(window, Sampler(500, 0.5, 50))
    assert samples.times.sum() == 1000
    found = articles_of(window, samples)
    replayed = [parts for parts in found if len(parts) == 1]
    assert {parts[0] for parts in replayed} == set(range(len(window)))
    assert samples.times[[len(parts) == 1 for parts in found]].sum() == pytest.approx(500)


def test_each_is_of_one_story_and_knows_it(window):
    samples = draw(window, Sampler(500, 0.5, 50))
    for parts, target in zip(articles_of(window, samples), samples.target, strict=True):
        assert {int(window.story[i]) for i in parts} == {int(target)}


def test_what_is_below_is_not_replayed(window):
    window.confidence[:] = np.linspace(0, 1, len(window))
    samples = draw(window, Sampler(500, 0.5, 50, "none"))
    assert {parts[0] for parts in articles_of(window, samples)} == set(range(6, 12))


def test_none_is_augmented(window):
    samples = draw(window, Sampler(40, 0.5, 50, "none"))
    assert samples.times.sum() == 40
    assert all(len(parts) == 1 for parts in articles_of(window, samples))


@pytest.mark.parametrize("kind", AUGMENTED)
def test_a_pair_gives_the_top_of_one_and_the_bottom_of_the_other(window, kind):
    window.confidence[:] = 0
    samples = draw(window, Sampler(300, 0.5, 50, kind))
    importance = window["pooling" if kind == "pooling" else "received"]
    for row, (one, other) in zip(samples.rows, articles_of(window, samples), strict=True):
        assert (window.lengths[one], window.lengths[other]) == (5, 5)
        assert len(row[row >= 0]) == 5  # three of one and two of the other
        if kind == "shuffle":
            continue
        tables = window.sentence_table(np.array([one, other]))
        ranked = [own[np.argsort(-importance[own])].tolist() for own in tables]
        ways = [first[:3] + second[3:] for first, second in (ranked, ranked[::-1])]
        assert row.tolist() in ways


def test_chance_ranks_where_sentences_are_shuffled(window):
    window.confidence[:] = 0
    window.story[:] = 0
    found = {
        kind: {
            tuple(row)
            for seed in range(40)
            for row in draw(window, Sampler(30, 0.5, 50, kind), np.arange(2), seed).rows
        }
        for kind in ("shuffle", "attention")
    }
    assert len(found["attention"]) == 2
    assert len(found["shuffle"]) > 50


def test_dropout_is_of_whole_articles_each_by_itself(window):
    samples = draw(window, Sampler(200, 0.5, 50, "dropout"))
    assert samples.dropped.sum() == 200
    assert (samples.times[samples.dropped] == 1).all()
    assert all(len(parts) == 1 for parts in articles_of(window, samples))


def test_no_augmented_article_is_longer_than_allowed(window):
    samples = draw(window, Sampler(100, 2.0, 4))
    assert (samples.rows >= 0).sum(axis=1).max() == 4


def test_fresh_articles_may_stand_in_for_the_memory(window):
    window.confidence[:] = 0
    samples = draw(window, Sampler(300, 0.5, 50, "none", fresh=np.array([2, 7])))
    assert {parts[0] for parts in articles_of(window, samples)} == {2, 7}
    np.testing.assert_allclose(samples.times / 300, [0.5, 0.5], atol=0.1)
    nothing = draw(window, Sampler(300, 0.5, 50, "none", fresh=np.empty(0, dtype=np.int64)))
    assert len(nothing.rows) == 0


def test_only_what_is_in_scope_is_drawn(window):
    samples = draw(window, Sampler(300, 0.5, 50), np.array([1, 4, 6, 9]))
    assert {i for parts in articles_of(window, samples) for i in parts} == {1, 4, 6, 9}
