"""``scstory data``: what there is to evaluate on, and whether a download is right."""

import json
from dataclasses import replace

import pytest

from scstory.evaluation.datasets import published


def documents(path, number, *, stories=2, bad=0):
    records = [
        {
            "id": f"d{n}",
            "date": f"2014-03-{n + 1:02} 10:00:00",
            "lang": "eng",
            "title": "Alder rises",
            "text": "The river Alder rose.",
            "cluster": str(n % stories),
        }
        for n in range(number)
    ]
    path.write_text(json.dumps(records + [{"id": "x"}] * bad))
    return path


@pytest.fixture
def small(monkeypatch):
    """Let the paper's News14 have four articles of two stories."""
    entry = replace(published.CATALOGUE["news14"], articles=4, stories=2)
    monkeypatch.setitem(published.CATALOGUE, "news14", entry)


def test_the_list_tells_all_there_is_to_know(scstory):
    outcome = scstory("data")
    assert (outcome.code, outcome.err) == (0, "")
    for part in (
        "16,136 articles of 788 stories",
        "47,038 articles of 828 stories",
        "29,931 articles of 519 stories",
        "https://github.com/Priberam/news-clustering",
        "https://github.com/complementizer/wcep-mds-dataset",
        "https://newsapi.org/v2/everything?q=QUERY",
        "scstory evaluate wcep18:FOLDER",
        "scstory evaluate FILE.jsonl",
        "scstory data NAME PATH",
    ):
        assert part in outcome.out


def test_one_of_them(scstory):
    outcome = scstory("data", "WCEP19")
    assert outcome.code == 0
    assert outcome.out.startswith("wcep19\n")
    assert "wcep18" not in outcome.out


def test_as_json(scstory):
    entries = [json.loads(line) for line in scstory("data", "--json").out.splitlines()]
    assert [entry["name"] for entry in entries] == ["news14", "wcep18", "wcep19", "newsapi", "file"]
    assert entries[1]["paper"] == {"articles": 47_038, "stories": 828}
    assert entries[4]["paper"] is None


def test_a_right_download(scstory, tmp_path, small):
    outcome = scstory("data", "news14", documents(tmp_path / "dataset.dev.json", 4))
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.splitlines() == [
        "news14: 4 articles of 2 stories, 1–4 Mar 2014 (English articles published in 2014)",
        "The paper has 4 articles of 2 stories: the same.",
        f"Use it: scstory evaluate news14:{tmp_path / 'dataset.dev.json'}",
    ]


@pytest.mark.parametrize(
    ("number", "stories", "difference"),
    [
        (3, 2, "1 article fewer."),
        (6, 3, "2 articles more and 1 story more."),
        (4, 1, "1 story fewer."),
    ],
)
def test_another_size_than_the_papers_fails(scstory, tmp_path, small, number, stories, difference):
    path = documents(tmp_path / "dataset.dev.json", number, stories=stories)
    outcome = scstory("data", "news14", path)
    assert outcome.code == 1
    assert f"The paper has 4 articles of 2 stories: here are {difference}\n" in outcome.out


def test_the_check_as_json(scstory, tmp_path, small):
    outcome = scstory("data", "news14", documents(tmp_path / "a.json", 5, bad=1), "--json")
    assert outcome.code == 1
    assert json.loads(outcome.out) == {
        "data": "news14",
        "articles": 5,
        "stories": 2,
        "first": "2014-03-01T10:00:00+00:00",
        "last": "2014-03-05T10:00:00+00:00",
        "unlabelled": 0,
        "skipped": 1,
        "paper": {"articles": 4, "stories": 2},
        "same": False,
    }


def test_a_few_problems_are_told_and_all_are_counted(scstory, tmp_path, small):
    path = documents(tmp_path / "a.json", 4, bad=8)
    outcome = scstory("data", "news14", path)
    assert outcome.code == 0
    told = outcome.err.splitlines()
    assert told[0] == f"{path}:5: missing lang, cluster"
    assert told[5:] == ["… and 3 more"]
    assert "; 8 records could not be used\n" in outcome.out


def test_own_files_have_no_size_to_meet(scstory, tmp_path):
    own = {"id": "1", "date": "2026-03-03", "title": "T", "text": "Some text."}
    records = [own | {"story": "flood"}, own | {"id": "2"}]
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(map(json.dumps, records)))
    outcome = scstory("data", "file", path)
    assert outcome.code == 0
    assert outcome.out.splitlines() == [
        "file: 2 articles of 1 story, 3 Mar 2026 (all articles); 1 article without a story",
        f"Use it: scstory evaluate {path}",
    ]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("nothing",), 2, "no data set 'nothing'; there are news14, wcep18, wcep19, newsapi, file"),
        (("news14", "none.json"), 2, "none.json: no such file or folder; give dataset.dev.json"),
        (("wcep18", "."), 2, ".: no train.jsonl or val.jsonl or test.jsonl in this folder; give"),
        (("file", "empty.jsonl"), 1, "empty.jsonl: contains nothing of file (all articles)"),
        (("news14", "empty.jsonl"), 2, "empty.jsonl: is empty; give dataset.dev.json"),
    ],
)
def test_errors_are_one_line_with_the_way_out(scstory, tmp_path, arguments, code, message):
    (tmp_path / "empty.jsonl").write_bytes(b"")
    outcome = scstory("data", *arguments)
    assert outcome.code == code
    assert outcome.err.startswith(f"scstory: {message}")
    assert outcome.err.count("\n") == 1
    assert outcome.out == ""


def test_a_download_of_another_year_holds_nothing(scstory, tmp_path):
    path = documents(tmp_path / "a.json", 4)
    path.write_text(path.read_text().replace("2014-", "2015-"))
    outcome = scstory("data", "news14", path)
    assert outcome.code == 1
    assert "contains nothing of news14 (English articles published in 2014)" in outcome.err
