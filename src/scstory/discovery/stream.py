"""StoryDiscovery: the engine as its users see it, from a stream of articles to stories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scstory.discovery.checkpoint import (
    model_arrays,
    restore_model,
    restore_window,
    window_arrays,
    without_phrases,
)
from scstory.discovery.engine import Engine
from scstory.discovery.explain import assignment_of
from scstory.discovery.learn import embed
from scstory.discovery.lifecycle import as_of_now
from scstory.discovery.presets import from_dict, make_parameters, to_dict
from scstory.discovery.state import dump_state, load_state, story_from_dict, story_to_dict
from scstory.discovery.window import EPOCH, UNDECIDED, SlideCutter, Window
from scstory.errors import ConfigError, ScstoryError, StoreError, UsageError
from scstory.text import FIELDS
from scstory.types import Article, Assignment, EncodedArticle, Explanation, State, Story
from scstory.vectors import Encoder, default_encoder
from scstory.vectors.device import torch_device

FORMAT = 4
READABLE = (3, FORMAT)


class StoryDiscovery(Engine):
    """Reads articles and keeps the stories they tell.

    Feed it a stream with `stream` or `learn_one`, which cut the stream into slides and decide on
    a slide when it is over; or slide by slide with `process`; or, where decisions cannot wait,
    with `decide` and `close`. One seed drives everything: the same stream gives the same stories.

    Parameters
    ----------
    preset
        `default`, or `paper` for the algorithm as published.
    encoder
        The sentence encoder; MiniLM unless given.
    device
        Where M computes, as in ``"cuda"``; the CPU unless given. It is no part of the state: what
        was begun on one device can go on on another, but for the last bits of what M says.
    overrides
        Single parameters of the preset, such as ``delta=0.4`` or ``window="3d"``.
    """

    def __init__(
        self,
        preset: str = "default",
        *,
        encoder: Encoder | None = None,
        device: str | None = None,
        **overrides: Any,
    ) -> None:
        parameters = make_parameters(preset, overrides)
        self._setup(parameters, encoder or default_encoder(), torch_device(device or "cpu"))

    # -- a stream, article by article ---------------------------------------------------------

    def stream(self, articles: Iterable[Article]) -> Iterator[Assignment]:
        """Yield a decision for every article, each slide's as soon as the slide is over."""
        for article in articles:
            yield from self.learn_one(article)
        yield from self.finish()

    def learn_one(self, article: Article) -> list[Assignment]:
        """Take the next article of the stream; return the decisions that this made possible.

        Articles are decided a slide at a time, when the first article of a later slide comes.
        """
        closed = self._cutter.add(article)
        return self.process(closed) if closed else []

    def predict_one(self, article: Article) -> Assignment:
        """Say which active story an article would join, without taking it in."""
        encoded = self.encode([article])
        scratch = Window(self.encoder.dim, self._window.fields)
        scratch.append(encoded, not_before=article.published)
        embed(
            self._model if self.parameters.learned else None, scratch, np.arange(1), self._centre()
        )
        rows = self._reader.rows(scratch, slice(None), self._mean_vector())
        slide = self._open_slide(len(self._window))
        (newcomer,) = slide.newcomers(rows, [article.published.timestamp()])
        decision, numbers = slide.look(newcomer, self._next_story)
        return assignment_of(scratch, 0, decision, numbers)

    def finish(self) -> list[Assignment]:
        """Decide on whatever is still held back, since the stream has ended (for now)."""
        decided = self.process(rest) if (rest := self._cutter.close()) else self.close()
        if self._waiting and len(self._window):
            decided += self._seed()
        return decided

    # -- what a reader gets -------------------------------------------------------------------

    def stories(self) -> list[Story]:
        """Return the stories with an article in the window, the latest news first."""
        told = {**self._stories, **self._told_of(len(self._window) - self._open)}
        found = [
            replace(as_of_now(self._window, story), size=self._sizes[story.id])
            for story in told.values()
        ]
        return sorted(found, key=lambda story: (story.last_seen, story.id), reverse=True)

    def ended(self) -> list[Story]:
        """Return the stories that left the window in the last call of `process` or the like.

        When the stream is sparse a story may come and go within one call.
        """
        return sorted(self._ended, key=lambda story: story.id)

    def embedded(self) -> dict[str, tuple[NDArray[np.float32], NDArray[np.float32]]]:
        """Return R and α of every decided article of the window, as M last made them."""
        window = self._window
        return {
            member.article.id: (window.vectors[i].copy(), window.pooling[i].copy())
            for i, member in enumerate(window.members)
            if window.story[i] != UNDECIDED
        }

    def explain(self, article: str) -> Explanation:
        """Say why an article of the window is in its story, as things stand now."""
        window = self._window
        for i, member in enumerate(window.members):
            if member.article.id == article and window.story[i] != UNDECIDED:
                (now,) = self._as_given(np.array([i]))
                return Explanation(
                    article,
                    now.story,
                    now.confidence,
                    now.parts,
                    tuple(zip(member.sentences, now.weights, strict=True)),
                    now.runners_up,
                )
        raise UsageError(f"article {article!r}: not in the window; the store remembers older ones")

    # -- stopping and going on ----------------------------------------------------------------

    def state(self) -> State:
        """Return all that is needed to go on exactly from here, also within an open slide."""
        if len(self._cutter):
            raise UsageError(
                f"{len(self._cutter)} articles wait for their slide to close; call finish() first"
            )
        documents, used, counts = self._statistics.state()
        meta = {
            "format": FORMAT,
            "parameters": to_dict(self.parameters),
            "encoder": self.encoder.name,
            "slide": self._slide,
            "first_slide": self._first_slide,
            "waiting": self._waiting,
            "next_story": self._next_story,
            "stories": [story_to_dict(story) for story in self._stories.values()],
            "sizes": sorted(self._sizes.items()),
            "open": self._open,
            "times": [time.isoformat() for time in self._memory.times + self._window.times],
            "remembered": len(self._memory),
            "rng": self._rng.bit_generator.state,
            "archived": [story_to_dict(story) for story in self._archive.told.values()],
            "documents": documents,
            "sentences": self._mean.count,
        }
        arrays: dict[str, NDArray[Any]] = {
            **window_arrays(self._window),
            **model_arrays(self._model, self._optimiser),
            "memory.story": self._memory.story,
            "mean.total": self._mean.total,
            **{f"confidence.{name}": value for name, value in self._confidence.state().items()},
            **{f"archive.{name}": value for name, value in self._archive.state().items()},
            "terms.used": used,
            "terms.counts": counts,
        }
        # Copies: what was saved must not change when the engine goes on.
        copied = {name: value.copy() for name, value in arrays.items()}
        return State(meta, copied, tuple(self._memory.members + self._window.members))

    def restore(self, state: State) -> None:
        """Go on from a state. Parameters come with it; the encoder must be the same."""
        meta = state.meta
        if meta.get("format") not in READABLE:
            found = meta.get("format")
            known = " and ".join(map(str, READABLE))
            raise StoreError(f"saved state of format {found!r}: this version reads {known}")
        if meta.get("encoder") != self.encoder.name:
            raise ConfigError(
                f"encoder {self.encoder.name}: the saved state was made with "
                f"{meta.get('encoder')}; use that encoder, or start afresh"
            )
        try:
            self._restore(meta, state.arrays, state.members)
        except ScstoryError:
            raise
        except Exception as error:
            # Something got at it; what exactly is wrong first, nobody can list.
            reason = " ".join(f"{type(error).__name__}: {error}".split())[:200]
            raise StoreError(f"saved state: damaged ({reason}); restore a backup") from error

    def _restore(
        self,
        meta: Mapping[str, Any],
        arrays: Mapping[str, NDArray[Any]],
        members: Sequence[EncodedArticle],
    ) -> None:
        self._setup(from_dict(meta["parameters"]), self.encoder, self._device)
        if meta["format"] < FORMAT:
            lexical = [name for name in self.parameters.compared if name in FIELDS]
            arrays = without_phrases(arrays, lexical)
        self._slide, self._first_slide = (
            None if meta[name] is None else int(meta[name]) for name in ("slide", "first_slide")
        )
        self._cutter = SlideCutter(self.parameters.slide_length, current=self._slide)
        self._waiting, self._next_story = bool(meta["waiting"]), int(meta["next_story"])
        self._stories = {values["id"]: story_from_dict(values) for values in meta["stories"]}
        self._sizes = Counter(dict(meta["sizes"]))
        self._open = int(meta.get("open", 0))
        self._rng.bit_generator.state = meta["rng"]
        self._statistics.restore(
            int(meta["documents"]), arrays["terms.used"], arrays["terms.counts"]
        )
        self._mean.total, self._mean.count = arrays["mean.total"].copy(), int(meta["sentences"])
        self._confidence.restore(_under("confidence.", arrays))
        archived = [story_from_dict(values) for values in meta["archived"]]
        self._archive.restore(_under("archive.", arrays), {story.id: story for story in archived})
        remembered = int(meta["remembered"])
        times = [datetime.fromisoformat(time) for time in meta["times"]]
        self._memory.append(list(members[:remembered]), not_before=EPOCH)
        self._memory.times, self._memory.story = times[:remembered], arrays["memory.story"].copy()
        self._window.append(list(members[remembered:]), not_before=EPOCH)
        self._window.times = times[remembered:]
        restore_window(self._window, arrays)
        restore_model(self._model, self._optimiser, arrays)
        for held in (self._memory, self._window):
            if {len(held.times), len(held.story)} != {len(held)}:
                raise ValueError("articles and what is known of them do not fit together")
        window = self._window
        parts = window.confidence, window.vectors, window.embedded, window.pooling
        if {len(part) for part in parts} != {len(window)}:
            raise ValueError("the window and its vectors do not fit together")

    def save(self, path: str | Path) -> None:
        """Write the engine to a file, with all it has learned and the window it holds."""
        Path(path).write_bytes(dump_state(self.state()))

    @classmethod
    def load(cls, path: str | Path, *, encoder: Encoder | None = None) -> StoryDiscovery:
        """Return the engine that `save` wrote."""
        try:
            content = Path(path).read_bytes()
        except OSError as error:
            raise UsageError(f"{path}: cannot be read ({error.strerror})") from error
        engine = cls(encoder=encoder)
        engine.restore(load_state(content, what=str(path)))
        return engine


def _under(prefix: str, arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    return {
        name.removeprefix(prefix): value
        for name, value in arrays.items()
        if name.startswith(prefix)
    }
