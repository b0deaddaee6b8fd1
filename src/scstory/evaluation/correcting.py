"""Corrections by people, simulated: a random share of wrong articles is corrected after a slide.

When a slide closes, each article of the window that stands in a story of another label's majority
is corrected with some probability: it is moved to the story that has most articles of its label,
or split out if there is none. The corrections go the way that those of editors go.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from scstory.discovery import Engine
from scstory.discovery.corrections import Correction
from scstory.discovery.describe import undescribed
from scstory.discovery.presets import make_engine, make_settings
from scstory.discovery.slides import by_slide
from scstory.evaluation.finished_runs import FinishedRuns
from scstory.evaluation.harness import LabelledStream
from scstory.evaluation.metrics import b_cubed
from scstory.types import Assignment, EncodedArticle
from scstory.vectors import Encoder


@dataclass(frozen=True)
class CorrectedJob:
    """One run of the default method, some of whose wrong articles are corrected."""

    parameters: Mapping[str, Any]
    """What is set otherwise than by default."""
    share: float
    """The probability that a wrong article is corrected when a slide closes."""
    seed: int
    window: str = "7d"
    slide: str = "1d"
    device: str | None = None


@dataclass
class Run:
    """The last story of each article, and those that were corrected."""

    found: dict[str, int] = field(default_factory=dict)
    corrected: set[str] = field(default_factory=set)

    def follow(self, decided: list[Assignment]) -> None:
        """Take note of decisions."""
        self.found.update((one.article, one.story) for one in decided)

    def f1(self, truth: Mapping[str, str], without: set[str]) -> float:
        """Return the B³-F1 of the articles with a label, but for some."""
        some = [a for a in self.found if a in truth and a not in without]
        return b_cubed([truth[a] for a in some], [self.found[a] for a in some])[2]


def run_corrected(
    job: CorrectedJob,
    stream: LabelledStream,
    encoder: Encoder,
    *,
    finished: FinishedRuns | None = None,
) -> Run:
    """Return what a run gives: from `finished` if it is there, else it is run and added."""
    described = {"corrections": asdict(job) | {"parameters": dict(job.parameters)}}
    if finished and (known := finished.find_values(described, stream, encoder.name)):
        return Run(known["found"], set(known["corrected"]))
    run = _run(job, stream, encoder)
    if finished:
        values = {"found": run.found, "corrected": sorted(run.corrected)}
        finished.add_values(described, stream, encoder.name, values)
    return run


def _run(job: CorrectedJob, stream: LabelledStream, encoder: Encoder) -> Run:
    given = {**job.parameters, "window": job.window, "slide": job.slide}
    engine = make_engine(make_settings("default", given), encoder, device=job.device)
    engine.describe_with(undescribed)
    rng, found = np.random.default_rng(job.seed), Run()
    length = engine.settings.slide_length
    encoded = _encoded(engine, stream)
    for _, some in by_slide(encoded, lambda one: one.article.published, length, None):
        found.follow(engine.decide(some))
        found.follow(engine.close())
        if job.share:
            _correct(engine, stream.truth, found, rng, job.share)
    found.follow(engine.finish())
    return found


def _encoded(engine: Engine, stream: LabelledStream) -> list[EncodedArticle]:
    ends = pairwise(stream.ends)
    return engine.encode(
        EncodedArticle(article, reading, stream.vectors[start:end])
        for article, reading, (start, end) in zip(
            stream.articles, stream.readings, ends, strict=True
        )
    )


def _correct(
    engine: Engine, truth: Mapping[str, str], found: Run, rng: np.random.Generator, share: float
) -> None:
    """Correct a random share of the articles of the window that are in a story of others."""
    window = engine.scope.window
    story = dict(zip(window.members.ids, window.story.tolist(), strict=True))
    labels: dict[int, Counter[str]] = defaultdict(Counter)
    for article, number in story.items():
        if article in truth:
            labels[number][truth[article]] += 1
    majority = {number: some.most_common(1)[0][0] for number, some in labels.items()}
    wrong = [a for a in story if a in truth and majority[story[a]] != truth[a]]
    for article in [a for a in wrong if rng.random() < share]:
        label, left = truth[article], story[article]
        own = [number for number, name in majority.items() if name == label]
        to = max(own, key=lambda number: (labels[number][label], -number), default=None)
        number = len(found.corrected) + 1
        split = to is None
        if to is None:
            to = engine.new_story()
            majority[to] = label
        correction = Correction(
            number=number,
            moves={article: to},
            holds=(article,),
            barred={a: to for a, s in story.items() if s == left and a != article} if split else {},
            apart=((left, to),),
        )
        found.follow(engine.correct(correction))
        labels[left][label] -= 1
        labels[to][label] += 1
        story[article] = to
        found.corrected.add(article)
