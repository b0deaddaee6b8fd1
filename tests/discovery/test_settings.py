"""Settings: checked, with the value, the range and the way out; each can be changed and saved."""

import ast
import inspect
import json
from dataclasses import MISSING, FrozenInstanceError, fields
from datetime import timedelta
from typing import Literal, get_args, get_origin, get_type_hints

import pytest

from scstory.baselines.hrstory import HrStorySettings
from scstory.discovery import make_settings
from scstory.discovery.calibrated.names import DENSE, FEATURES, RELATIONS, SOUNDS
from scstory.discovery.calibrated.settings import CalibratedSettings
from scstory.discovery.paper.settings import PaperSettings
from scstory.discovery.settings import LearningSettings, MethodSettings
from scstory.errors import ConfigError, StoreError
from tests.conftest import make_article

KINDS = [MethodSettings, LearningSettings, PaperSettings, CalibratedSettings, HrStorySettings]
EVERY = [(kind, field) for kind in KINDS for field in fields(kind)]
NAMES = [f"{kind.__name__}.{field.name}" for kind, field in EVERY]

OTHERS = {
    "features": "names, learned",
    "assumed": ", ".join(f"{name} .5 .2 .1" for name in FEATURES),
    "assumed_across": ", ".join(f"{name} .5 .2 .1" for name in (*DENSE, SOUNDS)),
    "relations": ", ".join(f"{name} 0.5" for name in (*RELATIONS, "constant")),
    "gap_edges": "0.1, 1, 2, 3, 4, 5, 6, 6.5, 7",
    "gap_leaving": 7,
    "scales": "0.5, 1",
    "window": "9d",
    "slide": "6h",
    "memory": "14d",
    "pretrained": "m.npz",
    "resume": "12h",
    "resume_soon": "9d",
}
"""Another value for what is text, or must go with others."""


def another(kind, field):
    """Return another value that a field may have."""
    hint = get_type_hints(kind)[field.name]
    if get_origin(hint) is Literal:
        return next(value for value in get_args(hint) if value != field.default)
    if hint is bool:
        return not field.default
    if field.name in OTHERS:
        return OTHERS[field.name]
    low, high = field.metadata["range"]
    middle = hint(low + (min(high, max(10 * field.default, low + 1)) - low) * 0.37)
    return middle if middle != field.default else hint(middle + 1)


@pytest.mark.parametrize(("kind", "field"), EVERY, ids=NAMES)
class TestEverySetting:
    def test_it_can_be_changed_from_text_and_survives_a_checkpoint(self, kind, field):
        value = another(kind, field)
        made = kind().with_changes({field.name: str(value)})
        assert getattr(made, field.name) == value != field.default
        assert type(getattr(made, field.name)) is type(field.default)
        assert kind.from_dict(made.to_dict()) == made != kind()
        rest = {name: v for name, v in made.to_dict().items() if name != field.name}
        assert rest == {name: v for name, v in kind().to_dict().items() if name != field.name}

    def test_it_has_a_default_and_a_range_or_a_choice(self, kind, field):
        hint = get_type_hints(kind)[field.name]
        assert field.default is not MISSING
        if hint in (int, float):
            low, high = field.metadata["range"]
            assert low <= field.default <= high

    def test_what_is_out_of_range_is_refused(self, kind, field):
        if "range" not in field.metadata:
            return
        low, high = field.metadata["range"]
        hint = get_type_hints(kind)[field.name]
        step = 1 if hint is int else max(abs(low), abs(high), 1)
        for value in (low - step, high + step, *([float("nan")] if hint is float else [])):
            with pytest.raises(ConfigError, match=f"{field.name} of .*: must be "):
                kind().with_changes({field.name: hint(value)})
            if value == value:  # a whole number cannot be NaN
                with pytest.raises(StoreError, match=f"damaged .{field.name} of"):
                    kind.from_dict({field.name: hint(value)})

    def test_what_is_of_another_kind_is_refused(self, kind, field):
        hint = get_type_hints(kind)[field.name]
        nonsense = "¿?" if hint is not str else True
        with pytest.raises(ConfigError, match=field.name):
            kind().with_changes({field.name: nonsense})

    def test_it_is_documented(self, kind, field):
        owner = next(k for k in kind.__mro__ if field.name in inspect.get_annotations(k))
        body = ast.parse(inspect.getsource(owner)).body[0].body
        place = next(
            n
            for n, node in enumerate(body)
            if isinstance(node, ast.AnnAssign) and node.target.id == field.name
        )
        said = body[place + 1]
        assert isinstance(said, ast.Expr), f"{owner.__name__}.{field.name} has no docstring"
        assert said.value.value.endswith(".")


@pytest.mark.parametrize("kind", KINDS)
def test_settings_are_frozen_and_hold_what_a_checkpoint_can(kind):
    made = kind()
    with pytest.raises(FrozenInstanceError):
        made.window = "1d"
    assert kind.from_dict(json.loads(json.dumps(made.to_dict()))) == made == made.checked()


BAD = [
    ("paper", {"delta": 1.5}, r"delta of 1.5: must be between -1 and 1"),
    ("paper", {"delta": "much"}, "delta of 'much': must be a number"),
    ("paper", {"delta": True}, "delta of True: must be a number"),
    ("paper", {"delta": "true"}, "delta of 'true': must be a number"),
    ("paper", {"batch_size": True}, "batch_size of True: must be a whole number"),
    ("paper", {"window": True}, "window of True: must be text"),
    ("paper", {"delta": float("nan")}, "delta of nan"),
    ("paper", {"batch_size": 1.5}, "batch_size of 1.5: must be a whole number"),
    ("paper", {"window": "0d"}, r"window of 0d: must be at least as long as the slide \(1d\)"),
    ("paper", {"window": "soon"}, "window 'soon': write a number and one of"),
    ("paper", {"window": ""}, "window '': write a number and one of"),
    ("paper", {"memory": "soon"}, "memory 'soon': write a number and one of"),
    ("paper", {"slide": "0s"}, "slide of 0s: must be at least 1s"),
    ("paper", {"replay": "old"}, "replay of 'old': there are confidence, new"),
    ("paper", {"learned": "maybe"}, "learned of 'maybe': must be true or false"),
    ("paper", {"detla": 1}, "parameter 'detla': no such parameter; is delta meant?"),
    ("paper", {"q": 1}, "parameter 'q': no such parameter; there are augmentation, batch_size"),
    ("default", {"delta": 1.0}, "delta of 1.0: must be between 0 and 1, both excluded"),
    ("default", {"delta": 0}, "delta of 0.0: must be between 0 and 1, both excluded"),
    ("default", {"features": "learned, smell"}, "features of 'learned, smell': there are learned"),
    ("default", {"features": "terms"}, "features of 'terms': 'learned' must be among them"),
    ("default", {"features": ""}, "features of '': there are learned"),
    ("default", {"resume": "soon"}, "resume 'soon': write a number and one of"),
    ("default", {"assumed": "learned .7 .2"}, "assumed of 'learned .7 .2': give each feature's"),
    ("default", {"assumed": "learned a b c"}, "assumed of 'learned a b c': give each feature's"),
    ("default", {"assumed": "learned .7 .2 .1"}, "assumed of .*: give each feature's"),
    ("default", {"assumed_across": "x"}, "assumed_across of 'x': give each feature's"),
    (
        "default",
        {"assumed_across": "learned .5 .2 .1"},
        "assumed_across of .*: give each feature's",
    ),
    ("default", {"assumed": ""}, "assumed of '': give each feature's"),
    ("default", {"features": "learned", "assumed": "learned .7 .2 0"}, "a positive deviation"),
    ("default", {"features": "learned", "assumed": "learned .7 .2 nan"}, "a positive deviation"),
    ("default", {"features": "learned", "assumed": "learned nan .2 .1"}, "assumed of"),
    (
        "default",
        {"gap_edges": "1, 3, 2"},
        "gap_edges of '1, 3, 2': give ascending",
    ),
    ("default", {"gap_edges": "1, x"}, "gap_edges of '1, x': give ascending"),
    (
        "default",
        {"gap_edges": "1, nan, 9"},
        "gap_edges of '1, nan, 9': give ascending",
    ),
    ("default", {"scales": "1, x"}, "scales of '1, x': give positive numbers"),
    ("default", {"scales": "1, 0"}, "scales of '1, 0': give positive numbers"),
    ("default", {"scales": "1, nan"}, "scales of '1, nan': give positive numbers"),
    ("default", {"scales": ""}, "scales of '': give positive numbers"),
    ("default", {"gap_edges": ""}, "gap_edges of '': give ascending"),
    ("default", {"gap_edges": "1, 2"}, r"set gap_leaving \(8\) to one of their bins"),
    ("default", {"gap_leaving": 10}, r"set gap_leaving \(10\) to one of their bins"),
]


@pytest.mark.parametrize(("preset", "changes", "message"), BAD)
def test_bad_values_are_refused(preset, changes, message):
    with pytest.raises(ConfigError, match=message):
        make_settings(preset, changes)


def test_values_from_text_take_the_settings_type():
    made = make_settings("paper", {"delta": "0.4", "batch_size": "64", "learned": "no"})
    assert (made.delta, made.batch_size, made.learned) == (0.4, 64, False)
    assert make_settings("paper", {"epochs": 2.0}).epochs == 2


@pytest.mark.parametrize(("text", "value"), [("YES", True), ("on", True), ("0", False)])
def test_yes_and_no(text, value):
    assert make_settings("default", {"timing": text}).timing is value


def test_features_may_be_given_in_any_order_and_are_kept_in_one():
    made = make_settings("default", {"features": "names,learned , headline"})
    assert made.compared == ("learned", "headline", "names")
    assert make_settings("default").compared == FEATURES


def test_what_is_assumed_of_a_feature_is_read_from_text():
    made = make_settings("default", {"features": "learned", "assumed": "learned .7 .2 .1"})
    assert made.assumptions == {"learned": (0.7, 0.2, 0.1)}


def test_gaps_are_measured_by_the_window():
    made = make_settings("default", {"gap_edges": "1, 7", "gap_leaving": 2, "window": "14d"})
    assert made.edges == (2 * 86_400, 14 * 86_400)


def test_durations_that_depend_on_others():
    assert make_settings("default", {"resume": ""}).resume_length == timedelta(0)
    assert make_settings("default", {"resume": "12h"}).resume_length == timedelta(hours=12)
    assert make_settings("paper", {"window": "3d"}).memory_length == timedelta(days=3)
    assert make_settings("paper", {"memory": "3d"}).memory_length == timedelta(days=3)


def test_an_article_is_read_as_the_settings_say():
    article = make_article(0, "flood", sentences=9)
    made = make_settings("default", {"max_sentences": 3, "lede_sentences": 1})
    assert len(made.read(article).sentences) == 3
    default = make_settings("default", {"max_sentences": 3})
    assert made.read(article).counts.sum() < default.read(article).counts.sum()


def test_a_checkpoint_that_lacks_a_setting_has_its_default():
    assert PaperSettings.from_dict({"delta": 0.4}) == PaperSettings(delta=0.4)


@pytest.mark.parametrize(
    "values", [{"from_the_future": 1}, {"delta": "much"}, {"window": 7}, {"delta": None}]
)
def test_a_damaged_checkpoint_is_refused(values):
    with pytest.raises(StoreError, match=r"saved parameters: damaged \(.*\); restore a backup"):
        PaperSettings.from_dict(values)
