"""What a reader gets of a story: its title, keywords, key sentences, time span and articles."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from scstory.discovery.method import Scope
from scstory.discovery.window import Ints, Window
from scstory.text import keywords
from scstory.types import Article, KeySentence, Story

KEY_SENTENCES = 3


def describe(
    scope: Scope, story: int, rows: Ints, *, joined: Sequence[Article], before: Story | None
) -> Story:
    """Describe a story by its rows in the window, after some articles joined it.

    It is described again only when it grows: as its articles leave the window, its title, keywords
    and key sentences stay as they were.
    """
    window = scope.window
    rows = _in_publication_order(window, rows)
    central = rows[np.argsort(-window.confidence[rows], kind="stable")]
    wordings = [window.members[i].reading.wording for i in rows]
    times = [article.published for article in joined]
    described = Story(
        id=story,
        title=_title(window, central),
        keywords=keywords(wordings, scope.statistics, earlier=before.keywords if before else ()),
        key_sentences=_key_sentences(window, central),
        first_seen=min([*times, before.first_seen] if before else times),
        last_seen=max([*times, before.last_seen] if before else times),
        articles=(),
        size=len(rows),
        confidence=0.0,
    )
    return as_of_now(window, described, rows)


def as_of_now(window: Window, story: Story, rows: Ints) -> Story:
    """Return a story with its articles in the window and their mean confidence."""
    rows = _in_publication_order(window, rows)
    return replace(
        story,
        articles=tuple(window.members[i].article.id for i in rows),
        confidence=float(window.confidence[rows].mean()),
    )


def _in_publication_order(window: Window, rows: Ints) -> Ints:
    return np.array(sorted(rows, key=lambda i: window.members[i].article.published))


def _title(window: Window, central: Ints) -> str:
    """Return the title of the most central article that has one."""
    titles: list[str] = [window.members[i].article.title for i in central]
    return next(filter(None, titles), window.members[int(central[0])].sentences[0])


def _key_sentences(window: Window, central: Ints) -> tuple[KeySentence, ...]:
    """Return the most story-indicative sentences, at most one per article, without titles.

    A weight is compared with the uniform weight in its article, so that the sentences of a short
    article do not win by being few. Of equal ones the most central article's comes first.
    """
    found = []
    for i in central:
        member = window.members[i]
        first = 1 if member.article.title and len(member.sentences) > 1 else 0
        weights = window.of("weights", int(i))
        best = int(weights[first:].argmax()) + first
        share = round(float(weights[best]) * len(member.sentences), 4)
        found.append(KeySentence(member.sentences[best], member.article.id, share))
    return tuple(sorted(found, key=lambda sentence: -sentence.weight)[:KEY_SENTENCES])
