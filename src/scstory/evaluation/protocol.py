"""The prequential protocol: a slide is decided before anything learns from it, then scored.

After each slide that holds new articles, from the end of the first window on, the window's
articles are scored with their stories as they stand at that moment. The mean over windows is the
paper's number; the score of the whole stream's final stories shows lost identity, which windows
hide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import timedelta
from time import perf_counter

from scstory.discovery.window import slide_index, slide_start
from scstory.evaluation.metrics import Scores, score
from scstory.types import EncodedArticle, System


@dataclass(frozen=True, slots=True)
class Result:
    """What a system scored on a stream."""

    windowed: Scores
    stream: Scores
    windows: int
    articles: int
    seconds: float


def evaluate(
    system: System,
    slides: Sequence[list[EncodedArticle]],
    truth: Mapping[str, str],
    *,
    window: timedelta,
    slide: timedelta,
) -> Result:
    """Run a system over slides of articles and score it against the true story of each."""
    if not slides:
        raise ValueError("no articles to evaluate on")
    found: dict[str, int] = {}
    seen: list[EncodedArticle] = []
    scores: list[Scores] = []
    seconds = 0.0
    first_end = slide_start(slide_index(slides[0][0].article.published, slide), slide) + window
    for number, articles in enumerate(slides):
        started = perf_counter()
        decided = system.process(articles)
        if number == len(slides) - 1:
            decided += system.finish()
        seconds += perf_counter() - started
        found.update((decision.article, decision.story) for decision in decided)
        seen += articles
        end = slide_start(slide_index(articles[-1].article.published, slide) + 1, slide)
        if end >= first_end or number == len(slides) - 1:
            current = [m.article.id for m in seen if m.article.published >= end - window]
            scores.append(score([truth[i] for i in current], [found[i] for i in current]))
            seen = [m for m in seen if m.article.published >= end - window]
    ids = list(found)
    return Result(
        mean_scores(scores),
        score([truth[i] for i in ids], [found[i] for i in ids]),
        len(scores),
        len(ids),
        seconds,
    )


def mean_scores(scores: Sequence[Scores]) -> Scores:
    """Return the mean of each score."""
    return Scores(
        **{f.name: sum(getattr(s, f.name) for s in scores) / len(scores) for f in fields(Scores)}
    )
