"""Story discovery: the engine, the paper's method and the default one."""

from typing import TYPE_CHECKING

from scstory._lazy import lazy_names
from scstory.discovery.presets import PRESETS, load_engine, make_engine, make_settings

if TYPE_CHECKING:
    from scstory.discovery.engine import Engine
    from scstory.discovery.story_discovery import StoryDiscovery

__all__ = ["PRESETS", "Engine", "StoryDiscovery", "load_engine", "make_engine", "make_settings"]

# The store imports modules of this package that need no torch.
__getattr__ = lazy_names(
    __name__,
    {"Engine": "scstory.discovery.engine", "StoryDiscovery": "scstory.discovery.story_discovery"},
)
