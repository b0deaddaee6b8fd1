"""scstory: the stories a stream of news articles tells, live and without labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scstory._lazy import lazy_names
from scstory._version import __version__

if TYPE_CHECKING:
    from scstory.discovery import StoryDiscovery
    from scstory.errors import ScstoryError
    from scstory.types import Article, Assignment, Explanation, Story

__all__ = [
    "Article",
    "Assignment",
    "Explanation",
    "ScstoryError",
    "Story",
    "StoryDiscovery",
    "__version__",
]

__getattr__ = lazy_names(
    __name__,
    {
        "StoryDiscovery": "scstory.discovery",
        "ScstoryError": "scstory.errors",
        "Article": "scstory.types",
        "Assignment": "scstory.types",
        "Explanation": "scstory.types",
        "Story": "scstory.types",
    },
)
