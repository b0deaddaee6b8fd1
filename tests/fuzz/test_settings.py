"""Settings from files, the environment and flags: usable, or refused on one line."""

import os
import tempfile
from contextlib import suppress
from unittest.mock import patch

from hypothesis import strategies as st

from scstory.cli.options import parse_overrides
from scstory.config import FeedSettings, Settings, load_settings, parse_duration
from scstory.discovery.presets import PRESETS, make_settings
from scstory.errors import ConfigError
from tests.fuzz.inputs import anything, damaged, file_of, fuzz, json_values, only, texts

TOML = b"""db = "news.db"
preset = "default"
threads = 2
allow_hosts = ["a.example"]
[discovery]
window = "7d"
delta = 0.55
timing = true
[feeds]
min_interval = "5m"
timeout = 30
allow_private = false
"""
NAMES = [
    *(f"SCSTORY_{name.upper()}" for name in Settings.model_fields),
    *(f"SCSTORY_FEEDS__{name.upper()}" for name in FeedSettings.model_fields),
    "SCSTORY_DISCOVERY__DELTA",
    "SCSTORY_CONFIG",
    "SCSTORY_",
    "SCSTORY_FEEDS__",
    "SCSTORY_FEEDS__TIMEOUT__X",
    "scstory_nonsense",
]
VALUES = ["", "0", "-1", "true", "{}", "[]", '{"a": 1}', '{"delta": {}}', "nan", "1e400", "7d", "é"]
PARAMETERS = [
    *sorted({name for preset in PRESETS.values() for name in preset.to_dict()}),
    "nonsense",
    "",
]

values = st.sampled_from(VALUES) | texts.filter(lambda text: "\0" not in text)


@fuzz(damaged(TOML))
def test_any_file(body):
    with file_of("scstory.toml", body) as path, only(ConfigError):
        settings = load_settings(config=str(path))
        assert settings.feeds.intervals
        make_settings(settings.preset or "default", settings.discovery)


@fuzz(st.dictionaries(st.sampled_from(NAMES), values, max_size=3))
def test_any_variable(environment):
    with patch.dict(os.environ, environment, clear=True), tempfile.TemporaryDirectory() as folder:
        before = os.getcwd()
        os.chdir(folder)
        try:
            with only(ConfigError):
                settings = load_settings()
                make_settings(settings.preset or "default", settings.discovery)
        finally:
            os.chdir(before)


@fuzz(
    st.sampled_from(list(PRESETS)),
    st.dictionaries(st.sampled_from(PARAMETERS), json_values | st.sampled_from(VALUES), max_size=3),
)
def test_any_parameter(preset, overrides):
    with only(ConfigError):
        parameters = make_settings(preset, overrides)
        assert type(parameters).from_dict(parameters.to_dict()) == parameters
        assert parameters.window_length >= parameters.slide_length


@fuzz(
    st.lists(
        st.sampled_from(PARAMETERS).flatmap(lambda n: anything.map(f"{n}=".__add__)) | anything
    )
)
def test_any_flag(pairs):
    with suppress(ConfigError):
        make_settings("default", parse_overrides(pairs))


@fuzz(anything | st.from_regex(r"[\d.]{1,30}[smhdw]"))
def test_any_duration(value):
    with only(ConfigError):
        assert parse_duration(value).total_seconds() >= 0
