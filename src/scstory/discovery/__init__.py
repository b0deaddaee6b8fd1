"""The paper: from encoded articles to stories, slide after slide."""

from scstory.discovery.engine import StoryDiscovery
from scstory.discovery.presets import PRESETS, Parameters

__all__ = ["PRESETS", "Parameters", "StoryDiscovery"]
