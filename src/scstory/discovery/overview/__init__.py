"""Views above the stories: threads, sections, and articles that are also about other stories.

They are made of what the stories are when a slide closes. Nothing here decides which stories there
are: the engine tells whoever listens that a slide has closed, and never asks back.
"""

from scstory.discovery.overview.closing import Closing, NewArticle, take_closing
from scstory.discovery.overview.outline import Outline
from scstory.discovery.overview.settings import OverviewSettings

__all__ = ["Closing", "NewArticle", "Outline", "OverviewSettings", "take_closing"]
