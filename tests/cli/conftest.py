"""Running commands as a user would, in a folder of their own."""

import io
import json
import os
import shutil
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest

from scstory.cli import main
from scstory.sample import load_sample
from tests.processes import Command

FAST = ("--encoder", "hashing:64", "--set", "batch_size=16")


@dataclass
class Outcome:
    code: int
    out: str
    err: str


def lines(outcome):
    """Return the objects that a command has printed, one on each line."""
    return [json.loads(line) for line in outcome.out.splitlines()]


def first_lines(decided):
    """Return the decision on each article; changes of mind come after it."""
    return list({d["article"]: d for d in reversed(decided)}.values())[::-1]


@pytest.fixture
def scstory(tmp_path, monkeypatch, capsys):
    """Run a command in an empty folder; return its exit code and what it wrote."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")

    def run(*arguments):
        code = call(monkeypatch, *arguments)
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return run


def call(patch, *arguments):
    """Run a command; return its exit code."""
    patch.setattr(sys, "argv", ["scstory", *map(str, arguments)])
    try:
        main()
    except SystemExit as exit_:
        return exit_.code or 0
    return 0


@pytest.fixture
def start(tmp_path):
    """Start commands in processes of their own; what is still running at the end is killed."""
    running = []
    quick = {"SCSTORY_FEEDS__MIN_INTERVAL": "1s", "SCSTORY_FEEDS__MAX_INTERVAL": "1s"}

    def begin(*arguments):
        environment = {**os.environ, **quick, "OMP_NUM_THREADS": "1"}
        running.append(Command(*arguments, cwd=tmp_path, env=environment))
        return running[-1]

    yield begin
    for process in running:
        process.close()


@pytest.fixture
def articles(tmp_path):
    """Write the first days of the sample to a file; return its path."""
    return write_articles(tmp_path / "articles.jsonl")


def write_articles(path):
    """Write 40 articles to a file; return its path."""
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


@dataclass
class FirstRun(Outcome):
    """What `scstory run` printed of the articles, and the database that it left."""

    db: Path


@pytest.fixture(scope="session")
def first_run(tmp_path_factory):
    """Run the articles into a database once; tests read it, or use a copy."""
    folder = tmp_path_factory.mktemp("first run")
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.chdir(folder)
        code = call(patch, "run", write_articles(folder / "articles.jsonl"), "--json", *FAST)
    return FirstRun(code, out.getvalue(), err.getvalue(), folder / "scstory.db")


@pytest.fixture
def db(first_run, tmp_path):
    """Return the name of a database that holds the articles, in the folder of the test."""
    assert first_run.code == 0
    assert [file.name for file in first_run.db.parent.glob("scstory.db*")] == ["scstory.db"]
    shutil.copy(first_run.db, tmp_path / "scstory.db")
    return "scstory.db"


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
