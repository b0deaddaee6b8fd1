"""Parameters: checked, with the value, the range and the way out."""

from datetime import timedelta

import pytest

from scstory.discovery.presets import PRESETS, from_dict, make_parameters, to_dict
from scstory.discovery.views import VIEWS
from scstory.errors import ConfigError


def test_the_paper_preset_is_the_papers():
    paper = make_parameters("paper")
    assert (paper.window, paper.slide, paper.max_sentences) == ("7d", "1d", 50)
    assert (paper.delta, paper.temperature, paper.learning_rate) == (0.5, 0.2, 1e-5)
    assert (paper.heads, paper.batch, paper.batches, paper.epochs) == (4, 128, 0, 1)
    assert (paper.start, paper.cold_start, paper.views) == ("random", "kmeans", "learned")
    assert not paper.centring
    assert not paper.calibrated
    assert paper.resume == ""


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"delta": 1.5}, r"delta of 1.5: must be between -1 and 1"),
        ({"delta": "much"}, "delta of 'much': must be a number"),
        ({"delta": True}, "delta of True: must be a number"),
        ({"delta": "true"}, "delta of 'true': must be a number"),
        ({"batch": True}, "batch of True: must be a whole number"),
        ({"window": True}, "window of True: must be text"),
        ({"delta": float("nan")}, "delta of nan"),
        ({"batch": 1.5}, "batch of 1.5: must be a whole number"),
        ({"window": "0d"}, r"window of 0d: must be at least as long as the slide \(1d\)"),
        ({"window": "soon"}, "window 'soon': write a number and one of"),
        ({"slide": "0s"}, "slide of 0s: must be at least 1s"),
        ({"start": "warm"}, "start of 'warm': there are random, identity"),
        ({"centring": "maybe"}, "centring of 'maybe': must be true or false"),
        ({"resume": "30d"}, "set calibrated to true"),
        ({"views": "learned, terms"}, "set calibrated to true"),
        ({"views": "learned, smell"}, "views of 'learned, smell': there are learned, headline"),
        ({"calibrated": True}, "cold_start of 'kmeans': must be none where"),
        ({"calibrated": True, "delta": 1.0}, "delta is a probability"),
        ({"calibrated": True, "views": "terms"}, "'learned' one of the views"),
        ({"detla": 1}, "parameter 'detla': no such parameter; is delta meant?"),
        ({"q": 1}, "parameter 'q': no such parameter; there are attention_width, augmentation"),
    ],
)
def test_bad_values_are_refused(overrides, message):
    with pytest.raises(ConfigError, match=message):
        make_parameters("paper", overrides)


def test_unknown_preset():
    with pytest.raises(ConfigError, match="preset 'best': there are paper, default"):
        make_parameters("best")


def test_values_from_text_take_the_parameters_type():
    made = make_parameters("paper", {"delta": "0.4", "batch": "64", "centring": "yes"})
    assert (made.delta, made.batch, made.centring) == (0.4, 64, True)


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_valid_and_survive_a_checkpoint(name):
    assert from_dict(to_dict(PRESETS[name].checked())) == PRESETS[name]


def test_views_may_be_given_in_any_order_and_are_kept_in_one():
    made = make_parameters("default", {"views": "names,learned , headline"})
    assert made.compared == ("learned", "headline", "names")
    assert make_parameters("default").compared == VIEWS


def test_durations_that_depend_on_others():
    assert make_parameters("paper").resume_length == timedelta(0)
    assert make_parameters("default", {"resume": "12h"}).resume_length == timedelta(hours=12)
    assert make_parameters("paper", {"window": "3d"}).memory_length == timedelta(days=3)


def test_a_checkpoint_may_know_more_or_less():
    assert from_dict({"delta": 0.4, "from_the_future": 1}).delta == 0.4
