"""Which vectors a confidence compares: what M learned and, if asked for, the terms themselves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from scstory.discovery.assign import View
from scstory.discovery.window import UNDECIDED, Window
from scstory.text import TermStatistics

LEARNED, LEXICAL = "learned", "lexical"


def compare(
    articles: Window,
    chosen: NDArray[np.int64],
    window: Window,
    *,
    statistics: TermStatistics,
    lexical: float,
) -> tuple[list[View], NDArray[np.int64]]:
    """Compare some articles with the stories of a window; return the stories' ids as well."""
    decided = np.flatnonzero(window.story != UNDECIDED)
    ids, column = np.unique(window.story[decided], return_inverse=True)
    ones = np.ones(len(decided))
    belongs = csr_array((ones, (column, decided)), shape=(len(ids), len(window)))
    stories = belongs @ window.vectors.astype(np.float64)
    views = [View.of(LEARNED, 1 - lexical, articles.vectors[chosen].astype(np.float64), stories)]
    if lexical:
        new = statistics.tfidf(articles.terms[chosen])
        views.append(View.of(LEXICAL, lexical, new, belongs @ statistics.tfidf(window.terms)))
    return views, ids
