"""Results of finished runs: found again for the same run, stream and code, and for nothing else."""

import platform
from dataclasses import replace

import numpy as np
import pytest

from scstory.evaluation import correcting, harness
from scstory.evaluation.correcting import CorrectedJob, run_corrected
from scstory.evaluation.finished_runs import FinishedRuns, digest, machine, state_of_code
from scstory.evaluation.harness import Job, load_stream, run_jobs
from scstory.feeds import Item
from scstory.vectors.hashing import HashingEncoder
from tests.conftest import make_stream

ENCODER = HashingEncoder(dim=32)
JOB = Job("tfidf")


def stream_of(articles):
    return load_stream([Item("x", a, label=a.id.split("-")[0]) for a in articles], ENCODER)


@pytest.fixture(scope="module")
def stream():
    return stream_of(make_stream(6, ("flood", "trial")))


@pytest.fixture
def runs(monkeypatch):
    """The jobs that were run."""
    done, run = [], harness._run
    monkeypatch.setattr(harness, "_run", lambda job, *others: done.append(job) or run(job, *others))
    return done


def test_a_result_is_the_same_when_it_is_found_again(stream, tmp_path, runs):
    finished = FinishedRuns(tmp_path)
    first = run_jobs([JOB], stream, ENCODER, workers=1, finished=finished)
    again = run_jobs([JOB], stream, ENCODER, workers=1, finished=FinishedRuns(tmp_path))
    assert again == first
    assert runs == [JOB]


@pytest.mark.parametrize(
    "other",
    [
        replace(JOB, parameters={"threshold": 0.3}),
        replace(JOB, system="mean"),
        replace(JOB, seed=1),
        replace(JOB, window="3d"),
        replace(JOB, slide="12h"),
    ],
)
def test_another_run_is_run(stream, tmp_path, runs, other):
    finished = FinishedRuns(tmp_path)
    run_jobs([JOB], stream, ENCODER, workers=1, finished=finished)
    run_jobs([other, JOB], stream, ENCODER, workers=1, finished=finished)
    assert runs == [JOB, other]


def test_the_same_run_of_another_state_of_the_code_is_run(stream, tmp_path, runs):
    for code in ("one", "two"):
        run_jobs([JOB], stream, ENCODER, workers=1, finished=FinishedRuns(tmp_path, code=code))
    assert runs == [JOB, JOB]


def test_the_same_run_on_another_stream_is_run(stream, tmp_path, runs):
    articles = make_stream(6, ("flood", "trial"))
    relabelled = load_stream([Item("x", a, label="one") for a in articles], ENCODER)
    later = stream_of([replace(a, published=a.published.replace(minute=31)) for a in articles])
    reworded = stream_of([replace(a, text=f"{a.text} Rain fell.") for a in articles])
    finished = FinishedRuns(tmp_path)
    for some in (stream, relabelled, later, reworded):
        run_jobs([JOB], some, ENCODER, workers=1, finished=finished)
    assert len(runs) == 4


def test_a_damaged_result_is_made_again(stream, tmp_path, runs):
    finished = FinishedRuns(tmp_path)
    first = run_jobs([JOB], stream, ENCODER, workers=1, finished=finished)
    (file,) = tmp_path.iterdir()
    whole = file.read_text("utf-8")
    for damaged in ("", whole[:50], "[]", whole.replace("b3_recall", "recall")):
        file.write_text(damaged, "utf-8")
        assert run_jobs([JOB], stream, ENCODER, workers=1, finished=finished)[0].stream == (
            first[0].stream
        )
    assert len(runs) == 5


def test_without_reuse_only_results_of_this_command_are_found(stream, tmp_path, runs):
    run_jobs([JOB], stream, ENCODER, workers=1, finished=FinishedRuns(tmp_path))
    fresh = FinishedRuns(tmp_path, reuse=False)
    run_jobs([JOB], stream, ENCODER, workers=1, finished=fresh)
    run_jobs([JOB], stream, ENCODER, workers=1, finished=fresh)
    assert len(runs) == 2


def test_corrected_runs_are_found_again(stream, tmp_path, monkeypatch):
    job = CorrectedJob({"learned": False}, 0.5, 1)
    first = run_corrected(job, stream, ENCODER, finished=FinishedRuns(tmp_path))
    assert first.found.keys() == stream.truth.keys()
    monkeypatch.delattr(correcting, "_run")
    assert run_corrected(job, stream, ENCODER, finished=FinishedRuns(tmp_path)) == first


def test_results_of_another_machine_are_told_to_be_that(stream, tmp_path):
    finished = FinishedRuns(tmp_path)
    run_jobs([JOB], stream, ENCODER, workers=1, finished=finished)
    (file,) = tmp_path.iterdir()
    assert [*finished.machines] == [machine()]
    assert f"Python {platform.python_version()}, numpy {np.__version__}, " in machine()
    elsewhere = machine().replace("Python 3", "Python 4")
    file.write_text(file.read_text("utf-8").replace(machine(), elsewhere), "utf-8")
    again = FinishedRuns(tmp_path)
    assert again.find(JOB, stream, ENCODER.name)
    assert [*again.machines] == [elsewhere]


def test_digests_tell_where_a_text_ends():
    assert digest(["ab", "c"]) != digest(["a", "bc"])
    assert len(state_of_code()) == 24
