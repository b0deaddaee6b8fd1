"""What a reader gets of a story: its title, keywords, key sentences, span and articles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from scstory.discovery.window import Window
from scstory.text import TermStatistics, keywords
from scstory.types import Article, KeySentence, Story

KEY_SENTENCES = 3


def describe(
    window: Window,
    story: int,
    statistics: TermStatistics,
    *,
    joined: Sequence[Article],
    before: Story | None,
) -> Story:
    """Return a story as a reader sees it, after some articles joined it.

    Title, keywords and key sentences come from its articles in the window. They are made anew
    only when the story grows: as its articles leave, it stays as it last was.
    """
    rows = rows_of(window, story)
    central = rows[np.argsort(-window.confidence[rows], kind="stable")]
    texts = [window.wordings[i] for i in rows]
    times = [article.published for article in joined]
    told = Story(
        id=story,
        title=_title(window, central),
        keywords=keywords(texts, statistics, earlier=before.keywords if before else ()),
        key_sentences=_key_sentences(window, central),
        first_seen=min([*times, before.first_seen] if before else times),
        last_seen=max([*times, before.last_seen] if before else times),
        articles=(),
        size=len(rows),
        confidence=0.0,
    )
    return as_of_now(window, told)


def as_of_now(window: Window, story: Story) -> Story:
    """Return a story with its articles in the window and their mean confidence."""
    rows = rows_of(window, story.id)
    return replace(
        story,
        articles=tuple(window.members[i].article.id for i in rows),
        confidence=float(window.confidence[rows].mean()),
    )


def rows_of(window: Window, story: int) -> NDArray[np.int64]:
    """Return the window's articles of a story, in publication order."""
    rows = np.flatnonzero(window.story == story)
    return np.array(sorted(rows, key=lambda i: window.members[i].article.published))


def indicative(window: Window, article: int) -> NDArray[np.float32]:
    """Return how story-indicative each sentence of an article is: shares, none below zero."""
    shares = np.maximum(window.shares[article], 0)
    return np.asarray(shares / max(float(shares.sum()), 1e-12), dtype=np.float32)


def _title(window: Window, central: NDArray[np.int64]) -> str:
    """Return the headline of the most central article that has one."""
    for i in central.tolist():
        title: str = window.members[i].article.title
        if title:
            return title
    return window.members[int(central[0])].sentences[0]


def _key_sentences(window: Window, central: NDArray[np.int64]) -> tuple[KeySentence, ...]:
    """Return the most story-indicative sentences, at most one an article, titles left out.

    A weight is compared with the even share in its article, so that a short article's sentences
    do not win by being few. Among equals the most central article's earliest sentence wins.
    """
    found = []
    for i in central:
        member = window.members[i]
        first = 1 if member.article.title and len(member.sentences) > 1 else 0
        weights = indicative(window, int(i))
        best = int(weights[first:].argmax()) + first
        share = round(float(weights[best]) * len(member.sentences), 4)
        found.append((share, KeySentence(member.sentences[best], member.article.id, share)))
    found.sort(key=lambda item: -item[0])
    return tuple(sentence for _, sentence in found[:KEY_SENTENCES])
