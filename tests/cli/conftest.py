"""Running commands as a user would, in a folder of their own."""

import json
import sys
from dataclasses import dataclass

import pytest

from scstory.cli import main
from scstory.sample import load_sample


@dataclass
class Outcome:
    code: int
    out: str
    err: str


@pytest.fixture
def scstory(tmp_path, monkeypatch, capsys):
    """Run a command in an empty folder; return its exit code and what it wrote."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["scstory", *map(str, arguments)])
        code = 0
        try:
            main()
        except SystemExit as exit_:
            code = exit_.code or 0
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return run


@pytest.fixture
def articles(tmp_path):
    """Write the first days of the sample to a file; return its path."""
    path = tmp_path / "articles.jsonl"
    records = [
        {
            "id": item.article.id,
            "date": item.article.published.isoformat(),
            "title": item.article.title,
            "text": item.article.text,
            "source": item.article.source,
        }
        for item in load_sample()[:40]
    ]
    path.write_text("\n".join(json.dumps(record) for record in records) + "\n")
    return path


@pytest.fixture
def labelled(tmp_path, monkeypatch):
    """Write part of the sample with its labels; keep the vector cache out of the home folder."""
    monkeypatch.setenv("SCSTORY_CACHE", str(tmp_path / "cache"))

    def write(name="labelled.jsonl", *, items=60, label=lambda item: item.label, day=None):
        lines = []
        for item in load_sample()[:items]:
            article = item.article
            record = {
                "id": article.id,
                "date": day or article.published.isoformat(),
                "title": article.title,
                "text": article.text,
                "story": label(item),
            }
            lines.append(json.dumps({k: v for k, v in record.items() if v is not None}))
        path = tmp_path / name
        path.write_text("\n".join(lines) + "\n")
        return path

    return write
