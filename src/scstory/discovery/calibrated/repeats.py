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
    found = np.zeros(len(keys), dtype=bool)
    place, articles = window.having("sentence_keys", keys)
    known = articles < end
    if row is not None:
        known &= articles != row
    place, articles = place[known], articles[known]
    while len(articles):
        article = int(articles[0])
        found |= _marked(keys, weights, window, article, margin)
        # What is found already cannot be found again: nothing is gained from its other articles.
        rest = (articles != article) & ~found[place]
        place, articles = place[rest], articles[rest]
    return found


def _marked(
    keys: Ints, weights: NDArray[np.float32], window: Window, article: int, margin: float
) -> NDArray[np.bool_]:
    """Say which sentences stand in an article of the window that is no copy."""
    others = window.of("sentence_keys", article)
    common = np.isin(keys, others)
    starts_alike = np.isin(keys[:OPENING], others[:OPENING]).any()
    if starts_alike and common.sum() >= COPIED * min(len(keys), len(others)):
        return np.zeros(len(keys), dtype=bool)
    there = dict(zip(others.tolist(), window.of(OWN, article).tolist(), strict=True))
    elsewhere = np.array([there.get(key, 0.0) for key in keys.tolist()])
    return np.asarray(common & (weights < elsewhere + margin))
