"""The protocol on streams small enough to score by hand, and on the odd ones."""

from dataclasses import asdict, replace
from datetime import timedelta

import numpy as np
import pytest

from scstory.discovery.presets import PRESETS
from scstory.errors import ConfigError, UsageError
from scstory.evaluation import evaluate
from scstory.evaluation.comparison import compare_systems, tuned_rows
from scstory.evaluation.finished_runs import FinishedRuns
from scstory.evaluation.harness import Job, load_stream, run_jobs
from scstory.evaluation.metrics import Scores
from scstory.evaluation.protocol import Result
from scstory.evaluation.report import Row, edges_line, notes
from scstory.evaluation.systems import ablations, make_system, system_names, tuning_grid
from scstory.feeds import Item
from scstory.text import FIELDS, field_of
from scstory.types import Assignment
from scstory.vectors.hashing import HashingEncoder
from tests.conftest import make_article, make_stream

DAY, WEEK = timedelta(days=1), timedelta(days=7)
ENCODER = HashingEncoder(dim=64)


def stream_of(articles, label=lambda article: article.id.split("-")[0]):
    return load_stream([Item("x", a, label=label(a)) for a in articles], ENCODER)


def run(name, stream):
    engine = make_system(name, ENCODER)
    return evaluate(engine, stream.slides("1d"), stream.truth, window=WEEK, slide=DAY)


def test_windows_are_counted_from_the_end_of_the_first():
    daily = [make_article(n, "flood", day=n) for n in range(10)]
    assert run("one", stream_of(daily)).windows == 4  # days 7, 8, 9 and 10
    gaps = [make_article(n, "flood", day=day) for n, day in enumerate((0, 1, 20, 21))]
    assert run("one", stream_of(gaps)).windows == 2


def test_windowed_and_stream_scores_by_hand():
    # One flood a day for 14 days, all in one story: every window is perfect for `one`, and for
    # `singletons` a window of seven scores recall 1/7, the stream of fourteen 1/14.
    daily = stream_of([make_article(n, "flood", day=n) for n in range(14)])
    assert run("one", daily).windowed.b3_f1 == 1
    result = run("singletons", daily)
    assert result.windowed.b3_recall == pytest.approx(1 / 7)
    assert result.stream.b3_recall == pytest.approx(1 / 14)
    assert result.articles == 14


def test_a_change_of_mind_counts_from_when_it_is_made():
    class Fickle:
        learn_seconds = 0.0

        def __init__(self):
            self.inner, self.calls = make_system("singletons", ENCODER), 0

        def decide(self, articles):
            self.calls += 1
            return self.inner.decide(articles)

        def close(self):
            return self.inner.close()

        def finish(self):
            moved = [Assignment(f"flood-{n}", 99, 1.0, False, was=n + 1) for n in range(9)]
            return self.inner.finish() + (moved if self.calls == 9 else [])

    daily = stream_of([make_article(n, "flood", day=n) for n in range(9)])
    result = evaluate(Fickle(), daily.slides("1d"), daily.truth, window=WEEK, slide=DAY)
    assert result.windows == 3
    assert result.stream.b3_f1 == 1
    # Two windows of seven singletons, recall 1/7, then one window of one story.
    assert result.windowed.b3_recall == pytest.approx((1 / 7 + 1 / 7 + 1) / 3)
    # The first decisions stay nine singletons.
    assert result.first.b3_recall == pytest.approx(1 / 7)
    assert result.first_stream.b3_recall == pytest.approx(1 / 9)


def test_deciding_and_learning_are_timed_apart(monkeypatch):
    clock = iter(range(1000))  # every look at the clock is a second after the one before
    for module in ("discovery.engine", "evaluation.protocol"):
        monkeypatch.setattr(f"scstory.{module}.perf_counter", lambda: next(clock))
    daily = [make_article(n, "flood", day=n) for n in (0, 1, 3)]
    result = run("tfidf", stream_of(daily))
    # Four slides are learned from, the empty one of day 2 too, each for a second. Each day takes
    # one second and those that pass within: two where one slide closes, four where two do.
    assert result.learn_seconds == 4
    assert result.seconds == (1 + 2) + (1 + 2) + (1 + 4)
    assert result.decide_seconds == result.seconds - result.learn_seconds


def test_the_scores_of_every_window_are_kept():
    daily = stream_of([make_article(n, "flood", day=n) for n in range(9)])
    result = run("singletons", daily)
    assert [window.b3_recall for window in result.by_window] == [pytest.approx(1 / 7)] * 3
    early = stream_of([make_article(n, "flood", day=min(n, 7)) for n in range(9)])
    recalls = [window.b3_recall for window in run("singletons", early).by_window]
    assert recalls == [pytest.approx(1 / 7), pytest.approx(1 / 8)]
    assert run("singletons", early).windowed.b3_recall == pytest.approx((1 / 7 + 1 / 8) / 2)


def test_seeds_go_on_from_the_one_that_is_set(monkeypatch):
    ran = []
    monkeypatch.setattr(
        "scstory.evaluation.comparison.run_jobs",
        lambda jobs, *rest, **options: ran.extend(jobs) or jobs,
    )
    given = {"scstory": {"delta": 0.7}}
    compare_systems(
        [("scstory", "default"), ("tfidf", None)], None, ENCODER, seeds=2, seed=5, parameters=given
    )
    assert [(job.system, job.seed, job.parameters) for job in ran] == [
        ("scstory", 5, {"delta": 0.7}),
        ("scstory", 6, {"delta": 0.7}),
        ("tfidf", 5, {}),
    ]


@pytest.mark.parametrize(
    "articles",
    [
        [make_article(0, "flood")],
        [make_article(n, "flood") for n in range(5)],
        [make_article(n, topic) for n in range(3) for topic in ("flood", "trial")],
        [make_article(n, "flood", day=n) for n in range(12)],
    ],
    ids=["one article", "one story one day", "one day", "one story"],
)
@pytest.mark.parametrize("name", ["scstory", "singletons", "one", "tfidf"])
def test_odd_streams_give_sensible_numbers(articles, name):
    stream = stream_of(articles)
    (result,) = run_jobs(
        [Job(name, parameters={"batch_size": 8} if name == "scstory" else {})], stream, ENCODER
    )
    for scores in (result.windowed, result.stream, result.first, result.first_stream):
        assert all(np.isfinite(value) for value in asdict(scores).values())
        assert 0 < scores.b3_f1 <= 1


def test_articles_without_a_label_take_part_but_are_not_scored():
    articles = make_stream(9)
    some = stream_of(articles, lambda a: None if a.id.startswith("comet") else a.id.split("-")[0])
    result = run("tfidf", some)
    assert result.articles == sum(not a.id.startswith("comet") for a in articles)


def test_no_labels_at_all_is_said():
    with pytest.raises(
        UsageError, match="no article has a label: evaluating needs a field 'story'"
    ):
        stream_of(make_stream(2), lambda article: None)
    with pytest.raises(UsageError, match="no usable articles"):
        load_stream([], ENCODER)


def test_workers_give_what_one_process_gives_and_it_is_found_again(tmp_path):
    stream = stream_of(make_stream(9))
    quick = {"batch_size": 8, "warm_epochs": 1}
    jobs = [Job("tfidf"), Job("scstory", "paper", 1, parameters=quick)]
    seen = []
    alone = run_jobs(jobs, stream, ENCODER, workers=1, on_slide=lambda *at: seen.append(at))
    assert seen[-1] == (18, 18)
    together = run_jobs(jobs, stream, ENCODER, workers=2, finished=FinishedRuns(tmp_path))
    finished = FinishedRuns(tmp_path)
    assert [finished.find(job, stream, ENCODER.name) for job in jobs] == together
    for a, b in zip(alone, together, strict=True):
        assert a.windowed.b3_f1 == pytest.approx(b.windowed.b3_f1)
        assert (a.windows, a.articles) == (b.windows, b.articles)


def test_tuning_marks_the_best_setting_and_keeps_the_untuned_row():
    stream = stream_of(make_stream(9))
    plan = [("tfidf", None), ("singletons", None)]
    rows = compare_systems(plan, stream, ENCODER, tune=True, workers=1)
    assert [(row.system, row.tuned) for row in rows] == [
        ("tfidf", False),
        ("tfidf", True),
        ("singletons", False),
    ]
    assert rows[1].windowed.b3_f1 >= rows[0].windowed.b3_f1
    assert rows[1].parameters["threshold"] in [g["threshold"] for g in tuning_grid("tfidf")]
    assert rows[1].tuned_by == ("windowed", "stream")


def trial(threshold, windowed, stream):
    """Return a row of the TF-IDF single pass with these B³-F1."""
    window, whole = (Scores(1.0, 1.0, f1, 1.0, 1.0) for f1 in (windowed, stream))
    result = Result((window,), whole, window, whole, 1, 0.0, 0.0)
    return Row("tfidf", None, [result], parameters={"threshold": threshold})


def tuned(*trials):
    rows = tuned_rows([trial(*values) for values in trials])
    return [(row.parameters["threshold"], row.tuned_by, row.edges) for row in rows]


def test_tuning_shows_the_best_over_windows_and_the_best_over_the_stream():
    assert tuned((0.1, 0.8, 0.7), (0.2, 0.9, 0.5), (0.3, 0.7, 0.6)) == [
        (0.2, ("windowed",), ()),
        (0.1, ("stream",), ()),
    ]
    assert tuned((0.1, 0.8, 0.7), (0.2, 0.9, 0.8)) == [(0.2, ("windowed", "stream"), ())]


def test_of_equals_tuning_takes_the_better_by_the_other_score_then_one_inside_the_grid():
    assert tuned((0.1, 0.9, 0.6), (0.2, 0.9, 0.7), (0.3, 0.8, 0.7)) == [
        (0.2, ("windowed", "stream"), ())
    ]
    assert tuned((0.05, 0.9, 0.7), (0.1, 0.9, 0.7)) == [(0.1, ("windowed", "stream"), ())]


def test_an_optimum_at_the_edge_of_the_grid_is_reported():
    (row,) = tuned_rows([trial(0.05, 0.9, 0.7), trial(0.1, 0.8, 0.6)])
    assert row.edges == ("threshold",)
    assert row.label == "tfidf, tuned on labels (windowed and stream: threshold=0.05) †"
    assert edges_line([trial(0.1, 0.8, 0.6)]) == ""
    assert edges_line([row]).endswith(": threshold of tfidf (windowed and stream)")
    found = row.as_json(data="d", encoder="e", encode_seconds=0)
    assert (found["tuned"], found["tuned_by"]) == (True, ["windowed", "stream"])
    assert found["grid_edges"] == ["threshold"]


def test_a_row_says_which_tools_a_system_used():
    stream = stream_of(make_stream(3))
    rows = compare_systems(
        [("batclus", None), ("tfidf", None)],
        stream,
        ENCODER,
        parameters={"batclus": {"memory": "30d"}},
        workers=1,
    )
    assert [row.label for row in rows] == ["batclus, memory 30d", "tfidf"]
    assert rows[0].description.startswith("stems by snowballstemmer")
    assert notes(rows) == [f"batclus: {rows[0].description}"]
    found = rows[0].as_json(data="d", encoder="e", encode_seconds=0)
    assert found["description"] == rows[0].description


def test_what_is_set_stays_while_the_rest_is_tuned(monkeypatch):
    ran = []
    monkeypatch.setattr(
        "scstory.evaluation.comparison.run_rows",
        lambda jobs, *rest, **options: (
            ran.extend(jobs) or [replace(trial(0.1, 1, 1), parameters=j.parameters) for j in jobs]
        ),
    )
    plan = [("tfidf", None)]
    compare_systems(plan, None, ENCODER, tune=True, parameters={"tfidf": {"threshold": 0.7}})
    assert [job.parameters["threshold"] for job in ran] == [
        0.7,
        *(values["threshold"] for values in tuning_grid("tfidf")),
    ]


@pytest.mark.parametrize("system", ["scstory", "hrstory"])
def test_learned_systems_compute_on_the_device_of_the_job(system):
    stream = stream_of(make_stream(2))
    with pytest.raises(ConfigError, match="device nowhere: cannot be used"):
        run_jobs([Job(system, device="nowhere")], stream, ENCODER)
    with pytest.raises(ConfigError, match="device nowhere: cannot be used"):
        compare_systems([(system, "paper")], stream, ENCODER, device="nowhere", workers=1)


def test_every_name_and_ablation_makes_a_system():
    for name in system_names():
        assert make_system(name, ENCODER)
    for preset in PRESETS:
        for switches in ablations(preset).values():
            assert make_system("scstory", ENCODER, preset=preset, parameters=switches)


def test_replay_reaches_back_by_windows():
    memory = {name: switches.get("memory") for name, switches in ablations("paper", "36h").items()}
    assert memory["replay from the last two windows"] == "259200s"
    assert memory["replay from the last three windows"] == "388800s"
    system = make_system("scstory", ENCODER, preset="paper", parameters={"memory": "259200s"})
    assert system.settings.memory_length == timedelta(days=3)


def test_what_is_read_of_an_article_is_the_systems_setting():
    (slide,) = stream_of([make_article(n, "flood") for n in range(3)]).slides("1d")
    engine = make_system("scstory", ENCODER, parameters={"max_sentences": 3, "lede_sentences": 0})
    engine.decide(slide)
    window = engine.scope.window
    assert window.lengths.tolist() == [3] * 3
    title, lede = (field_of(window.terms, FIELDS.index(name)) for name in ("title", "lede"))
    assert (title != lede).nnz == 0
    other = make_system("scstory", ENCODER, parameters={"lede_sentences": 0})
    other.decide(slide)
    lede = field_of(other.scope.window.terms, FIELDS.index("lede"))
    assert (title != lede).nnz == 0
