"""The sentences of an article with their weights, and the shades that show these."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from scstory.store.records import ArticleRow
from scstory.text import split_article
from scstory.text.sentences import MAX_BODY

SHADES = 7
Shaded = tuple[str, int | None]
"""A sentence and its shade; None if it was not read for the decision."""

_EMPTY_LINE, _NEW_LINE = re.compile(r"\n\s*\n"), re.compile(r"\n")


def weighted_sentences(row: ArticleRow) -> list[tuple[str, float]]:
    """Return the sentences with their weights, which are equal until the article is decided."""
    if not row.weights:
        sentences = split_article(row.article)
        return [(sentence, 1 / len(sentences)) for sentence in sentences]
    sentences = split_article(row.article, max_sentences=len(row.weights))
    return list(zip(sentences, row.weights, strict=False))


def shades(weights: Sequence[float]) -> list[int]:
    """Return a shade for each weight, from the article's least to its most indicative sentence.

    >>> shades([0.1, 0.2, 0.3])
    [0, 4, 7]
    """
    low, high = min(weights, default=0.0), max(weights, default=0.0)
    if high - low < 1e-9:
        return [0 for _ in weights]
    return [round((weight - low) / (high - low) * SHADES) for weight in weights]


def paragraphs(row: ArticleRow) -> list[list[Shaded]]:
    """Return the text of an article in its paragraphs, each sentence with its shade."""
    levels = shades([weight for _, weight in weighted_sentences(row)])
    sentences = split_article(row.article, max_sentences=MAX_BODY)
    first = int(bool(row.title.strip()))
    found: list[list[Shaded]] = []
    starts, position, last = _starts(row.text[:MAX_BODY]), 0, -1
    for index, sentence in enumerate(sentences[first:], first):
        place = bisect_right(starts, position)
        if place != last:
            found.append([])
        last, position = place, position + _length(sentence)
        found[-1].append((sentence, levels[index] if index < len(levels) else None))
    return found


def _starts(text: str) -> list[int]:
    """Return where paragraphs begin. Positions do not count white space, which sentences lose."""
    boundary = _EMPTY_LINE if _EMPTY_LINE.search(text.strip()) else _NEW_LINE
    return list(accumulate(_length(part) for part in boundary.split(text)))


def _length(text: str) -> int:
    return sum(map(len, text.split()))
