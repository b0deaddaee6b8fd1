"""Sentences that stand in several articles."""

import numpy as np

from scstory.discovery.calibrated.repeats import OWN, key_column, repeated
from scstory.discovery.window import Column, Window
from scstory.types import Article
from scstory.vectors import encode_articles
from scstory.vectors.hashing import HashingEncoder
from tests.conftest import START

FLOOD = [f"The Alder rose by {n} metres." for n in range(8)]
TRIAL = [f"Witness {n} spoke of the theft." for n in range(8)]
TICKER = "Sign up for our newsletter."


def window_of(*bodies):
    articles = [
        Article(str(i), START, f"Title of {body[0]} {i}", " ".join(body))
        for i, body in enumerate(bodies)
    ]
    made = Window((key_column(), Column(OWN, np.float32, per="sentence", fill=1)))
    made.append(encode_articles(articles, HashingEncoder(dim=16)), not_before=0.0)
    return made


def marks(keys, weights, window, row, end):
    return repeated(keys, weights, window, row=row, end=end, margin=0.2)


def found(window, row, end=None):
    keys, weights = window.of("sentence_keys", row), window.of(OWN, row)
    marked = marks(keys, weights, window, row, len(window) if end is None else end)
    return [
        s for s, is_marked in zip(window.members[row].sentences, marked, strict=True) if is_marked
    ]


def test_a_sentence_that_unlike_articles_share_is_found():
    window = window_of([*FLOOD, TICKER], [TICKER, *TRIAL], FLOOD[:3])
    assert found(window, 0) == found(window, 1) == [TICKER]


def test_the_sentences_of_copies_are_not():
    window = window_of(FLOOD, FLOOD[:6], [*FLOOD[:5], TICKER])
    assert not any(found(window, row) for row in range(3))


def test_long_texts_that_share_a_middle_are_no_copies():
    one = [*TRIAL[:6], *FLOOD]
    window = window_of(one, FLOOD)
    assert found(window, 1) == FLOOD
    assert found(window, 0) == FLOOD


def test_capitals_make_no_difference_and_an_article_does_not_repeat_itself():
    window = window_of([*FLOOD, TICKER.upper(), TICKER], TRIAL)
    assert found(window, 0) == []
    window = window_of([*FLOOD, TICKER.upper()], [*TRIAL, TICKER])
    assert found(window, 1) == [TICKER]


def test_only_articles_before_the_end_count():
    window = window_of([*FLOOD, TICKER], [*TRIAL, TICKER])
    assert found(window, 0, end=0) == []
    assert found(window, 0, end=1) == []
    assert found(window, 1, end=1) == [TICKER]


def test_an_article_outside_the_window_is_compared_with_all_of_it():
    window, alone = window_of([*FLOOD, TICKER]), window_of([*TRIAL, TICKER])
    marked = marks(alone.of("sentence_keys", 0), alone.of(OWN, 0), window, None, 1)
    assert np.flatnonzero(marked).tolist() == [9]


def test_it_belongs_where_it_weighs_clearly_more():
    window = window_of([*FLOOD, TICKER], [*TRIAL, TICKER])
    window.of(OWN, 0)[-1], window.of(OWN, 1)[-1] = 0.5, 0.9
    assert found(window, 0) == [TICKER]
    assert found(window, 1) == []
    window.of(OWN, 1)[-1] = 0.65
    assert found(window, 1) == [TICKER]
