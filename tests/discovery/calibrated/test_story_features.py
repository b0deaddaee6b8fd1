"""Stories as sums of features against the plain loop they stand for, and on small cases."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from scstory.discovery.calibrated.gaps import Gaps
from scstory.discovery.calibrated.log_odds import sigmoid
from scstory.discovery.calibrated.story_features import StoryFeatures, one_by_one
from scstory.discovery.paper.assignment import choose
from tests.discovery.calibrated.posteriors import COHERENCE, DAY, FITTED
from tests.discovery.calibrated.rows import cosine, from_views, make_rows, unit

SEEDS = st.integers(0, 2**32 - 1)


def stream(seed, count, known):
    """Return articles and story sums by four features, and their times."""
    rng = np.random.default_rng(seed)
    rows, plain = make_rows(rng, count)
    sums, stories = make_rows(rng, known)
    times = np.sort(rng.uniform(5, 8, count)) * DAY
    oldest = rng.uniform(0, 4, known) * DAY
    newest = oldest + rng.uniform(0, 3, known) * DAY
    return rows, plain, sums, stories, times, newest, oldest


def assign(articles, stories, delta):
    """Let each article join the best story or found one; return what was known of each."""
    decided = []
    for article in articles:
        products = stories.products(article)
        evidence = FITTED.evidence(
            stories.cosines(article, products, COHERENCE), stories.gaps(article)
        )
        columns = list(range(len(stories)))
        story, confidence, _ = choose(columns, sigmoid(evidence.sum(axis=0)), delta)
        reasons = [] if story is None else evidence[:, story].tolist()
        column = len(stories) if story is None else story
        stories.join(column, article, products)
        decided.append((column, story is None, confidence, reasons))
    return decided


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.integers(1, 25), st.integers(0, 4), st.floats(0.05, 0.9))
def test_features_and_times_follow_the_articles_that_join(seed, count, known, delta):
    rows, plain, sums, stories, times, newest, oldest = stream(seed, count, known)
    found = StoryFeatures(sums, np.ones(known), newest.copy(), oldest.copy())
    decided = assign(one_by_one(rows, times.tolist()), found, delta)
    totals = [[view[k] for view in stories] for k in range(known)]
    sizes = [1] * known
    spans = [[o, n] for o, n in zip(oldest, newest, strict=True)]
    for i, (column, new, confidence, reasons) in enumerate(decided):
        vectors = [view[i] for view in plain]
        evidence = np.empty((len(FITTED.names), 0))
        if totals:
            similar = [
                [
                    cosine(v, total[n], size, COHERENCE)
                    for total, size in zip(totals, sizes, strict=True)
                ]
                for n, v in enumerate(vectors)
            ]
            near = [max(times[i] - new, old - times[i], 0) for old, new in spans]
            far = [max(times[i] - old, new - times[i]) for old, new in spans]
            evidence = FITTED.evidence(np.array(similar), Gaps(np.array(near), np.array(far)))
        confident = sigmoid(evidence.sum(axis=0))
        best = int(confident.argmax()) if len(totals) else 0
        if not len(totals) or confident[best] < delta:
            assert (column, new) == (len(totals), True)
            totals.append(vectors)
            sizes.append(1)
            spans.append([times[i], times[i]])
        else:
            assert (column, new) == (best, False)
            np.testing.assert_allclose(confidence, confident[best], atol=1e-9)
            np.testing.assert_allclose(reasons, evidence[:, best], atol=1e-8)
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
    articles = one_by_one(rows, times.tolist())
    whole = assign(articles, StoryFeatures(sums, np.ones(known), newest, oldest), 0.5)
    rows, _, sums, _, times, newest, oldest = stream(seed, count, known)
    again = StoryFeatures(sums, np.ones(known), newest, oldest)
    for i, (column, *_) in enumerate(whole[:stop]):
        (article,) = one_by_one(rows[i : i + 1], [times[i]])
        again.join(column, article, again.products(article))
    rest = []
    for i in range(stop, count):  # and one at a time is as good as many
        rest += assign(one_by_one(rows[i : i + 1], [times[i]]), again, 0.5)
    assert rest == whole[stop:]


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.integers(1, 9), st.integers(0, 4))
def test_products_with_the_initial_sums_may_be_known_before(seed, count, known):
    rows, _, sums, _, times, newest, oldest = stream(seed, count, known)
    stories = StoryFeatures(sums, np.ones(known), newest, oldest)
    before = stories.initial_products(rows.terms)
    for i, article in enumerate(one_by_one(rows, times.tolist())):
        found = stories.products(article, before[:, i])
        assert np.array_equal(found, stories.products(article))
        stories.join(len(stories), article, found)


def test_looking_changes_nothing():
    rows, _, sums, _, times, newest, oldest = stream(1, 6, 3)
    stories = StoryFeatures(sums, np.ones(3), newest, oldest)
    one, other, *_ = one_by_one(rows, times.tolist())
    before = stories.products(one)
    stories.cosines(other, stories.products(other), 0.0)
    assert np.array_equal(stories.products(one), before)


def test_made_of_unit_rows_a_story_of_one_is_as_similar_as_its_article():
    _, plain = make_rows(np.random.default_rng(3), 5)
    rows, views = from_views(unit(plain), dense=2)
    articles = one_by_one(rows, [0.0] * 5)
    stories = StoryFeatures(rows[:0], np.empty(0), np.empty(0), np.empty(0))
    for column, article in enumerate(articles):
        stories.join(column, article, stories.products(article))
    for i, article in enumerate(articles):
        found = stories.cosines(article, stories.products(article), 0.6)
        expected = [[cosine(view[i], view[k]) for k in range(5)] for view in views]
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_articles_with_nothing_in_common_make_a_mean_that_counts_as_longer():
    """Two at right angles: their mean is of length √½, and counts as √0.6 at least."""
    rows, _ = from_views([np.eye(2)], dense=1)
    articles = one_by_one(rows, [0.0, 0.0])
    stories = StoryFeatures(rows[:0], np.empty(0), np.empty(0), np.empty(0))
    for article in articles:
        stories.join(0, article, stories.products(article))
    products = stories.products(articles[0])
    for coherence, length in ((0.0, 0.5), (0.5, 0.5), (0.6, 0.6), (1.0, 1.0)):
        found = stories.cosines(articles[0], products, coherence)
        np.testing.assert_allclose(found, [[0.5 / np.sqrt(length)]], atol=1e-12)
