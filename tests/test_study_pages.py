"""The documentation's tables and pictures of studies, put there from a folder of studies."""

import runpy
from pathlib import Path

import pytest

from scstory.evaluation.studies.collection import Entry, write_index
from scstory.evaluation.studies.output import Outcome, Table, write_outcome

ROOT = Path(__file__).parent.parent
TOOL = runpy.run_path(str(ROOT / "tools" / "study_pages.py"))
RECORDS = ("system", "preset", "tuned", "parameters", "b3_f1", "b3_f1_sd", "stream_b3_f1", "seeds")


def outcome(*records):
    return Outcome(
        "A study",
        Table(("system", "B³-F1"), [[r[0], r[4]] for r in records]),
        lambda figure: figure.subplots().plot([0, 1]),
        (2, 2),
        ["A note."],
        body="## A part\n\nMore.",
        records=Table(RECORDS, records),
    )


@pytest.fixture
def studies(tmp_path):
    folder = tmp_path / "studies"
    one = outcome(
        ("scstory", "default", "no", "", 0.91234, 0.002, 0.9, 3),
        ("tfidf", None, "no", "", 0.8, 0.0, 0.7, 1),
        ("tfidf", None, "windowed", "threshold=0.1", 0.95, 0.0, 0.9, 1),
        ("densps", None, "no", "memory=365d", 0.5, 0.0, 0.4, 1),
    )
    two = outcome(("scstory", "default", "no", "", 0.5, 0.01, 0.4, 3))
    entries = []
    for stream, found in (("one", one), ("two", two)):
        write_outcome(found, folder / stream, "overall", command="scstory study x", about="Data.")
        entries.append(Entry(stream, "Data.", found, folder / stream / "overall.md"))
    machines = {"Python 3, on a machine with 16 processors": None}
    write_index(folder, entries, command="scstory study all one two", machines=machines)
    return folder


def filled(studies, tmp_path, *names):
    docs = tmp_path / "docs"
    docs.mkdir(exist_ok=True)
    marks = [f"<!-- study: {name} -->\nold | {name}\n<!-- end of study -->" for name in names]
    (docs / "page.md").write_text("\n\n".join(["# Page", *marks, "By hand."]) + "\n", "utf-8")
    TOOL["main"](str(studies), str(docs))
    return (docs / "page.md").read_text("utf-8")


def test_marked_parts_are_replaced_and_the_rest_is_left(studies, tmp_path):
    text = filled(studies, tmp_path, "one/overall", "summary", "made with")
    assert "old" not in text
    assert text.startswith("# Page\n\n<!-- study: one/overall -->\nData.\n")
    assert text.endswith("By hand.\n")
    assert "\n#### A part\n" in text  # below the heading of the page's own part
    assert "# A study" not in text
    assert "![A study](pictures/one-overall.png)" in text
    assert (tmp_path / "docs/pictures/one-overall.png").read_bytes().startswith(b"\x89PNG")
    assert "$ scstory study all one two" in text
    assert "state of the code" in text
    assert "on a machine with 16 processors." in text


def test_the_summary_has_a_column_per_stream_and_only_untuned_rows(studies, tmp_path):
    assert TOOL["summary"](studies).splitlines() == [
        "| system | one | two |",
        "|---|---:|---:|",
        "| scstory (default) | 0.912 ± 0.002 / 0.900 | 0.500 ± 0.010 / 0.400 |",
        "| tfidf | 0.800 / 0.700 | not run |",
    ]


def test_filling_twice_changes_nothing(studies, tmp_path):
    first = filled(studies, tmp_path, "one/overall", "summary")
    page = tmp_path / "docs" / "page.md"
    before = page.stat().st_mtime_ns
    TOOL["main"](str(studies), str(tmp_path / "docs"))
    assert page.read_text("utf-8") == first
    assert page.stat().st_mtime_ns == before


def test_a_study_that_was_not_made_is_named(studies, tmp_path):
    with pytest.raises(TOOL["NotThere"], match=r"three/overall.md is not there: run the study"):
        filled(studies, tmp_path, "three/overall")


def test_the_marks_of_the_documentation_name_studies():
    from scstory.evaluation.studies import STUDIES

    found = [
        name
        for page in (ROOT / "docs").glob("*.md")
        for _, name, _ in TOOL["BLOCK"].findall(page.read_text("utf-8"))
    ]
    assert {"summary", "emergent/overall", "articles/case-study"} <= set(found)
    assert {name.partition("/")[2] for name in found if "/" in name} <= STUDIES.keys()
