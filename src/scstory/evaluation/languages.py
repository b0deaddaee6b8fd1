"""Scores by language, and how many true pairs of articles in two languages were found together."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from scstory.evaluation.metrics import b_cubed


@dataclass(frozen=True, slots=True)
class LanguageScores:
    """How well a stream in several languages was grouped, as a whole and in each language.

    Pairs are of two articles in different languages; `true_pairs` is the number of those that tell
    the same story. Recall is the share of them that were found together, and precision the share of
    the pairs found together that tell the same story.
    """

    b3_f1: Mapping[str, float]
    """B³-F1 within each language, the languages with the most articles first."""
    articles: Mapping[str, int]
    true_pairs: int
    pair_precision: float
    pair_recall: float


def language_scores(
    truth: Mapping[str, str], found: Mapping[str, int], language: Mapping[str, str]
) -> LanguageScores | None:
    """Return scores by language, by article; None if all articles are in one language.

    >>> scores = language_scores(
    ...     {"a": "flood", "b": "flood", "c": "trial"},
    ...     {"a": 1, "b": 1, "c": 1},
    ...     {"a": "en", "b": "de", "c": "de"},
    ... )
    >>> scores.pair_precision, scores.pair_recall, scores.true_pairs
    (0.5, 1.0, 1)
    """
    ids = [article for article in truth if article in found]
    sizes = Counter(language[article] for article in ids)
    if len(sizes) < 2:
        return None
    within = {}
    for name, _ in sizes.most_common():
        own = [article for article in ids if language[article] == name]
        within[name] = b_cubed([truth[a] for a in own], [found[a] for a in own])[2]
    spoken = [language[a] for a in ids]
    true = _pairs([truth[a] for a in ids], spoken)
    together = _pairs([str(found[a]) for a in ids], spoken)
    right = _pairs([f"{found[a]} {truth[a]}" for a in ids], spoken)
    return LanguageScores(
        within,
        dict(sizes.most_common()),
        true,
        right / together if together else 1.0,
        right / true if true else 1.0,
    )


def _pairs(groups: list[str], spoken: list[str]) -> int:
    """Return how many pairs are in one group and in two languages."""
    every, alike = Counter(groups), Counter(zip(groups, spoken, strict=True))
    return (
        sum(n * (n - 1) for n in every.values()) - sum(n * (n - 1) for n in alike.values())
    ) // 2


def languages_json(scores: Sequence[LanguageScores | None]) -> dict[str, Any] | None:
    """Return what `evaluate --json` prints of the scores by language: means over the seeds."""
    found = [one for one in scores if one]
    if not found:
        return None
    return {
        "b3_f1": {
            name: round(fmean(one.b3_f1[name] for one in found), 6) for name in found[0].b3_f1
        },
        "articles": dict(found[0].articles),
        "true_pairs": found[0].true_pairs,
        "pair_precision": round(fmean(one.pair_precision for one in found), 6),
        "pair_recall": round(fmean(one.pair_recall for one in found), 6),
    }


def languages_line(scores: Sequence[LanguageScores | None]) -> str:
    """Return the scores by language in words; nothing if there is one language only."""
    found = languages_json(scores)
    if found is None:
        return ""
    within = ", ".join(
        f"{name} {value:.3f} ({found['articles'][name]})" for name, value in found["b3_f1"].items()
    )
    return (
        f"B³-F1 within each language (articles): {within}; of {found['true_pairs']:,} true pairs "
        f"across languages {found['pair_recall']:.1%} together, {found['pair_precision']:.1%} of "
        "the pairs together true"
    )
