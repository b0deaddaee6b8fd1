"""``scstory study`` as a user runs it."""

import csv
import json
import subprocess
import sys

import pytest
import torch

from scstory.evaluation import comparison, harness
from scstory.evaluation.finished_runs import state_of_code
from scstory.evaluation.studies import STUDIES
from scstory.evaluation.systems import ablations, system_names, tuning_grid
from tests.conftest import make_stream

TOPICS = ("flood", "trial", "comet", "strike")
FAST = (
    "--encoder",
    "hashing:32",
    "--threads",
    "1",
    "--window",
    "2d",
    "--set",
    "batch_size=64",
    "--set",
    "warm_epochs=1",
)
NAMES = tuple(STUDIES)


@pytest.fixture(autouse=True)
def quick(tmp_path, monkeypatch):
    """Keep the cache in the test's own folder, try few settings when tuning, use one thread."""
    monkeypatch.setenv("SCSTORY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(comparison, "tuning_grid", lambda name: tuning_grid(name)[:2])
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture
def labelled(tmp_path):
    path = tmp_path / "labelled.jsonl"
    records = [
        {
            "id": article.id,
            "date": article.published.isoformat(),
            "title": article.title,
            "text": article.text,
            "story": article.id.split("-")[0],
        }
        for article in make_stream(3, TOPICS)
    ]
    path.write_text("\n".join(json.dumps(record) for record in records) + "\n")
    return path


@pytest.mark.parametrize("name", NAMES)
def test_every_study_writes_its_four_files(scstory, labelled, tmp_path, name):
    outcome = scstory("study", name, labelled.name, "--out", "made here", *FAST)
    assert outcome.code == 0, outcome.err
    folder = tmp_path / "made here"
    kinds = ("md", "csv", "png", "svg")
    assert sorted(f.name for f in folder.iterdir()) == sorted(f"{name}.{kind}" for kind in kinds)
    # A stream of three days may have no threads: then the table of their stories is a head only.
    least = {"csv": 20 if name == "overview" else 100}
    assert all((folder / f"{name}.{k}").stat().st_size > least.get(k, 100) for k in kinds)
    page = (folder / f"{name}.md").read_text("utf-8")
    assert f"$ scstory study {name} labelled.jsonl --out 'made here' --encoder hashing:32" in page
    assert "--set batch_size=64 --set warm_epochs=1" in page
    assert "labelled: 20 labelled articles of 4 stories; encoder hashing:32." in page
    assert outcome.out.splitlines()[0].split()[0] in page
    assert outcome.err == "wrote " + ", ".join(f"made here/{name}.{kind}" for kind in kinds) + "\n"
    with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        records = list(csv.DictReader(file))
    if name == "overall":
        assert {record["system"] for record in records} == set(system_names())
    if name == "ablation":
        assert [record["variant"] for record in records][1:] == list(ablations())
    if name == "scalability":
        windows = {record["window"] for record in records}
        assert windows == {"3d", "7d", "14d", "21d", "28d"}
        assert len({record["system"] for record in records}) == 7
    if records and "b3_f1" in records[0]:
        assert all(0 < float(record["b3_f1"]) <= 1 for record in records)


def test_all_studies_of_several_streams_are_listed_on_one_page(
    scstory, labelled, tmp_path, monkeypatch
):
    few = {name: STUDIES[name] for name in ("case-study", "ablation")}
    monkeypatch.setattr("scstory.evaluation.studies.STUDIES", few)
    other = tmp_path / "other.jsonl"
    other.write_text("\n".join(labelled.read_text().splitlines()[:14]) + "\n")
    outcome = scstory("study", "all", labelled.name, other.name, *FAST)
    assert outcome.code == 0, outcome.err
    assert outcome.out == ""
    index = (tmp_path / "studies" / "README.md").read_text("utf-8")
    assert "$ scstory study all labelled.jsonl other.jsonl --encoder hashing:32" in index
    assert state_of_code() in index
    for stream in ("labelled", "other"):
        for name in few:
            assert f"({stream}/{name}.md)" in index
            page = (tmp_path / "studies" / stream / f"{name}.md").read_text("utf-8")
            assert f"$ scstory study {name} {stream}.jsonl --out studies/{stream}" in page


def test_an_interrupted_study_goes_on_where_it_stopped(scstory, labelled, monkeypatch):
    runs = []
    run = harness._run

    def interrupted_after_two(job, *others):
        if len(runs) == 2:
            raise KeyboardInterrupt
        runs.append(job)
        return run(job, *others)

    monkeypatch.setattr(harness, "_run", interrupted_after_two)
    outcome = scstory("study", "ablation", labelled, *FAST)
    assert outcome.code == 130
    assert "the same command goes on from the last finished run" in outcome.err
    monkeypatch.setattr(harness, "_run", lambda job, *others: runs.append(job) or run(job, *others))
    assert scstory("study", "ablation", labelled, *FAST).code == 0
    assert len(runs) == len(ablations()) + 1
    assert scstory("study", "ablation", labelled, *FAST).code == 0
    assert len(runs) == len(ablations()) + 1
    assert scstory("study", "ablation", labelled, "--fresh", *FAST).code == 0
    assert len(runs) == 2 * (len(ablations()) + 1)


def test_the_command_it_notes_makes_the_same_files(scstory, labelled, tmp_path):
    import shlex

    scstory("study", "case-study", labelled, "--preset", "default", "--slide", "12h", *FAST[:-2])
    made = {file.name: file.read_bytes() for file in (tmp_path / "studies").iterdir()}
    page = made["case-study.md"].decode()
    (command,) = (line[2:] for line in page.splitlines() if line.startswith("$ "))
    assert "--preset default" in command
    assert "--slide 12h" in command
    assert scstory(*shlex.split(command)[1:]).code == 0
    assert made == {file.name: file.read_bytes() for file in (tmp_path / "studies").iterdir()}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("table1", "labelled.jsonl"), f"study 'table1': there are {', '.join(NAMES)}, all"),
        (("ablation", "none.jsonl"), "none.jsonl: no such file"),
        (("ablation",), "Missing argument"),
        (("ablation", "labelled.jsonl", "--preset", "best"), "preset 'best': there are paper"),
        (("ablation", "labelled.jsonl", "--seeds", "0"), "seeds"),
        (("ablation", "labelled.jsonl", "--window", "1h"), "window of 1h: must be at least"),
        (("ablation", "labelled.jsonl", "--set", "delta=2"), "delta of 2.0: must be between"),
        (("ablation", "labelled.jsonl", "--set", "window=3d"), "window: use the option --window"),
        (("ablation", "labelled.jsonl", "--set", "seed=3"), "--set seed: use the option --seeds"),
        (("ablation", "labelled.jsonl", "--out", "labelled.jsonl"), "cannot be written"),
    ],
)
def test_wrong_usage_exits_with_2_and_the_way_out(scstory, labelled, arguments, message):
    outcome = scstory("study", *arguments)
    assert outcome.code == 2
    assert message in outcome.err
    assert outcome.err.count("\n") == 1
    assert outcome.out == ""


def test_a_transformer_that_is_not_there_fails_in_one_line(scstory, labelled):
    outcome = scstory("study", "embedding-quality", labelled, "--bert", "./none", *FAST)
    assert outcome.code == 1
    assert "transformer ./none: cannot be loaded" in outcome.err
    assert outcome.err.count("\n") == 1


def test_data_without_labels_is_refused(scstory, articles):
    outcome = scstory("study", "ablation", articles, *FAST)
    assert outcome.code == 2
    assert "no article has a label" in outcome.err


def test_the_command_line_loads_nothing_heavy():
    code = (
        "import sys, scstory.cli; "
        "sys.exit(bool({'matplotlib', 'torch', 'sklearn', 'numpy'} & sys.modules.keys()))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
