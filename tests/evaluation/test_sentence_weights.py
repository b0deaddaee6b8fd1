"""Sentence weights against the truth, on cases worked out by hand."""

from dataclasses import replace

import pytest

from scstory.evaluation.sentence_weights import mark_own, weights_auc
from scstory.text import read
from scstory.types import Assignment
from tests.conftest import START, Article

ARTICLE = Article("1", START, "Alder rises", "The river rose. The trial began. — Rain goes on.")


def marks_of(article, own):
    return mark_own(article, read(article), own)


def decided(**weights):
    return {name: Assignment(name, 1, 1.0, True, weights=own) for name, own in weights.items()}


def test_a_sentence_is_own_by_its_letters_and_digits():
    own = "Alder rises\nTHE RIVER: rose!\nRain goes\non. And on."
    assert read(ARTICLE).sentences[1:] == (
        "The river rose.",
        "The trial began.",
        "— Rain goes on.",
    )
    assert list(marks_of(ARTICLE, own)) == [None, True, False, True]


def test_without_a_title_the_first_sentence_counts():
    bare = replace(ARTICLE, title="")
    assert list(marks_of(bare, "The river rose.")) == [True, False, False]


def test_a_sentence_without_letters_is_not_judged():
    article = replace(ARTICLE, title="", text="The river rose.\n\n***\n\nRain.")
    assert list(marks_of(article, "The river rose.")) == [True, None, False]


def test_the_area_by_hand():
    marks = {"a": [None, True, False]}
    assert weights_auc(decided(a=(0.9, 0.08, 0.02)), marks) == 1
    assert weights_auc(decided(a=(0.1, 0.2, 0.7)), marks) == 0
    # Own 0.8 and 0.4, inserted 0.6 and 0.2, relative to the even share: 3 of 4 pairs are right.
    marks = {"a": [True, False], "b": [True, False]}
    weights = decided(a=(0.4, 0.3), b=(0.2, 0.1))
    assert weights_auc(weights, marks) == pytest.approx(3 / 4)


def test_weights_of_long_and_short_articles_compare():
    marks = {"a": [True, False], "b": [True, True, True, False]}
    weights = decided(a=(0.6, 0.4), b=(0.28, 0.28, 0.28, 0.16))
    assert weights_auc(weights, marks) == 1  # 1.2 and 1.12 against 0.8 and 0.64


def test_where_there_is_nothing_to_tell_apart():
    assert weights_auc({}, {}) is None
    assert weights_auc(decided(a=(0.5, 0.5)), {"a": [None, True]}) is None
    assert weights_auc(decided(a=(0.5, 0.5)), {"a": [True, False]}) is None
    assert weights_auc(decided(b=(0.5, 0.5)), {"a": [True, False]}) is None


def test_sentences_that_a_system_does_not_read_do_not_count():
    assert weights_auc(decided(a=(0.7, 0.3)), {"a": [True, False, True, True]}) == 1
