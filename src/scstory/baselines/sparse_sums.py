"""Sparse matrices of terms or sentence vectors, with a row per cluster, story or article."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from scstory.baselines.baseline import mean_vector
from scstory.text.terms import BUCKETS
from scstory.types import EncodedArticle


def mean_rows(members: Sequence[EncodedArticle]) -> csr_array:
    """Return the mean sentence vectors, as wide as term counts so that one code serves both."""
    means = np.array([mean_vector(member) for member in members])
    count, width = means.shape
    columns = np.tile(np.arange(width), count)
    return csr_array((means.ravel(), columns, np.arange(count + 1) * width), shape=(count, BUCKETS))


def combine(parts: NDArray[np.float64] | csr_array, rows: Sequence[csr_array]) -> csr_array:
    """Return sums of rows, one for each row of `parts`, which says how much of each goes in."""
    mixed = csr_array(csr_array(parts) @ vstack(rows, format="csr"))
    mixed.sort_indices()  # one order of terms, so that sums come out the same after a restore
    return mixed


def pack(rows: csr_array) -> dict[str, NDArray[Any]]:
    """Return a matrix as plain arrays."""
    return {"data": rows.data, "indices": rows.indices, "indptr": rows.indptr}


def unpack(arrays: Mapping[str, NDArray[Any]]) -> csr_array:
    """Return the matrix that `pack` returned as arrays."""
    indptr = arrays["indptr"]
    return csr_array((arrays["data"], arrays["indices"], indptr), shape=(len(indptr) - 1, BUCKETS))
