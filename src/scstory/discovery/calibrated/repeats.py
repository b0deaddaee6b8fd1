"""Sentences that stand word for word in several articles of the window.

Two reports of one event may quote the same sentence, and copies of one report have most sentences
in common. But a sentence that an article shares with another, with which it has little else in
common, is a ticker, a teaser, a caption or the boilerplate of an outlet in at least one of them,
and proves nothing about the story. It may be the own sentence of the one that it fits better.
"""

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from scstory.discovery.window import Column, Ints, Window
from scstory.types import EncodedArticle

OPENING = 5
"""Copies have a sentence in common among their first ones."""
OWN = "own"
"""The column of sentence weights: how probably each sentence is the article's own."""
COPIED = 0.5
"""Copies have at least this share of the shorter one's sentences in common."""


def key_column() -> Column:
    """Return a column of numbers, the same for the same sentence."""
    return Column("sentence_keys", np.int64, per="sentence", derive=_keys)


def _keys(articles: Sequence[EncodedArticle]) -> Ints:
    sentences = (sentence for article in articles for sentence in article.sentences)
    found = [blake2b(sentence.lower().encode(), digest_size=8).digest() for sentence in sentences]
    return np.frombuffer(b"".join(found), dtype=np.int64)


def repeated(
    keys: Ints,
    weights: NDArray[np.float32],
    window: Window,
    *,
    row: int | None,
    end: int,
    margin: float,
) -> NDArray[np.bool_]:
    """Say which sentences stand in an article before row `end` that is no copy.

    Those do not count that weigh more here than there by a margin. `row` is that of the article
    whose sentences they are, if it is in the window.
    """
    lengths = window.lengths[:end]
    ends = np.cumsum(lengths)
    others = window["sentence_keys"][: int(ends[-1]) if end else 0]
    found = np.zeros(len(keys), dtype=bool)
    in_order = np.sort(keys)
    place = np.minimum(np.searchsorted(in_order, others), len(keys) - 1)
    shared = np.flatnonzero(in_order[place] == others)
    owner = np.searchsorted(ends, shared, side="right")
    for article in np.unique(owner).tolist():
        if article == row:
            continue
        own = shared[owner == article]
        common = np.isin(keys, others[own])
        opening = others[own[own < ends[article] - lengths[article] + OPENING]]
        starts_alike = np.isin(keys[:OPENING], opening).any()
        copied = common.sum() >= COPIED * min(len(keys), lengths[article])
        if not (starts_alike and copied):
            there = dict(zip(others[own].tolist(), window[OWN][own].tolist(), strict=True))
            elsewhere = np.array([there.get(key, 0.0) for key in keys.tolist()])
            found |= common & (weights < elsewhere + margin)
    return found
