"""Eq. 5: the vector of a story is the mean of its articles' vectors.

R_S = 1/|S ∩ W| · Σ_(d ∈ S ∩ W) R_d
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from scstory.discovery.window import UNDECIDED, Ints


def story_vectors(vectors: NDArray[np.float32], story: Ints) -> tuple[Ints, NDArray[np.float32]]:
    """Return the stories that articles are in, and R_S of each."""
    ids, members = membership(story)
    sums = members @ vectors.astype(np.float64)
    sizes = np.diff(members.indptr).astype(np.float64)
    return ids, (sums / sizes[:, None]).astype(np.float32)


def membership(story: Ints) -> tuple[Ints, csr_array]:
    """Return the stories that articles are in, and a matrix of which articles each consists of."""
    decided = np.flatnonzero(story != UNDECIDED)
    ids, column = np.unique(story[decided], return_inverse=True)
    ones, places = np.ones(len(decided)), (column.astype(np.int32), decided.astype(np.int32))
    return ids, csr_array((ones, places), shape=(len(ids), len(story)))
