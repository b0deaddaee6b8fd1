"""StoryDiscovery: the engine for library users, from a stream of articles to stories."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from scstory.discovery.engine import Engine
from scstory.discovery.history import History
from scstory.discovery.presets import load_engine, make_engine, make_settings
from scstory.discovery.settings import MethodSettings
from scstory.discovery.slides import cut_slides
from scstory.discovery.state import dump_state, load_state
from scstory.discovery.window import UNDECIDED
from scstory.errors import UsageError
from scstory.types import Article, Assignment, Explanation, Story
from scstory.vectors import Encoder, make_encoder
from scstory.vectors.auto_encoder import AUTO

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class StoryDiscovery:
    """Reads articles and keeps the stories they tell.

    `discover` takes a whole collection, such as a list or a frame of pandas or polars, and returns
    the story of each article. `learn_one` takes one article at a time and decides it at once, and
    `stream` takes an iterable that may have no end. One seed drives everything: the same stream
    gives the same stories.

    Parameters
    ----------
    preset
        `default`, or `paper` for the algorithm as published.
    encoder
        The sentence encoder, or its name as in ``"minilm"``; unless given, the languages of the
        first articles choose it.
    device
        Where M computes, as in ``"cuda"``; the CPU unless given. It is no part of the state: what
        was started on one device can go on on another, except for the last bits of M's output.
    overrides
        Single settings of the preset, such as ``delta=0.4`` or ``window="3d"``.
    """

    def __init__(
        self,
        preset: str = "default",
        *,
        encoder: Encoder | str | None = None,
        device: str | None = None,
        **overrides: Any,
    ) -> None:
        settings = make_settings(preset, overrides)
        self.engine: Engine = make_engine(settings, _encoder(encoder), device=device)
        self._history = History()

    @property
    def settings(self) -> MethodSettings:
        """Every number that can change which stories come out."""
        return self.engine.settings

    def discover(
        self,
        articles: Any,
        *,
        dates: Iterable[Any] | None = None,
        titles: Iterable[Any] | None = None,
        ids: Iterable[Any] | None = None,
    ) -> NDArray[np.int64]:
        """Return the story of each article of a collection, in the order given.

        The articles are decided in order of publication. Calling it again with later articles goes
        on with the same stories.

        Parameters
        ----------
        articles
            Articles; records with ``date``, ``text`` or ``title``, and perhaps ``id``, ``url``,
            ``source`` and ``language``; a frame of pandas or polars with such columns; or texts.
        dates, titles, ids
            Columns that `articles` does not have. A row without an id gets its number.
        """
        from scstory.discovery.records import to_articles

        columns = {"date": dates, "title": titles, "id": ids}
        found = to_articles(articles, columns=columns, first=len(self._history))
        self._history.add(found)
        for slide in cut_slides(
            sorted(found, key=attrgetter("published")), self.settings.slide_length
        ):
            self._history.follow(self.engine.decide(slide), self.engine.ended())
        # Closing the slide is a step of its own, because stories may end in it.
        self._history.follow(self.engine.finish(), self.engine.ended())
        return np.array([self._history.story_of(article.id) for article in found], dtype=np.int64)

    def stream(self, articles: Iterable[Article]) -> Iterator[Assignment]:
        """Yield the decisions on a stream, a slide at a time, in publication order within a slide.

        An article may be decided on more than once: `was` then says which story it was in before.
        """
        for slide in cut_slides(articles, self.settings.slide_length):
            yield from self.engine.decide(slide)
        yield from self.finish()

    def learn_one(self, article: Article) -> list[Assignment]:
        """Decide on the next article of the stream, and return the decision last in a list.

        The first article of a later slide closes the slide before: earlier articles that move to
        another story then come first, with `was` set. With the preset `paper` the list is empty
        within the first window, which is decided at its end.
        """
        return self.engine.decide([article])

    def finish(self) -> list[Assignment]:
        """Close the open slide and decide on what is held back: the stream has ended for now."""
        return self.engine.finish()

    def predict_one(self, article: Article) -> Assignment:
        """Say which story an article would join, without adding it."""
        return self.engine.predict(article)

    def stories(self) -> list[Story]:
        """Return the stories with an article in the window, the latest news first."""
        return self.engine.stories()

    def ended(self) -> list[Story]:
        """Return the stories that left the window in the last call of `learn_one` or `finish`."""
        return self.engine.ended()

    def explain(self, article: str) -> Explanation:
        """Say why an article of the window is in its story, as things stand now."""
        window = self.engine.scope.window
        for i, name in enumerate(window.members.ids):
            if name == article and window.story[i] != UNDECIDED:
                (now,) = self.engine.method.explain(self.engine.scope, np.array([i]))
                weights = window.of("weights", i).tolist()
                return Explanation(
                    article,
                    now.story,
                    now.confidence,
                    now.evidence,
                    tuple(zip(window.members[i].sentences, weights, strict=True)),
                    now.runners_up,
                )
        raise UsageError(f"article {article!r}: not in the window; the store remembers older ones")

    def to_frame(
        self, of: Literal["stories", "articles"] = "stories", *, library: str | None = None
    ) -> Any:
        """Return a frame with a row per story or per article.

        It has all that `discover` has read, and what is in the window. `library` is pandas or
        polars; unless given, the first of them that is installed.
        """
        from scstory.discovery.frames import article_columns, make_frame, story_columns

        if of == "stories":
            return make_frame(story_columns(self._history.stories(self.engine)), library)
        if of == "articles":
            return make_frame(article_columns(self._history.placed(self.engine)), library)
        raise UsageError(f"a frame of {of!r}: there are stories and articles")

    def plot_timeline(self, *, top: int = 20, ax: Axes | None = None) -> Axes:
        """Draw when the largest stories were reported, with matplotlib; return the axes."""
        from scstory.discovery.plots import plot_timeline

        placed = self._history.placed(self.engine)
        return plot_timeline(self._history.stories(self.engine)[:top], placed, ax)

    def plot_map(self, *, top: int = 100, ax: Axes | None = None) -> Axes:
        """Draw the largest stories, alike ones near each other, with matplotlib."""
        from scstory.discovery.plots import plot_map

        return plot_map(self._history.stories(self.engine)[:top], self.engine.encoder, ax)

    def save(self, path: str | Path) -> None:
        """Write everything to a file: what was learned, and the window."""
        try:
            Path(path).write_bytes(dump_state(self.engine.state()))
        except OSError as error:
            raise UsageError(f"{path}: cannot be written ({error.strerror})") from error

    def save_encoder(self, path: str | Path) -> None:
        """Write only M to a file: with ``pretrained=path`` another stream starts from it."""
        from scstory.discovery.paper.saved_encoder import save_encoder

        save_encoder(self.engine.state(), path)

    @classmethod
    def load(
        cls,
        path: str | Path,
        *,
        encoder: Encoder | str | None = None,
        device: str | None = None,
    ) -> Self:
        """Return what `save` wrote, ready to go on."""
        try:
            content = Path(path).read_bytes()
        except OSError as error:
            raise UsageError(f"{path}: cannot be read ({error.strerror})") from error
        found = cls.__new__(cls)
        state = load_state(content, what=str(path))
        found.engine = load_engine(state, _encoder(encoder), device=device)
        found._history = History()
        return found


def _encoder(given: Encoder | str | None) -> Encoder:
    if given is None or isinstance(given, str):
        return make_encoder(AUTO if given is None else given)
    return given
