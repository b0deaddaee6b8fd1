"""A file of settings to start from: complete, valid, and true to the defaults."""

import re
import tomllib
from dataclasses import fields

import pytest

from scstory.cli.settings_file import FREQUENT, documentation, settings_file
from scstory.config import FeedSettings, RewriteSettings, Settings, load_settings
from scstory.discovery.presets import PRESETS, make_settings


def uncommented(text):
    """Return the file with every setting in effect, read as TOML."""
    return tomllib.loads(re.sub(r"^# (\w+ = )", r"\1", text, flags=re.MULTILINE))


def test_the_file_is_written_and_names_the_next_command(scstory, tmp_path):
    outcome = scstory("init")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith("scstory.toml is written")
    assert "Next: scstory run FILE.jsonl\n" in outcome.out
    assert (tmp_path / "scstory.toml").read_text("utf-8") == settings_file()
    assert scstory("feeds", "add", "https://news.example/feed.xml", "--unchecked").code == 0


def test_a_file_elsewhere_is_named_in_the_next_command(scstory, tmp_path):
    (tmp_path / "desk").mkdir()
    outcome = scstory("init", "desk")
    assert outcome.out.endswith(" run FILE.jsonl --config desk/scstory.toml\n")
    assert (tmp_path / "desk" / "scstory.toml").is_file()


def test_nothing_is_overwritten(scstory, tmp_path):
    (tmp_path / "scstory.toml").write_text('db = "mine.db"\n')
    outcome = scstory("init")
    assert outcome.code == 2
    assert outcome.err == (
        "scstory: scstory.toml: exists and is not overwritten; name another file, or remove it "
        "first\n"
    )
    assert (tmp_path / "scstory.toml").read_text() == 'db = "mine.db"\n'


def test_a_folder_that_is_not_there_is_a_clear_error(scstory):
    outcome = scstory("init", "missing/scstory.toml")
    assert outcome.code == 2
    assert (
        outcome.err
        == "scstory: missing/scstory.toml: cannot be written (No such file or directory)\n"
    )


def test_as_written_nothing_is_set():
    assert tomllib.loads(settings_file()) == {"discovery": {}, "feeds": {}, "rewrite": {}}


@pytest.mark.parametrize("preset", PRESETS)
def test_with_every_line_in_effect_nothing_changes(tmp_path, preset):
    text = settings_file(preset, every=True)
    given = uncommented(text)
    assert set(given["discovery"]) == {field.name for field in fields(PRESETS[preset])}
    assert set(given["feeds"]) == set(FeedSettings.model_fields)
    assert set(given) == set(Settings.model_fields)
    examples = {
        n: given.pop(n) for n in ("preset", "encoder", "device", "threads", "token", "language")
    }
    assert examples["preset"] == preset
    assert given["feeds"].pop("proxy").startswith("http://")
    assert set(given["rewrite"]) == set(RewriteSettings.model_fields)
    file = tmp_path / "s.toml"
    file.write_text(
        re.sub(
            r"^# ((?!proxy|token|threads|language|url|model|key)\w+ = )",
            r"\1",
            text,
            flags=re.MULTILINE,
        )
    )
    settings, plain = load_settings(config=str(file)), load_settings()
    assert settings.feeds == plain.feeds
    for name in set(Settings.model_fields) - set(examples) - {"discovery"}:
        assert getattr(settings, name) == getattr(plain, name), name
    assert make_settings(settings.preset, settings.discovery) == PRESETS[preset]


def test_a_preset_that_is_chosen_is_in_effect(scstory, tmp_path):
    assert scstory("init", "--preset", "paper").code == 0
    assert load_settings(config=str(tmp_path / "scstory.toml")).preset == "paper"
    assert "no such" not in scstory("init", "x.toml", "--preset", "nonsense").out
    assert not (tmp_path / "x.toml").exists()


def test_the_short_file_has_the_parameters_that_users_change():
    assert set(uncommented(settings_file())["discovery"]) == set(FREQUENT)


@pytest.mark.parametrize(
    "kind", [*map(type, PRESETS.values()), Settings, FeedSettings, RewriteSettings]
)
def test_every_setting_says_what_it_means_in_sentences(kind):
    names = kind.model_fields if hasattr(kind, "model_fields") else [f.name for f in fields(kind)]
    about = documentation(kind)
    assert set(about) == set(names)
    assert all(text.endswith(".") for text in about.values())
