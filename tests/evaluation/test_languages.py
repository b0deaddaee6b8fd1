"""Scores by language."""

import pytest

from scstory.evaluation.languages import language_scores, languages_json, languages_line

TRUTH = {"a": "flood", "b": "flood", "c": "flood", "d": "trial", "e": "trial"}
LANGUAGE = {"a": "en", "b": "en", "c": "de", "d": "de", "e": "fr"}


def test_pairs_across_languages_are_counted():
    found = {"a": 1, "b": 1, "c": 1, "d": 1, "e": 2}
    scores = language_scores(TRUTH, found, LANGUAGE)
    assert scores.true_pairs == 3  # a and c, b and c, d and e
    assert scores.pair_recall == pytest.approx(2 / 3)
    assert scores.pair_precision == pytest.approx(2 / 4)  # with a and d, b and d
    assert scores.b3_f1["en"] == 1
    assert scores.b3_f1["de"] < 1
    assert languages_json([scores, scores])["pair_recall"] == pytest.approx(2 / 3, abs=1e-6)
    assert "66.7% together" in languages_line([scores])


def test_one_language_has_no_scores_of_its_own():
    assert language_scores(TRUTH, dict.fromkeys(TRUTH, 1), dict.fromkeys(TRUTH, "en")) is None
    assert languages_json([None]) is None
    assert languages_line([None]) == ""
