"""``scstory encoder``: M of one database as the start of another."""

import json

import pytest

FAST = ("--encoder", "hashing:64")
PAPER = ("--preset", "paper", "--set", "warm_epochs=1", "--set", "window=3d")


@pytest.fixture
def saved(scstory, articles):
    """Run the sample with the preset paper and save its M."""
    assert scstory("run", articles, *PAPER, *FAST).code == 0
    outcome = scstory("encoder", "m.npz")
    assert outcome.code == 0
    assert outcome.out == (
        "m.npz: start another stream from it with --preset paper --set pretrained=m.npz "
        "--encoder hashing:64\n"
    )


def test_another_database_starts_from_it(scstory, articles, saved, tmp_path):
    start = ("run", articles, "--db", "other.db", *PAPER, *FAST, "--set", "pretrained=m.npz")
    outcome = scstory(*start, "--json")
    assert outcome.code == 0
    assert len([json.loads(line) for line in outcome.out.splitlines()]) >= 40
    (tmp_path / "m.npz").unlink()
    assert scstory(*start).code == 0  # the database holds M: the file is needed once
    outcome = scstory("run", articles, "--db", "third.db", *PAPER, *FAST, *start[-2:])
    assert outcome.code == 2
    assert "pretrained m.npz: cannot be read (No such file or directory)" in outcome.err


def test_an_evaluation_starts_from_it(scstory, saved, labelled):
    path = labelled()
    options = ("--json", "--threads", "1", *PAPER, *FAST)

    def row(*more):
        return json.loads(scstory("evaluate", path, *options, *more).out)

    assert row("--set", "pretrained=m.npz")["parameters"]["pretrained"] == "m.npz"
    outcome = scstory("evaluate", path, *options, "--set", "pretrained=m.npz", "--set", "heads=2")
    assert outcome.code == 2
    assert outcome.err.endswith("heads of 2: pretrained m.npz has 4; set heads=4\n")


def test_what_cannot_be_saved_is_told(scstory, articles, saved):
    outcome = scstory("encoder", "m.npz")
    assert outcome.code == 2
    assert "m.npz: exists already; name a new file" in outcome.err
    assert scstory("run", articles, "--db", "default.db", *FAST).code == 0
    outcome = scstory("encoder", "other.npz", "--db", "default.db")
    assert outcome.code == 2
    assert "method calibrated: only the preset paper" in outcome.err
    outcome = scstory("encoder", "other.npz", "--db", "none.db")
    assert outcome.code == 2
    assert "none.db" in outcome.err
