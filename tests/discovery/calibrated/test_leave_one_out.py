"""How articles fit their own stories and others, against computing it from scratch."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scstory.discovery.calibrated import leave_one_out as module
from scstory.discovery.calibrated.gaps import Gaps
from scstory.discovery.calibrated.leave_one_out import LeaveOneOut
from tests.discovery.calibrated.posteriors import COHERENCE, DAY, PAIRED
from tests.discovery.calibrated.rows import cosine, make_rows

SEEDS = st.integers(0, 2**32 - 1)


def fit_of(seed, count):
    rng = np.random.default_rng(seed)
    rows, views = make_rows(rng, count)
    story = rng.choice([3, 7, 8, 20], count)
    times = rng.choice(np.arange(0, 7, 0.25), count) * DAY  # some at the same time
    return story, times, views, LeaveOneOut.of(story, times, rows, coherence=COHERENCE)


def evidence(views, times, article, others):
    """Return the evidence that an article is in the story that some articles make."""
    similar = [
        [cosine(view[article], view[others].sum(axis=0), len(others), COHERENCE)] for view in views
    ]
    newest, oldest = times[others].max(keepdims=True), times[others].min(keepdims=True)
    return PAIRED.evidence(np.array(similar), Gaps.between(times[article], newest, oldest))[:, 0]


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.integers(1, 14))
def test_in_its_own_story_an_article_is_rated_as_if_it_were_not_there(seed, count):
    story, times, views, found = fit_of(seed, count)
    own = found.own_evidence(PAIRED)
    rated = found.own_confidence(PAIRED)
    for i in range(count):
        others = np.flatnonzero((story == story[i]) & (np.arange(count) != i))
        assert found.alone[i] == (len(others) == 0)
        if not len(others):
            assert rated[i] == 1
            continue
        expected = evidence(views, times, i, others)
        np.testing.assert_allclose(own[:, i], expected, atol=1e-5)
        assert rated[i] == pytest.approx(1 / (1 + np.exp(-expected.sum())), abs=1e-5)


@pytest.mark.parametrize("at_once", [2, 256])
@settings(max_examples=20, deadline=None)
@given(seed=SEEDS, count=st.integers(2, 14))
def test_in_other_stories(seed, count, at_once):
    story, times, views, found = fit_of(seed, count)
    rng = np.random.default_rng(seed)
    some = rng.permutation(len(found.ids))[: rng.integers(1, 5)]
    chosen = rng.permutation(count)[: rng.integers(1, count + 1)]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "COMPARED_AT_ONCE", at_once)
        rated = found.log_odds_in(some, PAIRED, found.rows[chosen], times[chosen])
    assert rated.shape == (len(chosen), len(some))
    for a, i in enumerate(chosen):
        for b, column in enumerate(some):
            if story[i] != found.ids[column]:
                expected = evidence(views, times, i, np.flatnonzero(story == found.ids[column]))
                np.testing.assert_allclose(rated[a, b], expected.sum(), atol=1e-6)
