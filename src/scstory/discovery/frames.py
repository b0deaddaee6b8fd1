"""Stories and articles as frames of pandas or polars, whichever is there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from typing import Any

from scstory.discovery.history import Placed
from scstory.errors import UsageError
from scstory.extras import load_extra
from scstory.types import Story

LIBRARIES = ("pandas", "polars")


def story_columns(stories: Sequence[Story]) -> dict[str, list[Any]]:
    """Return stories as columns."""
    return {
        "story": [story.id for story in stories],
        "title": [story.title for story in stories],
        "keywords": [", ".join(story.keywords) for story in stories],
        "articles": [story.size for story in stories],
        "first_seen": [story.first_seen for story in stories],
        "last_seen": [story.last_seen for story in stories],
        "confidence": [story.confidence for story in stories],
        "active": [story.active for story in stories],
    }


def article_columns(placed: Sequence[Placed]) -> dict[str, list[Any]]:
    """Return articles with their stories as columns."""
    return {
        "article": [place.article.id for place in placed],
        "story": [place.story for place in placed],
        "confidence": [place.confidence for place in placed],
        "date": [place.article.published for place in placed],
        "title": [place.article.title for place in placed],
        "source": [place.article.source for place in placed],
        "url": [place.article.url for place in placed],
    }


def make_frame(columns: dict[str, list[Any]], library: str | None) -> Any:
    """Return columns as a frame of the library that is named, or of the first that is there."""
    if library is None:
        library = next(filter(find_spec, LIBRARIES), LIBRARIES[0])
    if library not in LIBRARIES:
        raise UsageError(f"library {library!r}: there are {_listed(LIBRARIES)}")
    return load_extra(library, extra="notebook", purpose="a frame").DataFrame(columns)


def _listed(names: Iterable[str]) -> str:
    return " and ".join(names)
