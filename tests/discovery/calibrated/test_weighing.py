"""Sentence weights: one set for each article, used by everything, learned on the stream."""

from dataclasses import replace

import numpy as np
import pytest

from scstory.discovery.calibrated.repeats import OWN
from scstory.discovery.calibrated.weighing import LEAST
from tests.conftest import make_stream
from tests.discovery.engines import make, run

TICKER = "Sign up for our free newsletter today."


def noisy(stream, rng, share=0.5):
    """Put sentences of other articles at the end of each; return the stream and how many."""
    found, inserted = [], {}
    sentences = [article.text.split(". ") for article in stream]
    for article in stream:
        kind = article.id.partition("-")[0]
        others = [s for a, s in zip(stream, sentences, strict=True) if not a.id.startswith(kind)]
        more = max(1, round(share * len(article.text.split(". "))))
        chosen = [rng.choice(others[rng.integers(len(others))]) for _ in range(more)]
        foreign = " ".join(f"{sentence.rstrip('.')}." for sentence in chosen)
        found.append(replace(article, text=f"{article.text} {foreign}"))
        inserted[article.id] = more
    return found, inserted


def test_weights_add_up_to_one_and_the_title_weighs_most():
    engine = make()
    for decision in run(engine, make_stream(6)):
        assert sum(decision.weights) == pytest.approx(1, abs=1e-5)
        assert decision.weights[0] == max(decision.weights)
    own = engine.scope.window[OWN]
    assert ((own >= LEAST) & (own <= 1)).all()


def test_they_are_what_sentences_are_pooled_and_terms_are_counted_by():
    engine = make()
    run(engine, make_stream(6))
    window = engine.scope.window
    for i, member in enumerate(window.members):
        own = window.of(OWN, i)
        np.testing.assert_allclose(window.of("weights", i), own / own.sum(), atol=1e-6)
        np.testing.assert_allclose(window.of("pooling", i), own / own.sum(), atol=1e-6)
        counts = window.of("weighted_counts", i)
        expected = member.reading.weighted(own).astype(np.float16)
        np.testing.assert_array_equal(counts, expected)


def test_without_weighing_all_weigh_the_same():
    engine = make(weighing=False)
    run(engine, make_stream(4))
    assert (engine.scope.window[OWN] == 1).all()


def test_a_sentence_of_unlike_articles_weighs_little():
    stream = [replace(article, text=f"{article.text} {TICKER}") for article in make_stream(6)]
    engine = make()
    run(engine, stream)
    window = engine.scope.window
    others = []
    for i, member in list(enumerate(window.members))[2:]:
        by_sentence = dict(zip(member.sentences, window.of(OWN, i).tolist(), strict=True))
        assert by_sentence[TICKER] <= engine.settings.repeated_weight
        others += [weight for text, weight in by_sentence.items() if text != TICKER]
    assert np.mean(others) > 0.5


def test_foreign_sentences_weigh_less_than_own_ones():
    stream, inserted = noisy(make_stream(12), np.random.default_rng(0))
    engine = make(repeated_weight=1)  # by what they are like, not by where else they stand
    own, foreign = [], []
    for decision in run(engine, stream):
        if decision.was is None:
            more, weights = inserted[decision.article], np.array(decision.weights)
            own += (weights[1:-more] * len(weights)).tolist()
            foreign += (weights[-more:] * len(weights)).tolist()
    assert np.mean(foreign) < 0.9 * np.mean(own)


def test_what_depends_on_weights_is_there_after_a_restart():
    engine = make()
    run(engine, make_stream(5))
    again = make()
    again.restore(engine.state())
    for name in ("openings", "weighted_counts", OWN, "sentence_keys"):
        np.testing.assert_array_equal(again.scope.window[name], engine.scope.window[name])
    one, two = (e.method._sentences.model for e in (engine, again))
    assert np.array_equal(one.coefficients, two.coefficients)
    assert one.foreign_share == two.foreign_share
