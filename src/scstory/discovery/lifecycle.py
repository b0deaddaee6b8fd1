"""What a reader gets of a story: its title, keywords, key sentences, span and articles."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from scstory.discovery.window import Window
from scstory.text import TermStatistics, keywords
from scstory.types import KeySentence, Story

KEY_SENTENCES = 3


@dataclass(slots=True)
class Life:
    """What is remembered of an active story beyond the articles in the window."""

    first_seen: datetime
    last_seen: datetime
    size: int = 0

    def grow(self, published: datetime) -> None:
        """Count one more article."""
        self.first_seen = min(self.first_seen, published)
        self.last_seen = max(self.last_seen, published)
        self.size += 1


def describe(window: Window, story: int, life: Life, statistics: TermStatistics) -> Story:
    """Return a story as a reader sees it, from its articles in the window."""
    rows = np.flatnonzero(window.story == story)
    rows = np.array(sorted(rows, key=lambda i: window.members[i].article.published))
    central = rows[np.argsort(-window.confidence[rows], kind="stable")]
    texts = [f"{window.members[i].article.title}. {window.members[i].article.text}" for i in rows]
    return Story(
        id=story,
        title=_title(window, central),
        keywords=keywords(texts, statistics),
        key_sentences=_key_sentences(window, central),
        first_seen=life.first_seen,
        last_seen=life.last_seen,
        articles=tuple(window.members[i].article.id for i in rows),
        size=life.size,
        confidence=float(window.confidence[rows].mean()),
    )


def _title(window: Window, central: NDArray[np.int64]) -> str:
    """Return the headline of the most central article that has one."""
    for i in central:
        if title := window.members[i].article.title:
            return title
    return window.members[central[0]].sentences[0]


def _key_sentences(window: Window, central: NDArray[np.int64]) -> tuple[KeySentence, ...]:
    """Return the most story-indicative sentences, at most one an article, titles left out.

    A weight is compared with the even share in its article, so that a short article's sentences
    do not win by being few. Among equals the most central article's earliest sentence wins.
    """
    found = []
    for i in central:
        member = window.members[i]
        first = 1 if member.article.title and len(member.sentences) > 1 else 0
        weights = window.pooling[i][first:]
        best = int(weights.argmax()) + first
        share = round(float(window.pooling[i][best]) * len(member.sentences), 4)
        found.append((share, KeySentence(member.sentences[best], member.article.id, share)))
    found.sort(key=lambda item: -item[0])
    return tuple(sentence for _, sentence in found[:KEY_SENTENCES])
