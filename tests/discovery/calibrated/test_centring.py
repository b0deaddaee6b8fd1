"""The running mean of sentence vectors."""

import numpy as np
import pytest

from scstory.discovery.calibrated.centring import RunningMeans


@pytest.mark.parametrize("prior", [0, 5])
def test_the_mean_counts_as_if_zeros_had_come_first(prior):
    mean, rng = RunningMeans(4, prior), np.random.default_rng(0)
    assert not mean.value().any()
    seen = [rng.standard_normal((n, 4)).astype(np.float32) for n in (3, 1, 6)]
    for vectors in seen:
        mean.update(vectors)
    expected = np.concatenate([np.zeros((prior, 4)), *seen]).mean(axis=0)
    np.testing.assert_allclose(mean.value(), expected, atol=1e-6)
    assert mean.value().dtype == np.float32
