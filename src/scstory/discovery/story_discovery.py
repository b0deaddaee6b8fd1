"""StoryDiscovery: the engine for library users, from a stream of articles to stories."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Self

import numpy as np

from scstory.discovery.engine import Engine
from scstory.discovery.presets import load_engine, make_engine, make_settings
from scstory.discovery.settings import MethodSettings
from scstory.discovery.slides import cut_slides
from scstory.discovery.state import dump_state, load_state
from scstory.discovery.window import UNDECIDED
from scstory.errors import UsageError
from scstory.types import Article, Assignment, Explanation, Story
from scstory.vectors import Encoder, make_encoder


class StoryDiscovery:
    """Reads articles and keeps the stories they tell.

    Feed it a whole stream with `stream`, or one article at a time with `learn_one`. One seed drives
    everything: the same stream gives the same stories.

    Parameters
    ----------
    preset
        `default`, or `paper` for the algorithm as published.
    encoder
        The sentence encoder, or its name as in ``"minilm"``; MiniLM in 8 bits unless given.
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

    @property
    def settings(self) -> MethodSettings:
        """Every number that can change which stories come out."""
        return self.engine.settings

    def stream(self, articles: Iterable[Article]) -> Iterator[Assignment]:
        """Yield the decisions on a stream, a slide at a time, in publication order within a slide.

        An article may be decided on more than once: `was` then says which story it was in before.
        """
        for slide in cut_slides(articles, self.settings.slide_length):
            yield from self.engine.decide(slide)
        yield from self.finish()

    def learn_one(self, article: Article) -> list[Assignment]:
        """Decide on the next article of the stream.

        The first article of a later slide closes the slide before, so changes of mind about that
        one may come first.
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
        for i, member in enumerate(window.members):
            if member.article.id == article and window.story[i] != UNDECIDED:
                (now,) = self.engine.method.explain(self.engine.scope, np.array([i]))
                weights = window.of("weights", i).tolist()
                return Explanation(
                    article,
                    now.story,
                    now.confidence,
                    now.evidence,
                    tuple(zip(member.sentences, weights, strict=True)),
                    now.runners_up,
                )
        raise UsageError(f"article {article!r}: not in the window; the store remembers older ones")

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
        return found


def _encoder(given: Encoder | str | None) -> Encoder:
    return make_encoder(given) if given is None or isinstance(given, str) else given
