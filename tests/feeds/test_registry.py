"""A new source is one file with a factory, and one line in the registry."""

import sys

import pytest

from scstory.feeds import open_source
from scstory.feeds.registry import SOURCE_FORMS

TOY = """
from scstory.feeds import Item, parse_article

class LinesSource:
    size, position, complete = None, 0, True
    def __init__(self, name, options):
        self.name, self.max_items = name, options.settings.max_items
    def __iter__(self):
        for number in range(1, 3):
            record = {"id": str(number), "date": "2026-03-03", "title": "T", "text": "One line."}
            yield Item(f"{self.name}:{number}", parse_article(record))
"""


@pytest.fixture
def toy(tmp_path, monkeypatch):
    (tmp_path / "toy_source.py").write_text(TOY)
    monkeypatch.syspath_prepend(tmp_path)
    files = SOURCE_FORMS.pop(r".*")  # the form that fits any name stays the last one
    monkeypatch.setitem(SOURCE_FORMS, r".*\.lines", "toy_source:LinesSource")
    SOURCE_FORMS[r".*"] = files
    yield
    sys.modules.pop("toy_source", None)


def test_a_toy_source_needs_a_file_and_a_line(toy, tmp_path):
    source = open_source("notes.LINES")
    assert [item.place for item in source] == ["notes.LINES:1", "notes.LINES:2"]
    (tmp_path / "a.jsonl").write_text("")
    assert list(open_source(str(tmp_path / "a.jsonl"))) == []
