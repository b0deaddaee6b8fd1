"""The demo, with the real encoder: what a newcomer sees first."""

import json
import re

import pytest

from scstory.cli.show import program

pytestmark = pytest.mark.usefixtures("known_vectors")


def test_the_demo_tells_stories_and_how_well_they_match(scstory, tmp_path):
    outcome = scstory("demo")
    assert outcome.code == 0
    assert "122 articles by 8 outlets" in outcome.out
    assert "Against the truth" in outcome.out
    f1 = float(re.search(r"B³-F1 (0\.\d+)", outcome.out)[1])
    assert f1 > 0.75
    command = re.search(r"scstory (story \d+ --db \S+)", outcome.out)[1].split()
    assert scstory(*command).code == 0
    command = re.search(r"scstory (explain \S+ --db \S+)", outcome.out)[1].split()
    assert scstory(*command).code == 0
    assert scstory("demo", "--encoder", "hashing").code == 0  # made afresh


def test_the_demo_does_not_overwrite_what_is_not_its_own(scstory, tmp_path):
    record = {"id": "mine", "date": "2026-03-02", "title": "t", "text": "Precious."}
    (tmp_path / "a.jsonl").write_text(json.dumps(record))
    scstory("run", "a.jsonl", "--db", "scstory-demo.db", "--encoder", "hashing")
    outcome = scstory("demo")
    assert outcome.code == 2
    assert "contains articles that are not the demo's" in outcome.err


@pytest.mark.parametrize(("found", "shown"), [(None, "bin/scstory"), ("/usr/bin/x", "scstory")])
def test_the_way_to_go_on_is_one_the_shell_finds(monkeypatch, found, shown):
    monkeypatch.setattr("sys.argv", ["bin/scstory", "demo"])
    monkeypatch.setattr("shutil.which", lambda name: found)
    assert program() == shown
