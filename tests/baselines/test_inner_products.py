"""The single pass that compared systems share, against the plain loop it stands for."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from scstory.baselines.inner_products import InnerProducts, single_pass


def plainly(articles, stories, threshold):
    groups = [[vector] for vector in stories]
    joined = []
    for vector in articles:
        sums = [np.sum(group, axis=0) for group in groups]
        lengths = [np.linalg.norm(vector) * np.linalg.norm(total) for total in sums]
        similar = [vector @ total / n if n else 0.0 for total, n in zip(sums, lengths, strict=True)]
        best = int(np.argmax(similar)) if similar else 0
        if not similar or similar[best] < threshold:
            best = len(groups)
            groups.append([])
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


def test_articles_of_no_length_are_each_a_story():
    products = InnerProducts.of(np.zeros((3, 2)), np.empty((0, 2)))
    assert single_pass(products, threshold=0.1) == [0, 1, 2]
