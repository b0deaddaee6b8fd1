"""``scstory evaluate``, as scripts rely on it."""

import json
import math
import os
import signal
import time
from pathlib import Path

import pytest

from scstory.evaluation.systems import system_names
from tests.processes import Command

FAST = ("--encoder", "hashing:64", "--threads", "1")


def objects(outcome):
    return [json.loads(line) for line in outcome.out.splitlines()]


def test_one_object_a_system(scstory, labelled):
    outcome = scstory(
        "evaluate",
        labelled(),
        "--json",
        "--system",
        "tfidf",
        "--system",
        "densps+pse",
        "--system",
        "singletons",
        *FAST,
    )
    assert outcome.code == 0
    found = objects(outcome)
    assert [row["system"] for row in found] == ["tfidf", "densps+pse", "singletons"]
    scores = {"b3_precision", "b3_recall", "b3_f1", "ami", "ari"}
    for row in found:
        for name in ("windowed", "stream", "first", "first_stream"):
            assert set(row[name]) == scores
        seconds = row["seconds"]
        assert set(seconds) == {"encode", "discover", "decide", "learn"}
        assert seconds["decide"] + seconds["learn"] == pytest.approx(seconds["discover"], abs=0.01)
        assert (row["jitter"], row["variants"], row["weights_auc"]) == (0, [], None)
        assert row["data"] == "labelled"
        assert row["encoder"] == "hashing:64"
        assert row["articles"] == 60
        assert row["windows"] >= 1
        assert row["preset"] is None
    assert found[2]["windowed"]["b3_precision"] == 1


def test_scstory_by_preset_and_seed(scstory, labelled):
    outcome = scstory(
        "evaluate",
        labelled(items=30),
        "--json",
        "--preset",
        "paper",
        "--preset",
        "default",
        "--seeds",
        "2",
        *FAST,
    )
    rows = objects(outcome)
    assert [(row["system"], row["preset"], row["seeds"]) for row in rows] == [
        ("scstory", "paper", 2),
        ("scstory", "default", 2),
    ]


def test_the_table_has_the_floors_and_tuned_rows(scstory, labelled):
    outcome = scstory("evaluate", labelled(), "--system", "tfidf", "--tune", *FAST)
    lines = outcome.out.splitlines()
    assert lines[0].startswith("labelled: 60 articles of 15 stories")
    names = [line.split("  ")[0] for line in lines[3:7]]
    first, tuned, *floors = names
    assert (first, floors) == ("tfidf", ["singletons", "one"])
    assert tuned.startswith("tfidf, tuned on labels (windowed and stream: threshold=0.")
    assert lines[2].split("  ")[-4:] == ["first B³-F1", "s/window", "deciding", "learning"]


def test_systems_are_compared_with_the_first(scstory, labelled):
    path = labelled(items=122)
    options = ("--system", "tfidf", "--system", "one", "--window", "2d", *FAST)
    first, second = objects(scstory("evaluate", path, "--json", *options))
    assert first["against"] is None
    against = second["against"]
    gap = second["windowed"]["b3_f1"] - first["windowed"]["b3_f1"]
    assert against["b3_f1"] == pytest.approx(gap, abs=1e-5)
    assert against["interval"][0] < gap < against["interval"][1] < 0
    assert (against["system"], against["preset"]) == ("tfidf", None)
    assert (against["block"], against["significant"]) == (4, True)
    lines = scstory("evaluate", path, *options).out.splitlines()
    assert [f"{second['windowed']['b3_f1']:.3f}*" in line for line in lines[3:6]] == [0, 1, 0]
    at = lines.index("B³-F1 against tfidf  difference     95 % interval")
    low, high = against["interval"]
    told = f"{gap:+.3f}*  {low:+.3f} to {high:+.3f}".split()
    assert lines[at + 1].split() == ["one", *told]
    assert lines[at + 3].startswith("* differs significantly: zero is outside the interval")
    assert lines[at + 3].endswith("in blocks of 4)")


def test_a_short_stream_has_no_interval(scstory, labelled):
    options = ("--system", "tfidf", "--system", "singletons", *FAST)
    path = labelled(items=60)
    _, second = objects(scstory("evaluate", path, "--json", *options))
    assert (second["against"]["interval"], second["against"]["significant"]) == (None, False)
    assert "too few windows" in scstory("evaluate", path, *options).out


def test_the_stream_may_be_transformed(scstory, labelled):
    path = labelled(items=122)
    options = ("--jitter", "0.5", "--variant", "noisy=1", "--variant", "small")
    lines = scstory("evaluate", path, *options, *FAST).out.splitlines()
    assert lines[0].startswith("labelled: 60 articles")
    assert lines[1] == "transformed: dates moved by 0.5 days on average, noisy=1, small"
    told = "sentence weights, own sentences against inserted ones (area under the ROC curve): "
    assert lines[-1].startswith(f"{told}scstory (default) 0.")
    (row,) = objects(scstory("evaluate", path, *options, "--json", *FAST))
    assert (row["jitter"], row["variants"], row["articles"]) == (0.5, ["noisy=1", "small"], 60)
    assert f"{row['weights_auc']:.3f}" in lines[-1]
    (even,) = objects(scstory("evaluate", path, *options, "--system", "tfidf", "--json", *FAST))
    assert even["weights_auc"] is None


def test_settings_from_flags_variables_and_files(scstory, labelled, tmp_path, monkeypatch):
    path = labelled(items=30)

    def row(*arguments):
        (found,) = objects(scstory("evaluate", path, "--json", *arguments, *FAST))
        return found

    usual = row()
    assert usual["parameters"] == {}
    alone = row("--set", "delta=0.99", "--set", "seed=3")
    assert alone["parameters"] == {"delta": 0.99}
    assert alone["windowed"]["b3_recall"] < usual["windowed"]["b3_recall"]
    assert row("--set", "window=3d")["windows"] > usual["windows"]
    assert row("--system", "tfidf", "--set", "threshold=0.4")["parameters"] == {"threshold": 0.4}
    (tmp_path / "scstory.toml").write_text(
        'preset = "paper"\n[discovery]\ndelta = 0.9\nwindow = "3d"\nwarm_epochs = 1\n'
    )
    from_file = row()
    assert from_file["preset"] == "paper"
    assert from_file["parameters"] == {"delta": 0.9, "warm_epochs": 1}
    assert from_file["windows"] > usual["windows"]
    monkeypatch.setenv("SCSTORY_DISCOVERY__DELTA", "0.8")
    assert row()["parameters"] == {"delta": 0.8, "warm_epochs": 1}
    flagged = row("--set", "delta=0.7", "--window", "7d")
    assert flagged["parameters"]["delta"] == 0.7
    assert flagged["windows"] == usual["windows"]
    assert row("--system", "tfidf")["parameters"] == {}  # a file is for SCStory


def test_encoding_is_done_once(scstory, labelled, tmp_path, monkeypatch):
    path = labelled()
    scstory("evaluate", path, "--system", "one", *FAST)
    from scstory.vectors.hashing import HashingEncoder

    def never(self, sentences):
        raise AssertionError(f"encoded again: {sentences[:1]}")

    monkeypatch.setattr(HashingEncoder, "encode", never)
    assert scstory("evaluate", path, "--system", "one", *FAST).code == 0


def test_missing_labels(scstory, labelled):
    some = labelled("some.jsonl", label=lambda i: None if i.article.id < "a020" else i.label)
    outcome = scstory("evaluate", some, "--json", "--system", "tfidf", *FAST)
    assert outcome.code == 0
    assert "not scored: 19 articles without a label" in outcome.err
    assert objects(outcome)[0]["articles"] == 41
    none = labelled("none.jsonl", label=lambda i: None)
    outcome = scstory("evaluate", none, "--system", "tfidf", *FAST)
    assert outcome.code == 2
    assert "no article has a label: evaluating needs a field 'story'" in outcome.err


@pytest.mark.parametrize(
    "options",
    [{"label": lambda i: "one"}, {"day": "2026-03-02"}, {"items": 1}],
    ids=["one story", "one day", "one article"],
)
def test_little_to_tell_apart_gives_sensible_numbers(scstory, labelled, options):
    path = labelled(**{"items": 12, **options})
    outcome = scstory("evaluate", path, "--json", "--system", "all", *FAST)
    assert outcome.code == 0
    assert not outcome.err
    rows = objects(outcome)
    assert len(rows) == len(system_names())
    for row in rows:
        for value in (*row["windowed"].values(), *row["stream"].values()):
            assert -1 <= value <= 1  # also refuses NaN
        assert row["windowed"]["b3_f1"] > 0


@pytest.mark.parametrize(
    ("label", "stories", "articles"),
    [
        (lambda i: 7, 1, 12),
        (lambda i: len(i.label) / 2, 3, 12),
        (lambda i: int(i.article.id < "a004"), 2, 12),
        (lambda i: "x" if i.article.id < "a004" else math.nan, 1, 3),
        (lambda i: "x" if i.article.id < "a004" else " ", 1, 3),
        (lambda i: "x" if i.article.id < "a004" else ["a", "b"], 1, 3),
        (lambda i: "x" if i.article.id < "a004" else {"a": 1}, 1, 3),
    ],
    ids=["whole number", "fraction", "zero", "NaN", "blank", "list", "object"],
)
def test_odd_labels(scstory, labelled, label, stories, articles):
    path = labelled(items=12, label=label)
    outcome = scstory("evaluate", path, "--system", "tfidf", *FAST)
    assert outcome.code == 0
    noun = "story" if stories == 1 else "stories"
    assert outcome.out.startswith(f"labelled: {articles} articles of {stories} {noun}, ")
    assert "nan" not in outcome.out
    assert bool(outcome.err) == (articles < 12)


def test_labels_only_where_no_window_is_scored(scstory, labelled, tmp_path):
    path = labelled(items=12)
    early, late = path.read_text().splitlines()[:4], path.read_text().splitlines()[4:]
    records = [{**json.loads(line), "date": "2026-06-01"} for line in late]
    for record in records:
        del record["story"]
    path.write_text("\n".join([*early, *map(json.dumps, records)]))
    outcome = scstory("evaluate", path, "--json", "--system", "tfidf", *FAST)
    assert outcome.code == 0
    (row,) = objects(outcome)
    assert (row["windows"], row["articles"]) == (1, 4)
    assert row["windowed"] == row["stream"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "no usable articles in the data"),
        ("\n \n", "nothing.jsonl: is empty; give a .jsonl or .csv file"),
        ('{"id": "1"}\n', "no usable articles in the data"),
        ("hello\n", "no usable articles in the data"),
    ],
    ids=["empty", "blank", "not an article", "not JSON"],
)
def test_nothing_to_evaluate(scstory, labelled, tmp_path, content, message):
    (tmp_path / "nothing.jsonl").write_text(content)
    outcome = scstory("evaluate", "nothing.jsonl", *FAST)
    assert outcome.code == 2
    assert outcome.err.splitlines()[-1].startswith(f"scstory: {message}")
    assert not outcome.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--system", "best"), "system 'best': there are scstory, hrstory"),
        (("--preset", "best"), "preset 'best': there are paper, default"),
        (("--window", "soon"), "window 'soon': write a number"),
        (("--window", "1h"), "window of 1h: must be at least as long as the slide"),
        (("--seeds", "0"), "greater than or equal to 1"),
        (("--jitter", "-1"), "jitter of -1: must be from 0 to 365 days"),
        (("--jitter", "nan"), "jitter of nan: must be from 0 to 365 days"),
        (("--variant", "loud"), "variant 'loud': there are noisy, headlines, singles"),
        (("--variant", "noisy=3"), "variant 'noisy=3': the share must be a number from 0 to 2"),
        (("--variant", "small"), "variant small: 60 articles are too few; needs at least 90"),
        (("--set", "delta"), "--set delta: write NAME=VALUE"),
        (("--set", "dleta=1"), "parameter 'dleta': no such parameter; is delta meant?"),
        (
            ("--system", "tfidf", "--set", "delta=1"),
            "parameter 'delta' of tfidf: there are threshold",
        ),
        (("--config", "none.toml"), "none.toml: no such file"),
    ],
)
def test_wrong_usage(scstory, labelled, arguments, message):
    outcome = scstory("evaluate", labelled(), *arguments, *FAST)
    assert outcome.code == 2
    assert message in outcome.err
    assert outcome.err.count("\n") == 1


def test_a_missing_file(scstory, labelled):
    outcome = scstory("evaluate", "none.jsonl", *FAST)
    assert outcome.code == 2
    assert "none.jsonl: no such file" in outcome.err


def workers_of(parent):
    """Return the worker processes of a command that are alive."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, owner = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
            line = (folder / "cmdline").read_text()
        except OSError:
            continue
        if int(owner) == parent and state != "Z" and "multiprocessing.spawn" in line:
            found.append(int(folder.name))
    return found


def is_alive(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


@pytest.fixture
def evaluating(labelled, tmp_path):
    """Start an evaluation that takes long; give its process when it has two workers."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    process = Command(
        *("evaluate", labelled(items=122), *FAST[:2], "--preset", "paper"),
        *("--seeds", "200", "--threads", "2"),
        env={**os.environ, "TMPDIR": str(scratch)},
    )
    try:
        assert wait_for(lambda: len(workers_of(process.pid)) == 2)
        yield process
    finally:
        process.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_stopped_it_leaves_no_worker_behind(evaluating, tmp_path, number):
    workers = workers_of(evaluating.pid)
    evaluating.send_signal(number)
    _, told = evaluating.communicate(timeout=60)
    assert wait_for(lambda: not any(map(is_alive, workers)))
    if number != signal.SIGKILL:
        assert evaluating.returncode == 130
        assert told == "scstory: stopped; sentences encoded so far are cached, scores are lost\n"
        assert not list((tmp_path / "scratch").iterdir())


def test_a_worker_that_dies_is_told(evaluating):
    os.kill(workers_of(evaluating.pid)[0], signal.SIGKILL)
    _, told = evaluating.communicate(timeout=60)
    assert evaluating.returncode == 1
    assert told == "scstory: one of 2 workers was killed, perhaps for memory; set --threads 1\n"
