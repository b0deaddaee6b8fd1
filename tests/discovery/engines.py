"""Small engines, and what tests ask of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from functools import cache

from scstory.discovery import Engine, StoryDiscovery
from scstory.discovery.slides import cut_slides
from scstory.discovery.state import dump_state, load_state
from scstory.types import Article, Assignment, State, Story
from scstory.vectors.hashing import HashingEncoder
from tests.conftest import make_stream

PRESETS = ["paper", "default"]
DAY = timedelta(days=1)

# Small batches keep the tests quick; what is tested does not depend on their size. A window of
# `default` is too large for all of its vectors to be made anew at once.
QUICK = {
    "paper": {"batch_size": 16, "warm_epochs": 2},
    "default": {"batch_size": 16, "refresh": 20},
}


def discover(preset="default", encoder=None, **overrides) -> StoryDiscovery:
    options = QUICK[preset] | overrides
    return StoryDiscovery(preset, encoder=encoder or HashingEncoder(dim=64), **options)


def make(preset="default", encoder=None, **overrides) -> Engine:
    return discover(preset, encoder, **overrides).engine


def process(engine: Engine, slide: Iterable[Article]) -> list[Assignment]:
    """Return all that an engine decides on a slide, which is closed then."""
    return engine.decide(slide) + engine.close()


def run(engine: Engine, stream: Iterable[Article]) -> list[Assignment]:
    """Return all that an engine decides on a stream, from its first article to its end."""
    return list(following(engine, stream)) + engine.finish()


@dataclass(frozen=True)
class Finished:
    """What an engine has decided on a stream, and what it holds at the end."""

    decided: tuple[Assignment, ...]
    stories: tuple[Story, ...]
    state: State


@cache
def finished(preset: str, days: int = 12) -> Finished:
    """Return what becomes of the stream of so many days, undisturbed; it is worked out once."""
    engine = make(preset)
    decided = tuple(run(engine, make_stream(days)))
    return Finished(decided, tuple(engine.stories()), engine.state())


def following(engine: Engine, stream: Iterable[Article]) -> Iterable[Assignment]:
    """Yield what an engine decides on a stream that may go on."""
    for slide in cut_slides(stream, engine.settings.slide_length):
        yield from process(engine, slide)


def resumed(engine: Engine, again: Engine) -> Engine:
    """Return `again`, as it goes on from the bytes of an engine's state."""
    again.restore(load_state(dump_state(engine.state())))
    return again


def decisions(assignments: Iterable[Assignment]) -> list[tuple]:
    """Return everything that was decided, so that it can be compared."""
    return [
        (a.article, a.story, a.confidence, a.new, a.was, a.runners_up, dict(a.evidence), a.weights)
        for a in assignments
    ]


def latest(assignments: Iterable[Assignment]) -> dict[str, Assignment]:
    """Return the last decision on every article."""
    return {a.article: a for a in assignments}
