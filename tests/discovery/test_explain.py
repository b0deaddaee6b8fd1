"""Reasons: they are of what counts, and add up to the confidence."""

import numpy as np
import pytest

from scstory.discovery.views import VIEWS
from tests.conftest import make_article, make_stream
from tests.discovery.test_engine import make

NAMES = [*VIEWS, "time", "prior"]


def logistic(parts):
    return 1 / (1 + np.exp(-sum(parts.values())))


@pytest.fixture(scope="module")
def engine():
    made = make()
    list(made.stream(make_stream(9)))
    return made


def test_the_parts_of_a_decision_add_up_to_its_confidence():
    decided = list(make(review=0).stream(make_stream(9)))
    joined = [d for d in decided if not d.new]
    assert len(joined) > 20
    for decision in joined:
        assert list(decision.parts) == NAMES
        assert decision.confidence == pytest.approx(logistic(decision.parts))
    for decision in decided:
        if decision.new:
            assert (decision.parts, decision.confidence) == ({}, 1.0)
        rated = [runner.confidence for runner in decision.runners_up]
        assert rated == sorted(rated, reverse=True)
        assert len(rated) <= 3
        assert decision.story not in {runner.story for runner in decision.runners_up}


def test_so_do_those_of_every_article_in_the_window(engine):
    explained = [engine.explain(i) for story in engine.stories() for i in story.articles]
    assert len(explained) == len(engine.embedded())
    for explanation in explained:
        assert list(explanation.parts) == NAMES
        assert explanation.confidence == pytest.approx(logistic(explanation.parts))
        assert explanation.story not in {runner.story for runner in explanation.runners_up}
        assert sum(weight for _, weight in explanation.sentences) == pytest.approx(1, abs=1e-5)


def test_only_the_views_in_use_are_named():
    made = make(views="learned, names", timing=False)
    list(made.stream(make_stream(4)))
    explanation = made.explain("flood-6")
    assert list(explanation.parts) == ["learned", "names", "time", "prior"]
    assert explanation.parts["time"] == 0
    assert explanation.confidence == pytest.approx(logistic(explanation.parts))


def test_the_papers_confidence_is_one_part():
    made = make("paper")
    list(made.stream(make_stream(9)))
    explanation = made.explain("flood-12")
    assert explanation.parts == {"learned": pytest.approx(explanation.confidence)}


def test_an_article_by_itself_needs_no_reason():
    made = make()
    made.process([make_article(0, "flood"), make_article(1, "trial")])
    explanation = made.explain("trial-1")
    assert (explanation.parts, explanation.confidence) == ({}, 1.0)
    assert [runner.story for runner in explanation.runners_up] == [1]
