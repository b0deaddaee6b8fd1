"""How articles stand in their own stories and in others, against working it out from scratch."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scstory.discovery import within
from scstory.discovery.confidence import Gaps, PlainConfidence
from scstory.discovery.slide import spans
from scstory.discovery.within import Standing
from tests.discovery.rows import from_views, make_rows
from tests.discovery.test_assign import CONFIDENCE, DAYS, cosine

SEEDS = st.integers(0, 2**32 - 1)


def standing(seed, count, *, apart):
    rng = np.random.default_rng(seed)
    rows, views = make_rows(rng, count)
    story = rng.choice([3, 7, 8, 20], count)
    times = rng.choice(np.arange(0, 7, 0.25), count) * DAYS  # some at the same time
    return story, times, views, Standing.of(story, times, rows, apart=apart)


def parts(views, times, article, others):
    """Return the parts of an article's confidence in the story that some articles make."""
    similar = [
        [cosine(view[article], view[others].sum(axis=0), len(others), CONFIDENCE.coherence)]
        for view in views
    ]
    newest, oldest = times[others].max(keepdims=True), times[others].min(keepdims=True)
    return CONFIDENCE.parts(np.array(similar), Gaps.of(times[article], newest, oldest))[:, 0]


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.integers(1, 14))
def test_in_its_own_story_an_article_is_rated_as_if_it_were_not_there(seed, count):
    story, times, views, found = standing(seed, count, apart=True)
    own = found.parts_in_own(CONFIDENCE)
    rated = found.own(CONFIDENCE)
    for i in range(count):
        others = np.flatnonzero((story == story[i]) & (np.arange(count) != i))
        assert found.alone[i] == (len(others) == 0)
        if not len(others):
            assert rated[i] == 1
            continue
        expected = parts(views, times, i, others)
        np.testing.assert_allclose(own[:, i], expected, atol=1e-5)
        assert rated[i] == pytest.approx(1 / (1 + np.exp(-expected.sum())), abs=1e-5)


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.integers(1, 14))
def test_or_with_it_there_if_so_wished(seed, count):
    story, times, views, found = standing(seed, count, apart=False)
    own = found.parts_in_own(CONFIDENCE)
    for i in range(count):
        expected = parts(views, times, i, np.flatnonzero(story == story[i]))
        np.testing.assert_allclose(own[:, i], expected, atol=1e-6)


def test_the_papers_confidence_is_the_cosine_with_the_mean():
    rng = np.random.default_rng(0)
    vectors, story = rng.standard_normal((6, 4)), np.array([1, 2, 1, 1, 2, 3])
    rows, _ = from_views([vectors], dense=1)
    found = Standing.of(story, np.zeros(6), rows, apart=False).own(PlainConfidence())
    expected = [cosine(vectors[i], vectors[story == story[i]].mean(axis=0)) for i in range(6)]
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("chunk", [2, 256])
@settings(max_examples=20, deadline=None)
@given(seed=SEEDS, count=st.integers(2, 14))
def test_in_other_stories(seed, count, chunk):
    story, times, views, found = standing(seed, count, apart=True)
    rng = np.random.default_rng(seed)
    some = rng.permutation(len(found.ids))[: rng.integers(1, 5)]
    chosen = rng.permutation(count)[: rng.integers(1, count + 1)]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(within, "CHUNK", chunk)
        rated = found.evidence_in(some, CONFIDENCE, found.rows[chosen], times[chosen])
    assert rated.shape == (len(chosen), len(some))
    for a, i in enumerate(chosen):
        for b, column in enumerate(some):
            if story[i] != found.ids[column]:
                expected = parts(views, times, i, np.flatnonzero(story == found.ids[column]))
                np.testing.assert_allclose(rated[a, b], expected.sum(), atol=1e-6)


def test_spans_are_from_the_oldest_to_the_newest():
    story, times = np.array([5, 2, 5, 5, 9]), np.array([3.0, 4.0, 1.0, 2.0, 7.0])
    newest, oldest = spans(story, times, np.array([2, 5, 9]))
    assert newest.tolist() == [4, 3, 7]
    assert oldest.tolist() == [4, 1, 7]
