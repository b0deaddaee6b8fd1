"""The single pass that compared systems share, against the plain loop it stands for."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from scstory.baselines.inner_products import Decay, InnerProducts, single_pass


def plainly(articles, stories, threshold, days=None, newest=(), sigma=np.inf):
    groups = [[vector] for vector in stories]
    days = [0.0] * len(articles) if days is None else days
    newest = [*newest] or [0.0] * len(stories)
    joined = []
    for vector, day in zip(articles, days, strict=True):
        sums = [np.sum(group, axis=0) for group in groups]
        lengths = [np.linalg.norm(vector) * np.linalg.norm(total) for total in sums]
        similar = [vector @ total / n if n else 0.0 for total, n in zip(sums, lengths, strict=True)]
        fading = [np.exp(-((day - last) ** 2) / (2 * sigma**2)) for last in newest]
        similar = [s * fade for s, fade in zip(similar, fading, strict=True)]
        best = int(np.argmax(similar)) if similar else 0
        if not similar or similar[best] < threshold:
            best = len(groups)
            groups.append([])
            newest.append(day)
        newest[best] = max(newest[best], day)
        groups[best].append(vector)
        joined.append(best)
    return joined


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(0, 12), st.integers(0, 5), st.floats(-0.5, 0.95))
def test_agrees_with_the_plain_loop(seed, count, known, threshold):
    rng = np.random.default_rng(seed)
    articles, stories = rng.standard_normal((count, 4)), rng.standard_normal((known, 4))
    expected = plainly(articles, stories, threshold)
    assert single_pass(InnerProducts.of(articles, stories), threshold=threshold) == expected
    sparse = InnerProducts.of(csr_array(articles), csr_array(stories))
    assert single_pass(sparse, threshold=threshold) == expected


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(0, 12), st.integers(0, 5), st.floats(0.3, 5))
def test_agrees_with_the_plain_loop_when_similarity_fades(seed, count, known, sigma):
    rng = np.random.default_rng(seed)
    articles, stories = rng.standard_normal((count, 4)), rng.standard_normal((known, 4))
    days, newest = rng.uniform(-3, 3, count), rng.uniform(-3, 3, known)
    expected = plainly(articles, stories, 0.3, days, newest, sigma)
    products = InnerProducts.of(articles, stories)
    assert single_pass(products, threshold=0.3, decay=Decay(days, newest, sigma)) == expected


def test_articles_of_no_length_are_each_a_story():
    products = InnerProducts.of(np.zeros((3, 2)), np.empty((0, 2)))
    assert single_pass(products, threshold=0.1) == [0, 1, 2]
