"""The prequential protocol: a slide is decided before anything learns from it, then scored.

Only the first window of `paper` and HRSTORY is trained on before it is decided: their cold start.

After each slide that holds new articles, from the end of the first window on, the window's
articles are scored with their stories as they stand at that moment. The mean over windows is the
paper's number; the score of the whole stream's final stories shows lost identity, which windows
hide. First decisions, before any change of mind, are scored on the same windows: they are what a
reader of live news sees. Articles without a label take part in the stream but not in the scores.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass
from datetime import timedelta
from time import perf_counter

from scstory.discovery.engine import Engine
from scstory.discovery.slides import slide_index, slide_start
from scstory.errors import UsageError
from scstory.evaluation.languages import LanguageScores, language_scores
from scstory.evaluation.metrics import Scores, score
from scstory.evaluation.sentence_weights import Marks, weights_auc
from scstory.types import Assignment, EncodedArticle


@dataclass(frozen=True, slots=True)
class Result:
    """What a system scored on a stream."""

    by_window: tuple[Scores, ...]
    """The scores of each window, in order."""
    stream: Scores
    first: Scores
    """The windowed scores of each article's first decision."""
    first_stream: Scores
    """The scores of all first decisions together."""
    articles: int
    decide_seconds: float
    """Deciding, with the second look and the cold start."""
    learn_seconds: float
    """Learning from closed slides."""
    weights_auc: float | None = None
    """How well sentence weights tell own sentences from inserted ones, if some were inserted."""
    languages: LanguageScores | None = None
    """The scores of the final stories by language, if there are several."""

    @property
    def windowed(self) -> Scores:
        """The mean over windows."""
        return mean_scores(self.by_window)

    @property
    def windows(self) -> int:
        """How many windows were scored."""
        return len(self.by_window)

    @property
    def seconds(self) -> float:
        """All seconds of discovery."""
        return self.decide_seconds + self.learn_seconds


def evaluate(
    engine: Engine,
    slides: Sequence[list[EncodedArticle]],
    truth: Mapping[str, str],
    *,
    window: timedelta,
    slide: timedelta,
    own_sentences: Mapping[str, Marks] | None = None,
    on_slide: Callable[[], None] = lambda: None,
) -> Result:
    """Run an engine over slides of articles and score it against the true story of each.

    A stream that ends before its first window does is scored once, at its end; one without a
    labelled article in any window that is scored, as a whole. `own_sentences` are given for a
    stream with inserted sentences.
    """
    found: dict[str, int] = {}
    first: dict[str, Assignment] = {}
    recent: list[EncodedArticle] = []
    scores: list[tuple[Scores, Scores]] = []
    seconds, learned_before = 0.0, engine.learn_seconds
    first_end = None
    for number, articles in enumerate(slides):
        last = number == len(slides) - 1
        started = perf_counter()
        decided = engine.decide(articles)
        decided += engine.finish() if last else engine.close()
        seconds += perf_counter() - started
        on_slide()
        for decision in decided:
            found[decision.article] = decision.story
            if decision.was is None:
                first.setdefault(decision.article, decision)
        end = slide_start(slide_index(articles[-1].article.published, slide) + 1, slide)
        first_end = first_end or end - slide + window
        recent = [m for m in [*recent, *articles] if m.article.published >= end - window]
        current = [m.article.id for m in recent if m.article.id in truth]
        if current and (end >= first_end or (last and not scores)):
            scores.append(_score_both(current, truth, found, first))
    ids = [i for i in found if i in truth]
    languages = {m.article.id: m.reading.language for some in slides for m in some}
    if not ids:
        raise UsageError("no article has a label: evaluating needs a field 'story' in the data")
    whole = _score_both(ids, truth, found, first)
    learn_seconds = engine.learn_seconds - learned_before
    by_window, first_by_window = zip(*(scores or [whole]), strict=True)
    return Result(
        by_window=by_window,
        stream=whole[0],
        first=mean_scores(first_by_window),
        first_stream=whole[1],
        articles=len(ids),
        decide_seconds=seconds - learn_seconds,
        learn_seconds=learn_seconds,
        weights_auc=weights_auc(first, own_sentences or {}),
        languages=language_scores(truth, found, languages),
    )


def _score_both(
    ids: Sequence[str],
    truth: Mapping[str, str],
    found: Mapping[str, int],
    first: Mapping[str, Assignment],
) -> tuple[Scores, Scores]:
    """Return the scores of some articles' present stories, and of their first ones."""
    true = [truth[i] for i in ids]
    now, then = [found[i] for i in ids], [first[i].story for i in ids]
    scores = score(true, now)
    return scores, scores if now == then else score(true, then)


def mean_scores(scores: Sequence[Scores]) -> Scores:
    """Return the mean of each score."""
    columns = zip(*map(astuple, scores), strict=True)
    return Scores(*(sum(values) / len(scores) for values in columns))
