"""What the views get of a slide that closes, and of a correction: stories and new articles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scstory.discovery.method import Scope
from scstory.discovery.overview.outline import Outline, article_vector, story_outline
from scstory.discovery.overview.settings import OverviewSettings
from scstory.discovery.window import Floats, Ints
from scstory.types import EncodedArticle, Story


@dataclass(frozen=True, eq=False)
class NewArticle:
    """An article of the slide and its story."""

    member: EncodedArticle
    story: int
    idf: Floats
    """How telling each of its terms is, in the order of its columns."""


@dataclass(frozen=True, eq=False)
class ChangedStory:
    """A story as it is when the slide has closed."""

    outline: Outline
    last: float
    """When its latest article of the window was published, in seconds."""
    keywords: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Closing:
    """A slide that has closed, or a correction between two slides."""

    time: float
    """When the slide ends, in seconds."""
    stories: Mapping[int, ChangedStory]
    """The stories that articles joined or left."""
    gone: Sequence[int]
    """The stories that all their articles of the window left."""
    articles: Sequence[NewArticle]
    pairs: Sequence[tuple[Outline, Outline]]
    """Some new articles, each with the one of its story before it."""
    vectors: Floats
    """The sum of the vectors of the new articles."""
    seen: float
    """How many articles the stream has had, as the term statistics count them."""


def take_closing(
    scope: Scope,
    stories: Mapping[int, Story],
    gone: Sequence[int],
    new: Ints,
    settings: OverviewSettings,
) -> Closing:
    """Return what the views need of the window; `new` are the rows of the slide."""
    window, statistics = scope.window, scope.statistics
    changed = {}
    for number, story in sorted(stories.items()):
        if number in window.rows_of:
            rows = window.rows_of.of(number)
            outline = story_outline(window, rows, statistics, settings.terms)
            last = float(window["published"][rows].max())
            changed[number] = ChangedStory(outline, last, story.keywords)
    articles = [
        NewArticle(
            window.members[row],
            int(window.story[row]),
            statistics.idf_at(window.members[row].reading.columns),
        )
        for row in new.tolist()
    ]
    dim = window.members[0].vectors.shape[1] if len(window) else 0
    vectors = np.sum([article_vector(window, row) for row in new.tolist()], axis=0, initial=0.0)
    pairs = _pairs(scope, new, settings)
    return Closing(
        scope.end(), changed, gone, articles, pairs, vectors + np.zeros(dim), statistics.documents
    )


def _pairs(scope: Scope, new: Ints, settings: OverviewSettings) -> list[tuple[Outline, Outline]]:
    window, found = scope.window, list[tuple[Outline, Outline]]()
    for row in new.tolist():
        own = window.rows_of.of(int(window.story[row]))
        place = int(np.searchsorted(own, row))
        if place and len(found) < settings.pairs_per_slide:
            both = (own[place : place + 1], own[place - 1 : place])
            one, other = (
                story_outline(window, rows, scope.statistics, settings.terms) for rows in both
            )
            found.append((one, other))
    return found
