"""The slides that closed since the last commit, as the views above the stories need them."""

from collections.abc import Mapping

from scstory.discovery import Engine
from scstory.discovery.method import Scope
from scstory.discovery.overview import Closing, OverviewSettings, take_closing
from scstory.discovery.window import Ints
from scstory.types import Story


class ClosedSlides:
    """Listens to an engine."""

    def __init__(self, engine: Engine) -> None:
        self.closings: list[Closing] = []
        self._settings = OverviewSettings()
        engine.on_close = self._add

    def forget(self) -> None:
        """Forget all of them: they are committed, or are not going to be."""
        self.closings = []

    def _add(self, scope: Scope, stories: Mapping[int, Story], gone: list[int], new: Ints) -> None:
        self.closings.append(take_closing(scope, stories, gone, new, self._settings))
