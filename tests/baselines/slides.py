"""Compared systems fed with articles made by hand, a slide at a time."""

from collections.abc import Sequence
from datetime import timedelta
from itertools import count

import numpy as np

from scstory.baselines import make_baseline
from scstory.discovery.engine import Engine
from scstory.types import Article, Assignment, EncodedArticle
from scstory.vectors.hashing import HashingEncoder
from tests.conftest import START, encoded

_numbers = count()


def make_engine(name: str, **parameters: object) -> Engine:
    """Return an engine with a compared system, at the start of a stream."""
    return Engine(make_baseline(name, **parameters), HashingEncoder(dim=2))


def member(
    text: str, *, day: float = 0.0, vector: Sequence[float] = (1.0, 0.0), title: str = ""
) -> EncodedArticle:
    """Return an article whose text is one sentence, with a vector for each that it has."""
    article = Article(f"{next(_numbers)}", START + timedelta(days=day), title, text)
    sentences = [part for part in (title, text or "-") if part]
    return encoded(article, sentences, np.array([vector] * len(sentences), dtype=np.float32))


def process(engine: Engine, articles: Sequence[EncodedArticle]) -> list[Assignment]:
    """Decide on the articles of a slide and close it."""
    return engine.decide(articles) + engine.close()


def stories_of(engine: Engine) -> list[int]:
    """Return the story of each article in the window."""
    stories: list[int] = engine.scope.window.story.tolist()
    return stories
