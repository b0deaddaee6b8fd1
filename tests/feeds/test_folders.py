"""Folders and patterns as one source, and what needs an extra."""

import sys

import pytest

from scstory.errors import SourceError
from scstory.feeds import open_source

LINE = '{"id": "%s", "date": "2026-03-03", "title": "T", "text": "x"}\n'


def test_a_folder_and_a_pattern_are_one_source(tmp_path):
    (tmp_path / "more").mkdir()
    (tmp_path / ".hidden").mkdir()
    for name in ("b.jsonl", "a.jsonl", "more/c.json", ".hidden/d.jsonl", "README.md"):
        (tmp_path / name).write_text(LINE % name)
    source = open_source(str(tmp_path))
    assert [item.article.id for item in source] == ["a.jsonl", "b.jsonl", "more/c.json"]
    assert source.complete
    assert source.position == source.size
    found = open_source(f"{tmp_path}/**/*.json*")
    assert {item.article.id for item in found} == {"a.jsonl", "b.jsonl", "more/c.json"}


def test_a_bad_file_costs_the_others_nothing(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    (tmp_path / "b.jsonl").write_text(LINE % 1)
    source = open_source(str(tmp_path))
    bad, good = source
    assert bad.problem.startswith("no column is known as title or text")
    assert good.article.id == "1"
    assert not source.complete


def test_parquet_without_its_library_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    with pytest.raises(SourceError, match="needs pyarrow: pip install 'scstory\\[parquet\\]'"):
        list(open_source(str(tmp_path / "a.parquet")))
