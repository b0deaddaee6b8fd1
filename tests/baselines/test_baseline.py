"""What all compared systems share: parameters, deciding when a slide closes, saving."""

import numpy as np
import pytest

from scstory.baselines import PSE, SYSTEMS, make_baseline, ranges_of
from scstory.baselines.baseline import (
    BaselineSettings,
    Range,
    article_terms,
    mean_vector,
    term_table,
)
from scstory.discovery.window import UNDECIDED
from scstory.errors import ConfigError
from scstory.text import term_counts
from tests.baselines.slides import make_engine, member, process, stories_of


def test_parameters_are_the_untuned_ones_unless_given():
    assert make_baseline("densps").parameters == {"edge": 0.2, "join": 0.5, "memory": ""}
    assert make_baseline("densps", join=0.9).parameters["join"] == 0.9
    assert make_baseline("densps+pse").parameters == {"edge": 0.7, "join": 0.75, "memory": ""}
    for name in (name + suffix for name in SYSTEMS for suffix in ("", PSE)):
        assert make_baseline(name).parameters.keys() == ranges_of(name).keys()


@pytest.mark.parametrize("name", [name + suffix for name in SYSTEMS for suffix in ("", PSE)])
def test_grids_ascend_within_the_limits_and_surround_the_untuned_value(name):
    for parameter in ranges_of(name).values():
        grid, (low, high) = parameter.grid, parameter.limits
        assert list(grid) == sorted(set(grid))
        if grid:
            assert low <= grid[0] < parameter.default < grid[-1] <= high


def test_a_grid_ends_without_doubt_at_a_natural_limit_only():
    parameter = Range(0.5, (0.0, 0.5, 0.9), (0, 1))
    assert [parameter.on_edge(value) for value in parameter.grid] == [False, False, True]
    assert not Range("a").on_edge("a")


def test_what_is_no_parameter_is_refused():
    with pytest.raises(ConfigError, match="parameter 'edge' of one: there are none"):
        make_baseline("one", edge=1)
    with pytest.raises(ConfigError, match="system 'none': there are tfidf"):
        make_baseline("none")
    with pytest.raises(ConfigError, match="memory 'long': write a number"):
        make_baseline("densps", memory="long")
    with pytest.raises(ConfigError, match="window of 1h: must be at least as long as the slide"):
        make_baseline("one", window="1h")


def test_settings_survive_a_checkpoint():
    settings = make_baseline("newslens+pse", edge=0.8, window="3d", slide="12h").settings
    assert settings.pse
    assert settings.parameters == {"edge": 0.8, "T": 0.75}
    assert BaselineSettings.from_dict(settings.to_dict()) == settings


@pytest.mark.parametrize("name", SYSTEMS)
def test_articles_are_decided_when_their_slide_closes(name):
    engine = make_engine(name)
    assert engine.decide([member("river flood"), member("court jury")]) == []
    assert stories_of(engine) == [UNDECIDED] * 2
    assert [d.article for d in engine.close()] == [
        m.article.id for m in engine.scope.window.members
    ]
    assert engine.close() == engine.finish() == []


@pytest.mark.parametrize("name", SYSTEMS)
def test_an_article_of_a_later_slide_closes_the_open_one(name):
    engine = make_engine(name)
    first, second = member("river flood"), member("river flood", day=1)
    assert engine.decide([first]) == []
    assert [d.article for d in engine.decide([second])] == [first.article.id]
    assert [d.article for d in engine.finish()] == [second.article.id]


def test_sentences_weigh_the_same_and_confidence_is_full():
    engine = make_engine("one")
    decided = process(engine, [member("river"), member("river", title="A title")])
    assert [decision.weights for decision in decided] == [(1.0,), (0.5, 0.5)]
    assert [decision.confidence for decision in decided] == [1.0, 1.0]


def test_terms_of_the_window_are_those_of_title_and_text():
    engine = make_engine("one")
    process(engine, [member("river river dam", title="A Flood"), member("", title="")])
    scope = engine.scope
    expected = term_counts([article_terms(article) for article in scope.window.members])
    assert (term_table(scope, slice(None)) != expected).nnz == 0
    assert (term_table(scope, np.array([1, 0])) != expected[[1, 0]]).nnz == 0


def test_the_mean_vector_has_unit_length():
    assert mean_vector(member("a", title="b", vector=(3, 4))) == pytest.approx([0.6, 0.8])
    assert mean_vector(member("a", vector=(0, 0))).tolist() == [0, 0]
