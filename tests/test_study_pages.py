"""The documentation's tables and pictures of studies, put there from a folder of studies."""

import json
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from scstory.evaluation.studies import STUDIES
from scstory.evaluation.studies.output import Outcome, Table, write_outcome
from tests.cli.conftest import call
from tests.conftest import make_stream

ROOT = Path(__file__).parent.parent
TOOL = runpy.run_path(str(ROOT / "tools" / "study_pages.py"))
SCORES = ("b3_f1", "b3_f1_sd", "stream_b3_f1", "seeds")
OVERALL = ("system", "preset", "tuned", "parameters", *SCORES)


def outcome(header, *records):
    return Outcome(
        "A study",
        Table(("system", "B³-F1"), [[r[0], r[-4]] for r in records]),
        lambda figure: figure.subplots().plot([0, 1]),
        (2, 2),
        ["A note."],
        body="## A part\n\nMore.",
        records=Table(header, records),
    )


@pytest.fixture(scope="module")
def studies(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made") / "studies"
    made = {
        ("one", "overall"): outcome(
            OVERALL,
            ("scstory", "default", "no", "", 0.91234, 0.002, 0.9, 3),
            ("tfidf", None, "no", "", 0.8, 0.0, 0.7, 1),
            ("tfidf", None, "windowed", "threshold=0.1", 0.95, 0.0, 0.9, 1),
            ("tfidf", None, "stream", "threshold=0.2", 0.94, 0.0, 0.92, 1),
            ("densps", None, "no", "memory=365d", 0.5, 0.0, 0.4, 1),
        ),
        ("two", "overall"): outcome(OVERALL, ("scstory", "default", "no", "", 0.5, 0.01, 0.4, 3)),
        ("one-default", "ablation"): outcome(
            ("variant", *SCORES), ("SCStory (default)", 0.9, 0.0, 0.8, 1)
        ),
        ("one", "noise"): outcome(
            ("system", "preset", "foreign_share", *SCORES, "weights_auc"),
            ("scstory", "default", 0.0, 0.9, 0.0, 0.8, 1, None),
            ("scstory", "default", 0.5, 0.7, 0.0, 0.6, 1, 0.91),
            ("tfidf", None, 0.5, 0.3, 0.0, 0.2, 1, None),
        ),
    }
    for (stream, study), found in made.items():
        write_outcome(
            found,
            folder / stream,
            study,
            command="scstory study x",
            about="Data.",
            made_with=f"Made with that: one machine{'; another one' if study == 'noise' else ''}.",
        )
    return folder


def filled(studies, tmp_path, *names):
    docs = tmp_path / "docs"
    docs.mkdir(exist_ok=True)
    marks = [f"<!-- study: {name} -->\nold | {name}\n<!-- end of study -->" for name in names]
    (docs / "page.md").write_text("\n\n".join(["# Page", *marks, "By hand."]) + "\n", "utf-8")
    TOOL["main"](str(studies), docs=str(docs))
    return (docs / "page.md").read_text("utf-8")


def test_marked_parts_are_replaced_and_the_rest_is_left(studies, tmp_path):
    text = filled(studies, tmp_path, "one/overall, 3 seeds", "summary of one, 3 seeds", "made with")
    assert "old" not in text
    assert text.startswith("# Page\n\n<!-- study: one/overall, 3 seeds -->\nData.\n")
    assert text.endswith("By hand.\n")
    assert "\n#### A part\n" in text  # below the heading of the page's own part
    assert "# A study" not in text
    assert "![A study](pictures/one-overall.png)" in text
    assert (tmp_path / "docs/pictures/one-overall.png").read_bytes().startswith(b"\x89PNG")
    assert text.count("Made with that") == 1
    assert "\nMade with that: one machine; another one.\n" in text


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        (
            "summary of one two",
            [
                "| system | one | two |",
                "|---|---:|---:|",
                "| scstory (default) | 0.912 ± 0.002 / 0.900 | 0.500 ± 0.010 / 0.400 |",
                "| tfidf | 0.800 / 0.700 | not run |",
            ],
        ),
        ("tuned of one", ["| tfidf | 0.950 / 0.900 (threshold=0.1) |"]),
        ("parts of one", ["| SCStory (default) | 0.900 / 0.800 |"]),
        (
            "untidy of one",
            [
                "| one | default | 0 | 0.900 / 0.800 |  |",
                "| one | default | 0.5 | 0.700 / 0.600 | 0.910 |",
            ],
        ),
    ],
)
def test_tables_of_several_streams(studies, tmp_path, name, lines):
    text = filled(studies, tmp_path, f"{name}, 3 seeds")
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert table[-len(lines) :] == lines


def test_filling_twice_changes_nothing(studies, tmp_path):
    first = filled(studies, tmp_path, "one/overall, 3 seeds", "tuned of one, 3 seeds")
    page = tmp_path / "docs" / "page.md"
    before = page.stat().st_mtime_ns
    TOOL["main"](str(studies), docs=str(tmp_path / "docs"))
    assert page.read_text("utf-8") == first
    assert page.stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("three/overall, 1 seed", r"three/overall.md is not there: run the study overall of three"),
        ("one/overall", "study: one/overall: write STREAM/STUDY, N seeds; or one of summary, "),
        ("sums of one, 1 seed", "study: sums of one, 1 seed: write "),
    ],
)
def test_a_study_that_was_not_made_is_named(studies, tmp_path, name, message):
    with pytest.raises(TOOL["NotThere"], match=message):
        filled(studies, tmp_path, name)


def run_here(monkeypatch):
    """Have commands run in this process: starting it and workers would take most of the time."""

    def run(command, stdout):
        assert (command[:3], stdout) == ([sys.executable, "-m", "scstory"], subprocess.DEVNULL)
        return subprocess.CompletedProcess(command, call(monkeypatch, *command[3:]))

    monkeypatch.setattr("os.cpu_count", lambda: 1)
    monkeypatch.setattr(subprocess, "run", run)


def test_the_studies_that_a_page_shows_are_made(tmp_path, monkeypatch):
    monkeypatch.setenv("SCSTORY_CACHE", str(tmp_path / "cache"))
    run_here(monkeypatch)
    records = [
        {"id": a.id, "date": a.published.isoformat(), "text": a.text, "story": a.id.split("-")[0]}
        for a in make_stream(3)
    ]
    data = tmp_path / "small.jsonl"
    data.write_text("\n".join(map(json.dumps, records)))
    docs = tmp_path / "docs"
    docs.mkdir()
    mark = "small/ablation, 2 seeds, preset default"
    page = f"<!-- study: {mark} -->\n<!-- end of study -->\n"
    (docs / "page.md").write_text(page, "utf-8")
    with pytest.raises(TOOL["NotThere"], match="small: the pages show this stream; name its file"):
        TOOL["main"](str(tmp_path / "made"), "other.jsonl.gz", docs=str(docs))
    TOOL["main"](str(tmp_path / "made"), str(data), docs=str(docs))
    text = (docs / "page.md").read_text("utf-8")
    assert "| SCStory (default) |" in text
    assert "--out " in text
    assert "--preset default --seeds 2" in text
    assert "Mean of 2 seeds" in text


def test_a_study_is_shown_with_one_number_of_seeds(tmp_path):
    marks = ("one/overall, 3 seeds", "summary of one two, 5 seeds")
    text = "".join(f"<!-- study: {mark} -->\n<!-- end of study -->\n" for mark in marks)
    (tmp_path / "page.md").write_text(text, "utf-8")
    with pytest.raises(TOOL["NotThere"], match="one/overall: shown with different seeds"):
        TOOL["marks"](tmp_path)


def test_the_marks_of_the_documentation_name_studies():
    found = TOOL["marks"](ROOT / "docs")
    assert {"emergent", "gva", "allsides", "articles"} == {mark.stream for mark in found}
    assert {mark.study for mark in found} <= STUDIES.keys()
