"""Assignment against the plain loop it stands for, and on small cases."""

from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scstory.discovery.assign import Stories, assign, candidates, decide
from scstory.discovery.calibrate import CalibratedConfidence
from scstory.discovery.confidence import Gaps, PlainConfidence
from tests.discovery.rows import from_views, make_rows, unit

SEEDS = st.integers(0, 2**32 - 1)
PLAIN = PlainConfidence()
DAYS = 86_400.0
FOUR = ("learned", "opening", "terms", "names")
"""As many views as `make_rows` makes, two of them lexical."""


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


def by_vectors(articles, stories, **options):
    """Assign articles by one view, as the paper does."""
    rows, _ = from_views([articles], dense=1)
    sums, _ = from_views([stories], dense=1)
    times = np.zeros(len(sums))
    found = candidates(rows, [0.0] * len(rows))
    return assign(found, Stories(sums, np.ones(len(sums)), times, times.copy()), PLAIN, **options)


@settings(max_examples=50, deadline=None)
@given(SEEDS, st.integers(1, 12), st.integers(0, 6), st.floats(-0.5, 0.9))
def test_agrees_with_the_plain_loop(seed, count, known, delta):
    rng = np.random.default_rng(seed)
    articles, stories = rng.standard_normal((count, 5)), rng.standard_normal((known, 5))
    decisions = by_vectors(articles, stories, delta=delta)
    expected = plainly(articles, stories, delta)
    assert [(d.story, d.new) for d in decisions] == [(s, new) for s, _, new in expected]
    np.testing.assert_allclose(
        [d.confidence for d in decisions], [c for _, c, _ in expected], atol=1e-9
    )


def test_an_article_joins_the_story_a_neighbour_just_founded():
    articles = np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]])
    decisions = by_vectors(articles, np.empty((0, 2)), delta=0.5)
    assert [(d.story, d.new) for d in decisions] == [(0, True), (0, False), (1, True)]
    assert decisions[2].runners_up[0][0] == 0


def test_confidence_equal_to_delta_joins():
    articles, stories = np.array([[1.0, 1.0]]), np.array([[1.0, 0.0]])
    delta = float(1 / np.sqrt(2))
    assert not by_vectors(articles, stories, delta=delta - 1e-12)[0].new
    parts = np.array([[0.5]])
    assert not decide(parts, PLAIN, delta=0.5).new
    assert decide(parts, PLAIN, delta=0.5 + 1e-12).new


def test_a_vector_of_no_length_is_similar_to_nothing():
    decisions = by_vectors(np.zeros((2, 3)), np.eye(3), delta=0.1)
    assert all(decision.new for decision in decisions)
    assert all(np.isfinite(c) for d in decisions for _, c in d.runners_up)


def test_frozen_stories_do_not_follow_the_articles_that_join():
    articles = np.array([[1.0, 0.0], [0.7, 0.7], [0.0, 1.0]])
    moving = by_vectors(articles, np.empty((0, 2)), delta=0.6)
    frozen = by_vectors(articles, np.empty((0, 2)), delta=0.6, frozen=True)
    assert [d.story for d in moving] == [0, 0, 1]
    assert frozen[2].runners_up[0] == (0, 0.0)
    np.testing.assert_allclose(moving[2].runners_up[0][1], 0.7 / np.hypot(1.7, 0.7), rtol=1e-6)


def test_a_decision_names_the_parts_and_the_three_best_of_the_others():
    confidence = CalibratedConfidence(("learned",), timedelta(days=7))
    parts = np.array([[-1.0, 3.0, 1.0, -2.0, 2.0, 0.0], [0.5] * 6, [0.25] * 6])
    joined = decide(parts, confidence, delta=0.5)
    assert (joined.story, joined.new) == (1, False)
    assert joined.parts == {"learned": 3.0, "time": 0.5, "prior": 0.25}
    assert joined.confidence == pytest.approx(1 / (1 + np.exp(-3.75)))
    assert [story for story, _ in joined.runners_up] == [4, 2, 5]
    founded = decide(parts, confidence, delta=0.99)
    assert (founded.story, founded.new, founded.confidence) == (6, True, 1.0)
    assert [story for story, _ in founded.runners_up] == [1, 4, 2]
    assert founded.parts == {}


def test_the_first_article_of_all_founds_a_story():
    decision = decide(np.empty((1, 0)), PLAIN, delta=-1.0)
    assert (decision.story, decision.new, decision.runners_up) == (0, True, ())


# -- several views and time -----------------------------------------------------------------------


def stream(seed, count, known):
    """Return articles and story sums by four views, and their times."""
    rng = np.random.default_rng(seed)
    rows, plain = make_rows(rng, count)
    sums, stories = make_rows(rng, known)
    times = np.sort(rng.uniform(5, 8, count)) * DAYS
    oldest = rng.uniform(0, 4, known) * DAYS
    newest = oldest + rng.uniform(0, 3, known) * DAYS
    return rows, plain, sums, stories, times, newest, oldest


def seen():
    """Return a confidence that has seen something, so that time and all views count."""
    rng = np.random.default_rng(5)
    confidence = CalibratedConfidence(FOUR, timedelta(days=7))
    for _ in range(30):
        gaps = Gaps(rng.uniform(0, 3, 8) * DAYS, rng.uniform(3, 7, 8) * DAYS)
        confidence.note(rng.uniform(0, 1, (4, 8)), gaps, rng.uniform(0, 0.6, (4, 5)))
    confidence.learn()
    return confidence


CONFIDENCE = seen()


def cosine(one, other, size=1, coherence=0.0):
    """Return the cosine with the sum of `size` vectors, whose mean is not to count as too short."""
    lengths = np.linalg.norm(one) * max(np.linalg.norm(other), size * coherence**0.5)
    return one @ other / lengths if lengths > 1e-12 else 0.0


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.integers(1, 25), st.integers(0, 4), st.floats(0.05, 0.9))
def test_views_and_times_follow_the_articles_that_join(seed, count, known, delta):
    rows, plain, sums, stories, times, newest, oldest = stream(seed, count, known)
    found = Stories(sums, np.ones(known), newest.copy(), oldest.copy())
    decisions = assign(candidates(rows, times.tolist()), found, CONFIDENCE, delta=delta)
    totals = [[view[k] for view in stories] for k in range(known)]
    sizes = [1] * known
    spans = [[o, n] for o, n in zip(oldest, newest, strict=True)]
    for i, decision in enumerate(decisions):
        vectors = [view[i] for view in plain]
        parts = np.empty((len(CONFIDENCE.names), 0))
        if totals:
            similar = [
                [
                    cosine(v, total[n], size, CONFIDENCE.coherence)
                    for total, size in zip(totals, sizes, strict=True)
                ]
                for n, v in enumerate(vectors)
            ]
            near = [max(times[i] - new, old - times[i], 0) for old, new in spans]
            far = [max(times[i] - old, new - times[i]) for old, new in spans]
            parts = CONFIDENCE.parts(np.array(similar), Gaps(np.array(near), np.array(far)))
        confident = CONFIDENCE.of(parts.sum(axis=0))
        best = int(confident.argmax()) if len(totals) else 0
        if not len(totals) or confident[best] < delta:
            assert (decision.story, decision.new) == (len(totals), True)
            totals.append(vectors)
            sizes.append(1)
            spans.append([times[i], times[i]])
        else:
            assert (decision.story, decision.new) == (best, False)
            assert decision.confidence == pytest.approx(confident[best], abs=1e-9)
            np.testing.assert_allclose(list(decision.parts.values()), parts[:, best], atol=1e-8)
            totals[best] = [a + b for a, b in zip(totals[best], vectors, strict=True)]
            sizes[best] += 1
            spans[best] = [min(spans[best][0], times[i]), max(spans[best][1], times[i])]
    assert len(found) == len(totals)


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.integers(1, 40), st.integers(0, 4), st.integers(0, 40))
def test_going_on_from_what_joined_is_going_on(seed, count, known, stop):
    """Whether articles join one object or a fold that is made anew makes no difference at all."""
    rows, _, sums, _, times, newest, oldest = stream(seed, count, known)
    stop = min(stop, count)
    articles = candidates(rows, times.tolist())
    whole = assign(articles, Stories(sums, np.ones(known), newest, oldest), CONFIDENCE, delta=0.5)
    rows, _, sums, _, times, newest, oldest = stream(seed, count, known)
    again = Stories(sums, np.ones(known), newest, oldest)
    for i, decision in enumerate(whole[:stop]):
        (article,) = candidates(rows[i : i + 1], [times[i]])
        again.join(decision.story, article, again.products(article))
    rest = []
    for i in range(stop, count):  # and one at a time is as good as many
        rest += assign(candidates(rows[i : i + 1], [times[i]]), again, CONFIDENCE, delta=0.5)
    assert rest == whole[stop:]


def test_looking_changes_nothing():
    rows, _, sums, _, times, newest, oldest = stream(1, 6, 3)
    stories = Stories(sums, np.ones(3), newest, oldest)
    one, other, *_ = candidates(rows, times.tolist())
    before = stories.products(one)
    stories.cosines(other, stories.products(other), 0.0)
    assert np.array_equal(stories.products(one), before)


def test_made_of_unit_rows_a_story_of_one_is_as_similar_as_its_article():
    _, plain = make_rows(np.random.default_rng(3), 5)
    rows, views = from_views(unit(plain), dense=2)
    articles = candidates(rows, [0.0] * 5)
    stories = Stories(rows[:0], np.empty(0), np.empty(0), np.empty(0))
    for column, article in enumerate(articles):
        stories.join(column, article, stories.products(article))
    for i, article in enumerate(articles):
        found = stories.cosines(article, stories.products(article), 0.6)
        expected = [[cosine(view[i], view[k]) for k in range(5)] for view in views]
        np.testing.assert_allclose(found, expected, atol=1e-12)
