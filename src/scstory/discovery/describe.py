"""What a reader gets of a story: its title, summary, milestones, keywords and key sentences."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np

from scstory.discovery.editions import make_editions
from scstory.discovery.headline import choose_headline, earlier_headlines
from scstory.discovery.method import Scope
from scstory.discovery.milestones import find_milestones
from scstory.discovery.profile import Profile
from scstory.discovery.window import Ints, Window
from scstory.text import keywords
from scstory.types import KeySentence, Story

KEY_SENTENCES = 3
_NO_TIME = datetime.min.replace(tzinfo=UTC)
_NOTHING = Story(0, "", (), (), _NO_TIME, _NO_TIME, (), 0, 0.0)
"""The description of a story before its first article."""


class Change(NamedTuple):
    """What has become of a story since it was described."""

    joined: Sequence[datetime]
    """The dates of the articles that joined it."""
    before: Story | None
    """The story as it was described, if it was."""
    left: Collection[str] = ()
    """The ids of the articles that left it for other stories."""


Describer = Callable[[Scope, int, Ints, Change], Story]
"""Makes a story of its number, its rows in the window and the change; `describe` is one."""


def describe(scope: Scope, story: int, rows: Ints, change: Change) -> Story:
    """Describe a story by its rows in the window.

    As its articles leave the window, what is said of the story stays as it was.
    """
    window = scope.window
    joined, before, left = change
    rows = _in_publication_order(window, rows)
    profile = Profile(window, rows, scope.statistics)
    times = _times(joined, before)
    earlier = before or _NOTHING
    present = before is not None and before.title_article not in left
    headline = choose_headline(profile, before, present=present)
    milestones = find_milestones(
        profile,
        headline[0],
        {date.date() for date in joined}
        | {said.day for said in earlier.milestones if said.article in left},
        [said for said in earlier.milestones if said.article not in left],
    )
    told, *others = make_editions(profile, headline, milestones, before, left)
    found = keywords(
        [each.wording for each in profile.extracts],
        scope.statistics,
        earlier=earlier.keywords,
        missing=min(times) < profile.articles[0].published,
    )
    described = Story(
        id=story,
        title=told.title,
        keywords=_title_first(found, told.title),
        key_sentences=_key_sentences(profile),
        first_seen=min(times),
        last_seen=max(times),
        articles=(),
        size=len(rows),
        confidence=0.0,
        summary=told.summary,
        milestones=milestones,
        headlines=earlier_headlines(before, told.title, max(times)),
        title_article=told.title_article,
        language=told.language,
        editions=tuple(others),
    )
    return as_of_now(window, described, rows)


def undescribed(scope: Scope, story: int, rows: Ints, change: Change) -> Story:
    """Return a story without a title or any other text, where nobody reads it.

    Describing takes longer than a simple system's decisions, and has no part in them.
    """
    times = _times(change.joined, change.before)
    first, last = min(times), max(times)
    return replace(_NOTHING, id=story, first_seen=first, last_seen=last, size=len(rows))


def _times(joined: Sequence[datetime], before: Story | None) -> list[datetime]:
    return [*joined, *((before.first_seen, before.last_seen) if before else ())]


def as_of_now(window: Window, story: Story, rows: Ints) -> Story:
    """Return a story with its articles in the window and their mean confidence."""
    rows = _in_publication_order(window, rows)
    return replace(
        story,
        articles=tuple(window.members.ids[i] for i in rows.tolist()),
        confidence=float(window.confidence[rows].mean()),
    )


def _title_first(found: Sequence[str], title: str) -> tuple[str, ...]:
    """Return keywords, names before things, and of each kind those of the title first."""
    said = title.lower()
    return tuple(sorted(found, key=lambda word: (word.islower(), word.lower() not in said)))


def _in_publication_order(window: Window, rows: Ints) -> Ints:
    return rows[np.argsort(window["published"][rows], kind="stable")]


def _key_sentences(profile: Profile) -> tuple[KeySentence, ...]:
    """Return the most story-indicative sentences, at most one per article, without titles.

    A weight is compared with the uniform weight in its article, so that the sentences of a short
    article do not win by being few. Of equal ones the most central article's comes first.
    """
    found = []
    window = profile.window
    central = profile.rows[np.argsort(-window.confidence[profile.rows], kind="stable")]
    of_row = dict(zip(profile.rows.tolist(), profile.members, strict=True))
    for i in central.tolist():
        member = of_row[i]
        first = 1 if member.article.title and len(member.sentences) > 1 else 0
        weights = window.of("weights", i)
        best = int(weights[first:].argmax()) + first
        share = round(float(weights[best]) * len(member.sentences), 4)
        found.append(KeySentence(member.sentences[best], member.article.id, share))
    return tuple(sorted(found, key=lambda sentence: -sentence.weight)[:KEY_SENTENCES])
