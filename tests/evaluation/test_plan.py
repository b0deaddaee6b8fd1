"""Plans: which systems run, and where settings go."""

import pytest

from scstory.errors import ConfigError
from scstory.evaluation.plan import make_plan
from scstory.evaluation.systems import check_parameters, system_names


def test_scstory_runs_once_for_each_preset():
    plan = make_plan(["tfidf", "scstory", "tfidf"], ["paper", "default"], floors=True)
    assert plan.systems == [
        ("tfidf", None),
        ("scstory", "paper"),
        ("scstory", "default"),
        ("singletons", None),
        ("one", None),
    ]
    assert (plan.window, plan.slide, plan.seed, plan.parameters) == ("7d", "1d", 0, {})
    everything = make_plan(["all"], ["default"], floors=True)
    assert [name for name, _ in everything.systems] == system_names()


def test_settings_are_for_scstory_and_overrides_go_before_them():
    plan = make_plan(
        ["scstory", "tfidf"],
        ["default"],
        settings={"delta": 0.5, "window": "3d", "seed": 4},
        overrides={"delta": "0.7", "max_sentences": "80"},
    )
    assert plan.parameters == {"scstory": {"delta": 0.7, "max_sentences": 80}}
    assert (plan.window, plan.seed, plan.max_sentences) == ("3d", 4, 80)


def test_overrides_are_for_the_only_system_named():
    plan = make_plan(
        ["ustory"],
        ["default"],
        settings={"delta": 0.5, "slide": "12h"},
        overrides={"seed_size": "4"},
    )
    assert plan.parameters == {"ustory": {"seed_size": 4}}
    assert (plan.slide, plan.max_sentences) == ("12h", 50)
    plan = make_plan(["hrstory"], ["default"], overrides={"review_passes": "2", "seed": "1"})
    assert (plan.parameters, plan.seed) == ({"hrstory": {"review_passes": 2}}, 1)
    with pytest.raises(ConfigError, match="--set threshold: there are 2 systems; name only"):
        make_plan(["tfidf", "mean"], ["default"], overrides={"threshold": "0.4"})


def test_every_preset_must_have_what_is_set():
    with pytest.raises(ConfigError, match="parameter 'second_look': no such parameter"):
        make_plan(["scstory"], ["default", "paper"], overrides={"second_look": "0"})


@pytest.mark.parametrize(
    ("system", "given", "message"),
    [
        ("tfidf", {"threshold": "much"}, "threshold of 'much': must be a number"),
        ("tfidf", {"threshold": "nan"}, "threshold of nan: must be a number from 0 to 1"),
        ("mean", {"threshold": "-1"}, "threshold of -1.0: must be a number from 0 to 1"),
        ("ustory", {"seed_size": "0"}, "seed_size of 0: must be a number of 1 or more"),
        ("newslens", {"k": "2.5"}, "k of '2.5': must be a whole number"),
        ("newslens+pse", {"k": "2"}, "parameter 'k' of newslens\\+pse: there are edge, T"),
        ("constream", {"r": "inf"}, "r of inf: must be finite"),
        ("batclus", {"tau": "13"}, "tau of 13.0: must be a number from 0 to 12"),
        ("tfidf-time", {"sigma": "0"}, "sigma of 0.0: must be a number of 0.01 or more"),
        ("one", {"k": "2"}, "parameter 'k' of one: there are none"),
        ("hrstory", {"delta": "2"}, "delta of 2.0: must be between -1 and 1"),
    ],
)
def test_wrong_parameters(system, given, message):
    with pytest.raises(ConfigError, match=message):
        check_parameters(system, given)
