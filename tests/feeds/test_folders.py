"""Folders and patterns as one source, and what needs an extra."""

import io
import sys
import zipfile

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


def test_a_file_of_a_pattern_that_cannot_be_opened_costs_the_others_nothing(tmp_path):
    (tmp_path / "a.opml").write_text("<opml><body/></opml>")
    (tmp_path / "b.jsonl").write_text(LINE % 1)
    source = open_source(f"{tmp_path}/*")
    bad, good = source
    assert bad.place.endswith("a.opml")
    assert bad.problem.startswith("no feeds in it")
    assert good.article.id == "1"
    assert not source.complete


def zipped(path, members):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    path.write_bytes(packed.getvalue())
    return open_source(str(path))


def test_of_an_archive_the_files_with_articles_are_read(tmp_path):
    source = zipped(
        tmp_path / "a.zip",
        {"README.md": "About this.", "news/a.jsonl": LINE % 1, "news/dataset_info.json": "{}"},
    )
    assert [item.article and item.article.id for item in source] == ["1"]
    assert source.complete


def test_a_bad_file_in_an_archive_costs_the_others_nothing(tmp_path):
    source = zipped(tmp_path / "a.zip", {"a.csv": "x,y\n1,2\n", "b.jsonl": LINE % 1})
    bad, good = source
    assert bad.place.endswith("a.zip/a.csv")
    assert bad.problem.startswith("no column is known as title or text")
    assert good.article.id == "1"
    assert not source.complete


def test_an_archive_whose_names_say_nothing_is_read(tmp_path):
    assert [item.article.id for item in zipped(tmp_path / "a.zip", {"data": LINE % 1})] == ["1"]


def test_parquet_without_its_library_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    with pytest.raises(SourceError, match="needs pyarrow: pip install 'scstory\\[parquet\\]'"):
        list(open_source(str(tmp_path / "a.parquet")))
