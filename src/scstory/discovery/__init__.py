"""The paper: from encoded articles to stories, slide after slide."""

from scstory.discovery.presets import PRESETS, Parameters
from scstory.discovery.stream import StoryDiscovery

__all__ = ["PRESETS", "Parameters", "StoryDiscovery"]
