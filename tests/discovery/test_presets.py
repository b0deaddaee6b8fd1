"""Presets by name, and the engines made of them."""

import subprocess
import sys

import pytest

from scstory.discovery import PRESETS, make_engine, make_settings
from scstory.discovery.calibrated.method import CalibratedMethod
from scstory.discovery.calibrated.settings import CalibratedSettings
from scstory.discovery.paper.method import PaperMethod
from scstory.discovery.paper.settings import PaperSettings
from scstory.discovery.presets import METHODS, saved_settings
from scstory.discovery.settings import MethodSettings
from scstory.discovery.state import FORMAT
from scstory.errors import ConfigError, StoreError
from scstory.vectors.hashing import HashingEncoder


def test_the_paper_preset_is_the_papers():
    paper = make_settings("paper")
    assert (paper.window, paper.slide, paper.max_sentences) == ("7d", "1d", 50)
    assert (paper.delta, paper.temperature, paper.learning_rate) == (0.5, 0.2, 1e-5)
    assert (paper.heads, paper.batch_size, paper.epochs) == (4, 128, 1)
    assert (paper.replay, paper.augmentation, paper.update) == ("confidence", "attention", "always")
    assert (paper.update_share, paper.learned, paper.memory) == (1.0, True, "")


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_valid_and_survive_a_checkpoint(name):
    engine = make_engine(make_settings(name, {"delta": 0.55}), HashingEncoder(dim=16))
    assert saved_settings(engine.state().meta) == engine.settings != PRESETS[name]


@pytest.mark.parametrize(
    ("name", "method", "settings"),
    [("paper", PaperMethod, PaperSettings), ("default", CalibratedMethod, CalibratedSettings)],
)
def test_a_preset_is_of_its_method(name, method, settings):
    engine = make_engine(PRESETS[name], HashingEncoder(dim=16))
    assert type(engine.method) is method
    assert METHODS[method.name] is type(PRESETS[name]) is settings


def test_unknown_preset():
    with pytest.raises(ConfigError, match="preset 'best': there are paper, default"):
        make_settings("best")


def test_settings_without_a_method():
    with pytest.raises(ConfigError, match="settings of MethodSettings: no method takes them"):
        make_engine(MethodSettings(), HashingEncoder(dim=16))


@pytest.mark.parametrize("found", [{}, {"method": "hrstory"}, {"method": 5}])
def test_saved_settings_of_no_method(found):
    with pytest.raises(StoreError, match="saved state of method .*: there are paper, calibrated"):
        saved_settings({"format": FORMAT, **found})


def test_a_preset_has_no_setting_that_only_the_other_uses():
    with pytest.raises(ConfigError, match="parameter 'refresh': no such parameter"):
        make_settings("paper", {"refresh": 3})
    with pytest.raises(ConfigError, match="parameter 'warm_epochs': no such parameter"):
        make_settings("default", {"warm_epochs": 3})


def test_settings_do_not_wait_for_torch():
    code = (
        "import sys; from scstory.discovery import make_settings; make_settings('paper'); "
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
