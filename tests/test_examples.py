"""The programs in `examples/` run as they are, and print what their readers expect."""

import copy
import json
import re
import runpy
import sys
from pathlib import Path

import pytest
from matplotlib import pyplot

from tests.serve.conftest import TOKEN, listening, record_of, tell, writing

pytestmark = pytest.mark.usefixtures("known_vectors")
FOLDER = Path(__file__).parent.parent / "examples"


@pytest.fixture
def run(monkeypatch, capsys):
    """Run an example in this process, which has imported the libraries already."""

    def run(name, *arguments):
        monkeypatch.setattr(sys, "argv", [name, *map(str, arguments)])
        runpy.run_path(str(FOLDER / name), run_name="__main__")
        return capsys.readouterr().out.splitlines()

    return run


def test_articles_are_streamed_through_the_library(run):
    out = run("stream_articles.py")
    assert out[0] == "article a001 founded story 1"
    assert len([line for line in out if re.match(r"\d+ articles: \w.* \(.+\)$", line)]) > 10


def test_articles_are_posted_to_a_server(run, tmp_path, monkeypatch):
    monkeypatch.setenv("SCSTORY_TOKEN", TOKEN)
    articles = [tell(number, topic) for number in range(3) for topic in ("flood", "trial")]
    lines = [json.dumps(record_of(article)) for article in articles]
    file = tmp_path / "articles.jsonl"
    file.write_text("\n".join(lines) + "\n")
    with writing(str(tmp_path / "news.db")) as service, listening(service) as address:
        out = run("post_articles.py", file, "--server", address, "--once")
    assert out[0] == "flood-0 accepted story 1"
    assert all(re.search(r" accepted story \d+$", line) for line in out[: len(articles)])
    assert any(line.startswith("3 articles: ") for line in out[len(articles) :])


def test_encoders_are_compared(run):
    out = run("compare_encoders.py")
    assert [line.split()[0] for line in out] == ["hashing:256", "trigrams"]
    assert all(float(line.split()[2]) > 0.7 for line in out)


def test_the_notebook_shows_what_its_cells_give():
    notebook = json.loads((FOLDER / "explore_stories.ipynb").read_text("utf-8"))
    again = copy.deepcopy(notebook)
    pyplot.figure()  # another test may leave a figure open
    runpy.run_path(str(FOLDER.parent / "tools" / "execute_notebook.py"))["execute"](again)
    for stored, fresh in zip(notebook["cells"], again["cells"], strict=True):
        assert shown(stored) == shown(fresh), "make notebook stores what is shown now"
    assert sum("image/png" in kinds for cell in again["cells"] for kinds, _ in shown(cell)) == 2


def shown(cell):
    """Return what a cell shows, pictures only by their size."""
    found = []
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        found.append((sorted(data), output.get("text") or data.get("text/plain")))
    return found


def test_every_example_is_run():
    tested = re.findall(r'run\("(\w+\.py)"', Path(__file__).read_text("utf-8"))
    assert sorted(tested) == sorted(path.name for path in FOLDER.glob("*.py"))
