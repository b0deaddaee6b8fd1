"""Ways to embed articles, each as one vector of unit length an article, in stream order."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from scstory.config import parse_duration
from scstory.discovery.describe import undescribed
from scstory.discovery.engine import Engine
from scstory.discovery.slides import cut_slides
from scstory.discovery.window import UNDECIDED, Ints
from scstory.evaluation.harness import FrozenEncoder, LabelledStream
from scstory.evaluation.studies.setting import Setting
from scstory.evaluation.systems import LEARNED_SYSTEMS, make_system
from scstory.text import TermStatistics, term_counts, terms
from scstory.types import Article, Assignment, Vectors
from scstory.vectors import Encoder

Floats = NDArray[np.floating[Any]]


def unit(rows: Vectors) -> Vectors:
    """Return rows at length 1; a row of zeros stays one."""
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.maximum(norms, 1e-12), dtype=np.float32)


def cosines(rows: Vectors | csr_array, first: Ints, second: Ints) -> Floats:
    """Return the cosine of each pair of rows of unit length."""
    if isinstance(rows, csr_array):
        return np.asarray((rows[first] * rows[second]).sum(axis=1), dtype=np.float64).ravel()
    return np.asarray(np.einsum("ij,ij->i", rows[first], rows[second], dtype=np.float64))


def whole_text(article: Article) -> str:
    """Return an article as one text."""
    return f"{article.title}\n{article.text}"


def tfidf(stream: LabelledStream, slide: str) -> csr_array:
    """Return TF-IDF vectors; terms are counted up to an article's own slide, never ahead."""
    statistics = TermStatistics()
    parts: dict[str, csr_array] = {}
    for articles in cut_slides(stream.articles, parse_duration(slide, what="slide")):
        counts = term_counts([terms(whole_text(article)) for article in articles])
        statistics.update(counts)
        rows = statistics.tfidf(counts)
        parts.update((article.id, rows[[i]]) for i, article in enumerate(articles))
    return csr_array(vstack([parts[article.id] for article in stream.articles]))


def sentence_mean(stream: LabelledStream) -> Vectors:
    """Return the mean of each article's sentence vectors."""
    means = [stream.vectors[start:end].mean(axis=0) for start, end in pairwise(stream.ends)]
    return unit(np.stack(means))


def whole_article(stream: LabelledStream, encoder: Encoder) -> Vectors:
    """Return what the sentence encoder makes of each article taken as one sentence."""
    return unit(encoder.encode([whole_text(article) for article in stream.articles]))


@dataclass(frozen=True)
class Trace:
    """What SCStory made of each article by its id: as of the last slide it was in the window."""

    vectors: dict[str, NDArray[np.float32]] = field(default_factory=dict)
    weights: dict[str, NDArray[np.float32]] = field(default_factory=dict)
    """How much of its vector each sentence of an article makes."""
    stories: dict[str, int] = field(default_factory=dict)


def trace_scstory(setting: Setting) -> Trace:
    """Run SCStory over the stream and keep what it made of each article."""
    engine = _engine(setting, "scstory", preset=setting.one_preset)
    window = engine.scope.window
    trace = Trace()
    for decided in _decisions(setting, engine):
        trace.stories.update((decision.article, decision.story) for decision in decided)
        for i in np.flatnonzero(window.story != UNDECIDED).tolist():
            article = window.members.ids[i]
            trace.vectors[article] = window["vectors"][i].copy()
            trace.weights[article] = window.of("pooling", i).copy()
    return trace


def final_stories(setting: Setting, system: str, preset: str = "default") -> dict[str, int]:
    """Run a system over the stream; return the story of each article in the end."""
    stories: dict[str, int] = {}
    for decided in _decisions(setting, _engine(setting, system, preset=preset)):
        stories.update((decision.article, decision.story) for decision in decided)
    return stories


def _engine(setting: Setting, system: str, *, preset: str) -> Engine:
    encoder = FrozenEncoder(setting.encoder.name, setting.encoder.dim)
    engine = make_system(
        system,
        encoder,
        preset=preset,
        window=setting.window,
        slide=setting.slide,
        parameters=setting.known_to(system, preset) if system in LEARNED_SYSTEMS else None,
        device=setting.device,
    )
    engine.describe_with(undescribed)
    return engine


def _decisions(setting: Setting, engine: Engine) -> Iterator[list[Assignment]]:
    """Run a system; yield its decisions and changes of mind, slide by slide."""
    slides = setting.stream.slides(setting.slide)
    for number, articles in enumerate(slides, 1):
        decided = engine.decide(articles)
        yield decided + (engine.finish() if number == len(slides) else engine.close())
        setting.on_progress(number, len(slides))
