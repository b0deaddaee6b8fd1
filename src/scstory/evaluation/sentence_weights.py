"""Whether sentence weights tell an article's own sentences from those that were put into it."""

import re
from collections.abc import Mapping, Sequence

import numpy as np

from scstory.types import Article, Assignment, Reading

Marks = Sequence[bool | None]
"""For each sentence of an article whether it is its own; None where that is not to be judged."""

SAME = 1e-5
"""Weights that differ by less are the same: weights have 32 bits."""

_NOT_LETTERS_OR_DIGITS = re.compile(r"[\W_]+")


def mark_own(article: Article, reading: Reading, own_text: str) -> Marks:
    """Return which sentences of an article occur in its own text; the title is not judged."""
    own = _bare(own_text)
    bare = [_bare(sentence) for sentence in reading.sentences]
    marks = [sentence in own if sentence else None for sentence in bare]
    return [None, *marks[1:]] if article.title.strip() else marks


def weights_auc(decisions: Mapping[str, Assignment], marks: Mapping[str, Marks]) -> float | None:
    """Return the area under the ROC curve of sentence weights, own sentences against inserted ones.

    It is the probability that an own sentence weighs more than an inserted one. A weight counts
    relative to the even share of its article. Returns None where there is nothing to tell apart,
    or for a system that weighs all sentences alike.
    """
    from sklearn.metrics import roc_auc_score

    own: list[bool] = []
    weights: list[float] = []
    for name, of_article in marks.items():
        if (decision := decisions.get(name)) is None:
            continue
        for mark, weight in zip(of_article, decision.weights, strict=False):
            if mark is not None:
                own.append(mark)
                weights.append(weight * len(decision.weights))
    if len(set(own)) < 2 or np.ptp(weights) < SAME:
        return None
    return float(roc_auc_score(own, weights))


def _bare(text: str) -> str:
    """Return the letters and digits of a text in lower case.

    >>> _bare("The river rose 1.5 metres.")
    'theriverrose15metres'
    """
    return _NOT_LETTERS_OR_DIGITS.sub("", text.lower())
