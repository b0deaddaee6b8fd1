"""scstory: the stories a stream of news articles tells, live and without labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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

_HOME = {
    "StoryDiscovery": "scstory.discovery",
    "ScstoryError": "scstory.errors",
    "Article": "scstory.types",
    "Assignment": "scstory.types",
    "Explanation": "scstory.types",
    "Story": "scstory.types",
}


def __getattr__(name: str) -> Any:
    # Public names are imported when first used: `scstory --help` must not wait for torch.
    if name not in _HOME:
        raise AttributeError(f"module 'scstory' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOME[name]), name)
