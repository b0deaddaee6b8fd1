"""What `discover` has read: every article with its story, also beyond the window."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from scstory.discovery.engine import Engine
from scstory.discovery.window import UNDECIDED
from scstory.types import Article, Assignment, Story


class Placed(NamedTuple):
    """An article and its place: its story, and how confidently it is there."""

    article: Article
    story: int
    confidence: float


class History:
    """Articles and stories that an engine forgets when they leave its window."""

    def __init__(self) -> None:
        self._articles: dict[str, Article] = {}
        self._decided: dict[str, Assignment] = {}
        self._ended: dict[int, Story] = {}

    def __len__(self) -> int:
        return len(self._articles)

    def add(self, articles: Iterable[Article]) -> None:
        """Take note of articles that are to be decided."""
        self._articles.update((article.id, article) for article in articles)

    def follow(self, decided: Iterable[Assignment], ended: Iterable[Story]) -> None:
        """Take note of decisions, the last of which counts, and of stories that ended."""
        self._decided.update((assignment.article, assignment) for assignment in decided)
        self._ended.update((story.id, story) for story in ended)

    def story_of(self, article: str) -> int:
        """Return the story that an article was put into last."""
        return self._decided[article].story

    def placed(self, engine: Engine) -> list[Placed]:
        """Return all articles that are known, those of the window among them, by publication."""
        found = {
            name: Placed(self._articles[name], last.story, last.confidence)
            for name, last in self._decided.items()
            if name in self._articles
        }
        window = engine.scope.window
        for row, member in enumerate(window.members):
            if (story := int(window.story[row])) != UNDECIDED:
                confidence = float(window.confidence[row])
                found[member.article.id] = Placed(member.article, story, confidence)
        return sorted(found.values(), key=lambda place: place.article.published)

    def stories(self, engine: Engine) -> list[Story]:
        """Return all stories that are known, those of the window among them, the largest first."""
        found: Mapping[int, Story] = self._ended | {story.id: story for story in engine.stories()}
        alive = [story for story in found.values() if story.size]
        return sorted(alive, key=lambda story: (-story.size, story.id))
