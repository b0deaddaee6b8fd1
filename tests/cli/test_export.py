"""Export and import on the command line: a run goes on from an import as from the original."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import FAST, lines


@pytest.fixture
def half(scstory, articles):
    records = articles.read_text().splitlines(keepends=True)
    Path("half.jsonl").write_text("".join(records[: len(records) // 2]))
    assert scstory("run", "half.jsonl", *FAST).code == 0
    return articles


def test_a_run_goes_on_as_if_nothing_had_happened(scstory, half):
    assert scstory("export", "all.jsonl.gz").code == 0
    assert os.stat("all.jsonl.gz").st_mode & 0o077 == 0
    outcome = scstory("import", "all.jsonl.gz", "--db", "copy.db")
    assert (outcome.code, outcome.out) == (0, "")
    assert "20 articles of" in outcome.err
    for db in ("scstory.db", "copy.db"):
        assert scstory("run", half, *FAST, "--db", db).code == 0
    both = [scstory("stories", "--all", "--json", "--db", db) for db in ("scstory.db", "copy.db")]
    assert both[0].out == both[1].out
    assert len(lines(both[0])) > 1
    assert scstory("doctor", "--db", "copy.db").code == 0


def run(*arguments, **options):
    command = [sys.executable, "-m", "scstory", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def test_a_full_disk_is_one_line_and_leaves_no_half_file(scstory, half):
    def small():
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))

    outcome = run("export", "all.jsonl", preexec_fn=small)
    assert outcome.returncode == 1
    assert outcome.stderr.startswith("scstory: all.jsonl: ")
    assert "File too large" in outcome.stderr
    assert outcome.stderr.count("\n") == 1
    assert not [name for name in os.listdir() if name.startswith("all.jsonl")]
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "scstory", "export", "-"]
        outcome = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert outcome.returncode == 1
    assert "No space left on device" in outcome.stderr
    assert outcome.stderr.count("\n") == 1


def test_wrong_usage_is_one_line(scstory, half):
    Path("bad.gz").write_bytes(b"\x1f\x8bnot zipped")
    Path("latin.jsonl").write_bytes(b"\xe9\xff")
    Path("there.jsonl").write_text("x")
    assert scstory("export", "all.jsonl").code == 0
    for arguments, reason in (
        (("export", "there.jsonl"), "exists already"),
        (("export", "no/all.jsonl"), "folder does not exist"),
        (("export", "x.jsonl", "--db", "no.db"), "no such database"),
        (("import", "no.jsonl", "--db", "new.db"), "no such file"),
        (("import", "bad.gz", "--db", "new.db"), "cannot be read"),
        (("import", "latin.jsonl", "--db", "new.db"), "not UTF-8"),
        (("import", half, "--db", "new.db"), "scstory run"),
        (("import", "all.jsonl"), "scstory.db: is not empty"),
    ):
        outcome = scstory(*arguments)
        assert outcome.code == 2, arguments
        assert reason in outcome.err
        assert outcome.err.count("\n") == 1
        assert not list(Path().glob("new.db*"))
