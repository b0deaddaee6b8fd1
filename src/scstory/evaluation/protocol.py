"""The prequential protocol: a slide is decided before anything learns from it, then scored.

After each slide that holds new articles, from the end of the first window on, the window's
articles are scored with their stories as they stand at that moment. The mean over windows is the
paper's number; the score of the whole stream's final stories shows lost identity, which windows
hide. Articles without a label take part in the stream but not in the scores.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass
from datetime import timedelta
from time import perf_counter

from scstory.discovery.engine import Engine
from scstory.discovery.slides import slide_index, slide_start
from scstory.errors import UsageError
from scstory.evaluation.metrics import Scores, score
from scstory.types import EncodedArticle


@dataclass(frozen=True, slots=True)
class Result:
    """What a system scored on a stream."""

    windowed: Scores
    stream: Scores
    windows: int
    articles: int
    seconds: float


def evaluate(
    engine: Engine,
    slides: Sequence[list[EncodedArticle]],
    truth: Mapping[str, str],
    *,
    window: timedelta,
    slide: timedelta,
    on_slide: Callable[[], None] = lambda: None,
) -> Result:
    """Run an engine over slides of articles and score it against the true story of each.

    A stream that ends before its first window does is scored once, at its end; one without a
    labelled article in any window that is scored, as a whole.
    """
    found: dict[str, int] = {}
    recent: list[EncodedArticle] = []
    scores: list[Scores] = []
    seconds = 0.0
    first_end = None
    for number, articles in enumerate(slides):
        last = number == len(slides) - 1
        started = perf_counter()
        decided = engine.decide(articles)
        decided += engine.finish() if last else engine.close()
        seconds += perf_counter() - started
        on_slide()
        found.update((decision.article, decision.story) for decision in decided)
        end = slide_start(slide_index(articles[-1].article.published, slide) + 1, slide)
        first_end = first_end or end - slide + window
        recent = [m for m in [*recent, *articles] if m.article.published >= end - window]
        current = [m.article.id for m in recent if m.article.id in truth]
        if current and (end >= first_end or (last and not scores)):
            scores.append(score([truth[i] for i in current], [found[i] for i in current]))
    ids = [i for i in found if i in truth]
    if not ids:
        raise UsageError("no article has a label: evaluating needs a field 'story' in the data")
    whole = score([truth[i] for i in ids], [found[i] for i in ids])
    scores = scores or [whole]
    return Result(mean_scores(scores), whole, len(scores), len(ids), seconds)


def mean_scores(scores: Sequence[Scores]) -> Scores:
    """Return the mean of each score."""
    columns = zip(*map(astuple, scores), strict=True)
    return Scores(*(sum(values) / len(scores) for values in columns))
