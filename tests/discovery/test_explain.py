"""Evidence: it is of what counts, and adds up to the confidence."""

import numpy as np
import pytest

from scstory.discovery.calibrated.names import FEATURES
from tests.conftest import make_article, make_stream
from tests.discovery.engines import discover, make, process, run

NAMES = [*FEATURES, "time", "prior"]


def logistic(evidence):
    return 1 / (1 + np.exp(-sum(evidence.values())))


@pytest.fixture(scope="module")
def discovery():
    made = discover()
    list(made.stream(make_stream(9)))
    return made


def test_the_evidence_of_a_decision_adds_up_to_its_confidence():
    decided = run(make(second_look=0), make_stream(9))
    joined = [d for d in decided if not d.new]
    assert len(joined) > 20
    for decision in joined:
        assert list(decision.evidence) == NAMES
        assert decision.confidence == pytest.approx(logistic(decision.evidence))
    for decision in decided:
        if decision.new:
            assert (decision.evidence, decision.confidence) == ({}, 1.0)
        rated = [runner.confidence for runner in decision.runners_up]
        assert rated == sorted(rated, reverse=True)
        assert len(rated) <= 3
        assert decision.story not in {runner.story for runner in decision.runners_up}


def test_so_does_that_of_every_article_in_the_window(discovery):
    explained = [discovery.explain(i) for story in discovery.stories() for i in story.articles]
    assert len(explained) == len(discovery.engine.scope.window)
    for explanation in explained:
        assert list(explanation.evidence) == NAMES
        assert explanation.confidence == pytest.approx(logistic(explanation.evidence))
        assert explanation.story not in {runner.story for runner in explanation.runners_up}
        assert sum(weight for _, weight in explanation.sentences) == pytest.approx(1, abs=1e-5)


def test_an_explanation_has_sentences_and_runners_up():
    made = discover()
    list(made.stream(make_stream(5)))
    explanation = made.explain("flood-8")
    assert explanation.sentences[0][0].startswith("Flood news")
    assert explanation.story not in {r.story for r in explanation.runners_up}
    assert len(explanation.runners_up) == 2


def test_explaining_changes_nothing(discovery):
    window = discovery.engine.scope.window
    before = {name: value.copy() for name, value in window.arrays().items()}
    discovery.explain("flood-12")
    assert all(np.array_equal(value, before[name]) for name, value in window.arrays().items())


def test_only_the_features_in_use_are_named():
    made = discover(features="learned, names", timing=False)
    list(made.stream(make_stream(4)))
    explanation = made.explain("flood-6")
    assert list(explanation.evidence) == ["learned", "names", "time", "prior"]
    assert explanation.evidence["time"] == 0
    assert explanation.confidence == pytest.approx(logistic(explanation.evidence))


def test_the_papers_confidence_is_all_of_the_evidence():
    made = discover("paper")
    decided = list(made.stream(make_stream(9)))
    for decision in decided:
        if not decision.new:
            assert decision.evidence == {"learned": pytest.approx(decision.confidence)}
    explanation = made.explain("flood-12")
    assert explanation.evidence == {"learned": pytest.approx(explanation.confidence)}


def test_an_article_by_itself_needs_no_reason():
    made = discover()
    process(made.engine, [make_article(0, "flood"), make_article(1, "trial")])
    explanation = made.explain("trial-1")
    assert (explanation.evidence, explanation.confidence) == ({}, 1.0)
    assert [runner.story for runner in explanation.runners_up] == [1]
