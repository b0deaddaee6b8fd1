"""Settings: defaults < TOML < environment < flags."""

import pytest

from scstory.config import load_settings, parse_duration
from scstory.errors import ConfigError


@pytest.fixture(autouse=True)
def empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("DB", "PRESET", "CONFIG", "DISCOVERY__DELTA"):
        monkeypatch.delenv(f"SCSTORY_{name}", raising=False)
    return tmp_path


def test_each_source_goes_before_the_last(empty_folder, monkeypatch):
    assert load_settings().db == "scstory.db"
    (empty_folder / "scstory.toml").write_text(
        'db = "file.db"\n[discovery]\ndelta = 0.3\nseed = 4\n'
    )
    assert load_settings().db == "file.db"
    monkeypatch.setenv("SCSTORY_DB", "env.db")
    monkeypatch.setenv("SCSTORY_DISCOVERY__DELTA", "0.4")
    settings = load_settings()
    assert settings.db == "env.db"
    assert float(settings.discovery["delta"]) == 0.4
    assert settings.discovery["seed"] == 4
    assert load_settings(db="flag.db", preset=None).db == "flag.db"


def test_a_named_file(empty_folder, monkeypatch):
    (empty_folder / "mine.toml").write_text('preset = "paper"')
    assert load_settings(config="mine.toml").preset == "paper"
    assert load_settings().preset is None
    monkeypatch.setenv("SCSTORY_CONFIG", "mine.toml")
    assert load_settings().preset == "paper"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("threads = 0", "setting threads: .*greater than or equal to 1.*value 0"),
        ("colour = 1", "setting colour: no such setting; there are db, preset, encoder"),
        ("tread = 1", "setting tread: no such setting; did you mean threads?"),
        (
            "[feeds]\ntimeot = 1",
            "setting feeds.timeot: no such setting; did you mean feeds.timeout?",
        ),
        ("threads = true", "setting threads: .*must not be true or false.*value True"),
        ("[feeds]\ntimeout = true", "setting feeds.timeout: .*must not be true or false"),
        ("db = ", "settings in scstory.toml: Invalid value"),
        (b"db = \xff", "settings in scstory.toml: .*utf-8"),
    ],
)
def test_bad_files_are_refused_in_one_line(empty_folder, content, message):
    body = content if isinstance(content, bytes) else content.encode()
    (empty_folder / "scstory.toml").write_bytes(body)
    with pytest.raises(ConfigError, match=message):
        load_settings()


def test_lists_and_tables_are_json_in_variables(monkeypatch):
    monkeypatch.setenv("SCSTORY_ALLOW_HOSTS", '["news.example.org"]')
    monkeypatch.setenv("SCSTORY_FEEDS", '{"timeout": 5, "requests": 2}')
    monkeypatch.setenv("SCSTORY_FEEDS__TIMEOUT", "7")
    settings = load_settings()
    assert settings.allow_hosts == ["news.example.org"]
    assert (settings.feeds.timeout, settings.feeds.requests) == (7, 2)
    monkeypatch.setenv("SCSTORY_ALLOW_HOSTS", "news.example.org")
    with pytest.raises(ConfigError, match=r"^variable SCSTORY_ALLOW_HOSTS: must be JSON, as in"):
        load_settings()


def test_a_variable_of_a_table_goes_before_its_line_in_the_file(empty_folder, monkeypatch):
    (empty_folder / "scstory.toml").write_text("[feeds]\ntimeout = 3\nrequests = 2\n")
    monkeypatch.setenv("SCSTORY_FEEDS__TIMEOUT", "4")
    feeds = load_settings().feeds
    assert (feeds.timeout, feeds.requests) == (4, 2)


@pytest.mark.parametrize("value", ["1", '"x"', "[1]"])
def test_a_table_must_be_one(empty_folder, monkeypatch, value):
    (empty_folder / "scstory.toml").write_text(f"feeds = {value}")
    with pytest.raises(ConfigError, match="setting feeds: .*valid dictionary"):
        load_settings()


def test_a_named_file_must_exist():
    with pytest.raises(ConfigError, match="none.toml: no such file"):
        load_settings(config="none.toml")


@pytest.mark.parametrize("value", ["7", "d", "-1d", "1y", "", "1e9d"])
def test_durations_that_make_no_sense(value):
    with pytest.raises(ConfigError, match=r"write a number|too long"):
        parse_duration(value)
    with pytest.raises(ConfigError, match="too long"):
        parse_duration("99999999999999w")


@pytest.mark.parametrize(
    ("name", "way_out"),
    [
        ("SCSTORY_TOKN", "did you mean SCSTORY_TOKEN?"),
        ("scstory_presett", "did you mean SCSTORY_PRESET?"),
        ("SCSTORY_FEEDS_TIMEOUT", "did you mean SCSTORY_FEEDS__TIMEOUT?"),
        ("SCSTORY_DISCOVERY_DELTA", "did you mean SCSTORY_DISCOVERY__DELTA?"),
        ("SCSTORY_CASHE", "did you mean SCSTORY_CACHE?"),
        ("SCSTORY_Q", "there are SCSTORY_DB, "),
    ],
)
def test_a_misspelt_variable_is_named(monkeypatch, name, way_out):
    monkeypatch.setenv(name, "1")
    with pytest.raises(ConfigError) as error:
        load_settings()
    assert str(error.value).startswith(f"variable {name}: no such setting; {way_out}")


def test_variables_in_lower_case_and_those_of_others_are_fine(monkeypatch):
    monkeypatch.setenv("scstory_db", "lower.db")
    monkeypatch.setenv("SCSTORYBOARD", "1")
    monkeypatch.setenv("SCSTORY_CACHE", "somewhere")
    assert load_settings().db == "lower.db"
