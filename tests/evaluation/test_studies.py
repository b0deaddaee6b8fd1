"""Studies on small streams: four files each, numbers that can be checked, and the formulas."""

import csv
import math
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import torch

from scstory.discovery.presets import PRESETS, make_settings
from scstory.errors import ConfigError, EncoderError, UsageError
from scstory.evaluation.harness import load_stream
from scstory.evaluation.metrics import score
from scstory.evaluation.studies import STUDIES, Setting, find_study, write_outcome
from scstory.evaluation.studies.ablation import ablation
from scstory.evaluation.studies.case_picture import view_of
from scstory.evaluation.studies.case_study import case_study
from scstory.evaluation.studies.embedding_quality import (
    alignment,
    draw_pairs,
    embedding_quality,
    separation,
    uniformity,
)
from scstory.evaluation.studies.embeddings import (
    cosines,
    sentence_mean,
    tfidf,
    trace_scstory,
    unit,
    whole_article,
)
from scstory.evaluation.studies.output import escaped, short
from scstory.evaluation.studies.overall import overall
from scstory.evaluation.studies.scalability import Compared, scalability
from scstory.evaluation.studies.sensitivity import AXES, sensitivity
from scstory.evaluation.studies.transformer import TokenMean
from scstory.feeds import Item
from scstory.types import Article
from scstory.vectors.hashing import HashingEncoder
from tests.conftest import make_article, make_stream

ENCODER = HashingEncoder(dim=32)
FAST = {"batch_size": 64, "warm_epochs": 1}
"""For the paper's preset."""
FAST_ANY = {"batch_size": 64}
"""For every preset."""
TOPICS = ("flood", "trial", "comet", "strike")


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """So little work is done sooner by one thread than by two that wait for each other."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def stream_of(articles, label=lambda article: article.id.split("-")[0]):
    return load_stream([Item("x", a, label=label(a)) for a in articles], ENCODER)


@pytest.fixture(scope="module")
def setting():
    stream = stream_of(make_stream(9, TOPICS))
    return Setting(stream, ENCODER, parameters=FAST, workers=1)


@pytest.fixture(scope="module")
def brief():
    """A setting that is run quickly, for studies of many runs."""
    return Setting(stream_of(make_stream(4, TOPICS)), ENCODER, parameters=FAST, workers=1)


@pytest.fixture(scope="module")
def case(setting):
    """What the case study found."""
    return case_study(setting)


def written(outcome, folder, name="study"):
    """Write a study, look at all four files, return its CSV records and its page."""
    files = write_outcome(outcome, folder, name, command="scstory study x", about="Some data.")
    assert [file.name for file in files] == [
        f"{name}.{kind}" for kind in ("md", "csv", "png", "svg")
    ]
    page, data, png, svg = files
    assert png.read_bytes().startswith(b"\x89PNG")
    width = int.from_bytes(png.read_bytes()[16:20], "big")
    assert width == round(outcome.size[0] * 300)
    assert ElementTree.parse(svg).getroot().tag.endswith("svg")
    text = page.read_text("utf-8")
    assert text.startswith(f"# {outcome.title}\n")
    assert f"({name}.png)" in text
    assert "$ scstory study x" in text
    with data.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file)), text


def numbers(records, name):
    return [float(record[name]) for record in records]


# -- formulas ---------------------------------------------------------------------------------


def test_alignment_by_hand():
    # The squared distance of unit vectors at a right angle is 2, of opposite ones 4.
    rows = unit(np.array([[1, 0], [0, 2], [-3, 0]], dtype=np.float32))
    cos = cosines(rows, np.array([0, 0, 0]), np.array([0, 1, 2]))
    np.testing.assert_allclose(cos, [1, 0, -1], atol=1e-7)
    assert alignment(cos) == pytest.approx((0 + 2 + 4) / 3)
    assert alignment(np.array([1.0, 1.0])) == 0


def test_uniformity_by_hand():
    cos = np.array([1.0, 0.0, -1.0])
    by_hand = math.log((1 + math.exp(-2 * 2) + math.exp(-2 * 4)) / 3)
    assert uniformity(cos) == pytest.approx(by_hand)
    assert uniformity(np.array([1.0])) == 0  # all in one place
    assert uniformity(np.array([-1.0])) == pytest.approx(-8)


def test_formulas_agree_with_distances():
    rng = np.random.default_rng(1)
    rows = unit(rng.normal(size=(40, 5)).astype(np.float32))
    first, second = rng.integers(40, size=(2, 200))
    square = ((rows[first] - rows[second]).astype(float) ** 2).sum(axis=1)
    cos = cosines(rows, first, second)
    assert alignment(cos) == pytest.approx(square.mean(), abs=1e-5)
    assert uniformity(cos) == pytest.approx(math.log(np.exp(-2 * square).mean()), abs=1e-5)


def test_separation_is_one_when_all_positives_are_closer():
    assert separation(np.array([0.9, 0.8]), np.array([0.1, 0.7, 0.2])) == 1
    assert separation(np.array([0.5]), np.array([0.5])) == 0.5
    assert separation(np.array([0.0]), np.array([0.5, 0.6])) == 0


@pytest.mark.parametrize("count", [1000, 5])
def test_pairs_are_of_one_group_and_share_a_window(count):
    rng = np.random.default_rng(0)
    times = np.array([0.0, 5.0, 1.0, 2.0, 9.0, 3.0, 2.5])
    groups = np.array([0, 0, 1, 0, 1, 1, 0])
    since = times - 3
    expected = {
        frozenset((i, j))
        for i in range(7)
        for j in range(7)
        if i != j and groups[i] == groups[j] and since[j] <= times[i] <= times[j]
    }
    first, second = draw_pairs(times, since, groups, count, rng)
    drawn = [frozenset(pair) for pair in zip(first.tolist(), second.tolist(), strict=True)]
    assert len(set(drawn)) == len(drawn) == min(count, len(expected))
    assert set(drawn) <= expected
    assert (times[first] <= times[second]).all()


def test_no_pairs_of_nothing():
    nothing = np.empty(0)
    first, second = draw_pairs(nothing, nothing, nothing.astype(int), 3, np.random.default_rng(0))
    assert len(first) == len(second) == 0


# -- ways to embed ----------------------------------------------------------------------------


def test_every_embedding_has_a_unit_row_an_article(setting):
    stream = setting.stream
    count = len(stream.articles)
    for rows in (sentence_mean(stream), whole_article(stream, ENCODER)):
        assert rows.shape == (count, ENCODER.dim)
        np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    sparse = tfidf(stream, "1d")
    same = np.arange(count)
    np.testing.assert_allclose(cosines(sparse, same, same), 1, atol=1e-9)
    dense = sparse.toarray()
    np.testing.assert_allclose(
        cosines(sparse, same[1:], same[:-1]), (dense[1:] * dense[:-1]).sum(1)
    )


def test_tfidf_never_counts_ahead():
    articles = make_stream(6, TOPICS)
    whole, part = tfidf(stream_of(articles), "1d"), tfidf(stream_of(articles[:8]), "1d")
    assert abs(whole[:8] - part).max() == 0


@pytest.mark.parametrize("preset", ["paper", "default"])
def test_a_trace_has_every_article(setting, preset):
    stream = setting.stream
    trace = trace_scstory(Setting(stream, ENCODER, preset=preset, parameters=FAST_ANY))
    ids = {article.id for article in stream.articles}
    assert trace.vectors.keys() == trace.weights.keys() == trace.stories.keys() == ids
    for article, reading in zip(stream.articles, stream.readings, strict=True):
        assert len(trace.weights[article.id]) == len(reading.sentences)
        assert trace.weights[article.id].sum() == pytest.approx(1, abs=1e-5)


def test_a_trace_is_of_the_last_slide_an_article_was_in_the_window():
    articles = [make_article(n, "flood", day=9 * n) for n in range(3)]
    short = Setting(stream_of(articles), ENCODER, preset="default", parameters={"batch_size": 8})
    first = Setting(stream_of(articles[:1]), ENCODER, preset="default", parameters=short.parameters)
    whole, part = trace_scstory(short), trace_scstory(first)
    # It has left the window before anything else comes: what was traced of it stays.
    assert np.array_equal(whole.vectors["flood-0"], part.vectors["flood-0"])
    assert np.array_equal(whole.weights["flood-0"], part.weights["flood-0"])


@pytest.fixture(scope="module")
def tiny_transformers(tmp_path_factory):
    """A BERT and a Longformer of one small layer, made here."""
    from transformers import (
        BertConfig,
        BertModel,
        BertTokenizerFast,
        LongformerConfig,
        LongformerModel,
    )

    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", *letters]
    words += [f"##{letter}" for letter in letters]
    size = {
        "vocab_size": len(words),
        "hidden_size": 16,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "intermediate_size": 16,
        "pad_token_id": 0,
    }
    folders = []
    for model in (
        BertModel(BertConfig(**size, max_position_embeddings=24)),
        LongformerModel(
            LongformerConfig(**size, max_position_embeddings=257, attention_window=[8])
        ),
    ):
        folder = tmp_path_factory.mktemp("model") / model.config.model_type
        folder.mkdir()
        (folder / "vocab.txt").write_text("\n".join(words))
        BertTokenizerFast(vocab=str(folder / "vocab.txt")).save_pretrained(folder)
        model.save_pretrained(folder)
        folders.append(folder)
    return folders


def test_token_means_are_the_same_in_any_company(tiny_transformers):
    texts = ["short", "a text of some more words than that one has", "word " * 400, "short"]
    for folder in tiny_transformers:
        model = TokenMean(str(folder))
        assert model.name == folder.name
        together = model.encode(texts)
        alone = np.concatenate([model.encode([text]) for text in texts])
        assert together.shape == (4, 16)
        np.testing.assert_allclose(together, alone, atol=1e-5)


def test_token_mean_by_hand(tiny_transformers):
    from transformers import AutoModel, AutoTokenizer

    folder = tiny_transformers[0]
    tokens = AutoTokenizer.from_pretrained(folder)("river flood", return_tensors="pt")
    with torch.no_grad():
        hidden = AutoModel.from_pretrained(folder).eval()(**tokens).last_hidden_state[0]
    found = TokenMean(str(folder)).encode(["river flood"])[0]
    np.testing.assert_allclose(found, hidden.mean(0).numpy(), atol=1e-5)


def test_a_transformer_that_cannot_be_had_is_one_line():
    with pytest.raises(EncoderError, match="transformer ./nowhere: cannot be loaded") as caught:
        TokenMean("./nowhere")
    assert "\n" not in str(caught.value)


# -- studies ----------------------------------------------------------------------------------


def test_unknown_study():
    with pytest.raises(ConfigError, match="study 'table1': there are overall, ablation, embedding"):
        find_study("table1")
    assert all(find_study(name) is study for name, study in STUDIES.items())


def test_overall(setting, tmp_path):
    both = Setting(setting.stream, ENCODER, parameters=FAST_ANY, workers=1)
    outcome = overall(both, systems=["scstory", "tfidf", "mean"])
    records, text = written(outcome, tmp_path)
    assert [(r["system"], r["preset"], r["tuned"]) for r in records] == [
        ("scstory", "paper", "no"),
        ("scstory", "default", "no"),
        ("tfidf", "", "no"),
        ("tfidf", "", "windowed stream"),
        ("mean", "", "no"),
        ("mean", "", "windowed stream"),
        ("singletons", "", "no"),
        ("one", "", "no"),
    ]
    assert all(0 <= score <= 1 for score in numbers(records, "b3_f1"))
    assert float(records[3]["b3_f1"]) >= float(records[2]["b3_f1"])
    assert float(records[-2]["b3_precision"]) == float(records[-1]["b3_recall"]) == 1
    assert "| tfidf, tuned on labels (windowed and stream: threshold=0." in text


def test_overall_also_gives_systems_the_memory_of_the_default(setting, tmp_path):
    quick = Setting(setting.stream, ENCODER, parameters=FAST_ANY, workers=1)
    records, text = written(overall(quick, systems=["batclus+pse"]), tmp_path)
    assert [(r["system"], r["parameters"]) for r in records][-1] == ("batclus+pse", "memory=365d")
    assert "| batclus+pse, memory 365d |" in text
    assert "“Memory” lets a system join clusters that left the window" in text


def test_overall_with_one_preset_and_seeds(setting, tmp_path):
    one = Setting(
        setting.stream, ENCODER, preset="default", parameters=FAST_ANY, seeds=2, workers=1
    )
    records, text = written(overall(one, systems=["scstory"]), tmp_path)
    assert [(r["system"], r["preset"]) for r in records[:1]] == [("scstory", "default")]
    assert [r["seeds"] for r in records] == ["2", "1", "1"]
    assert "mean of 2 seeds" in text


def test_ablation(setting, tmp_path):
    variants = {"without augmentation": {"augmentation": "none"}, "no M": {"learned": False}}
    records, text = written(ablation(setting, variants=variants), tmp_path)
    assert [r["variant"] for r in records] == ["SCStory (paper)", *variants]
    assert records[1]["parameters"].endswith("augmentation=none")
    change = float(records[2]["b3_f1"]) - float(records[0]["b3_f1"])
    assert f"| {change:+.3f} |" in text


def test_sensitivity_runs_around_the_preset(brief, tmp_path):
    axes = {"paper": {name: AXES["paper"][name] for name in ("delta", "learning_rate")}}
    records, text = written(sensitivity(brief, axes=axes), tmp_path)
    assert {r["preset"] for r in records} == {"paper"}
    assert [(r["parameter"], float(r["value"])) for r in records] == [
        *(("delta", value) for value in (0.3, 0.4, 0.5, 0.6, 0.7)),
        *(("learning_rate", value) for value in (1e-6, 3e-6, 1e-5, 3e-5, 1e-4)),
    ]
    assert records[2]["b3_f1"] == records[7]["b3_f1"]  # both are the preset
    assert text.count("(preset)") == 2


def test_sensitivity_of_both_presets(brief, tmp_path):
    axes = {preset: {"delta": AXES[preset]["delta"]} for preset in ("paper", "default")}
    records, text = written(sensitivity(brief, axes=axes), tmp_path)
    assert [r["preset"] for r in records] == ["paper"] * 5 + ["default"] * 5
    assert text.count("(preset)") == 2
    one, _ = written(sensitivity(replace(brief, preset="default"), axes=axes), tmp_path)
    assert one == records[5:]


def test_the_axes_follow_the_preset():
    assert AXES.keys() == PRESETS.keys()
    for preset in PRESETS:
        settings = make_settings(preset)
        for name, axis in AXES[preset].items():
            values = axis.values(settings)
            assert getattr(settings, name) in values
            assert sorted(set(values)) == list(values)
            for value in values:
                make_settings(preset, {name: value})


def alone(setting, preset, window):
    """Return the score of a preset of SCStory as a CSV file has it."""
    (row,) = replace(setting, preset=preset, window=window).run(
        replace(setting, preset=preset, window=window).jobs(["scstory"])
    )
    return str(row.windowed.b3_f1)


def test_scalability(setting, tmp_path):
    systems = {
        "SCStory": Compared("scstory"),
        "SCStory-MR7": Compared("scstory", {"memory": "7d"}),
        "SCStory default": Compared("scstory", preset="default"),
        "mean PSE": Compared("mean"),
    }
    outcome = scalability(setting, windows=("3d", "7d"), systems=systems)
    records, text = written(outcome, tmp_path)
    assert [(r["system"], r["window"]) for r in records] == [
        (system, window) for system in systems for window in ("3d", "7d")
    ]
    assert all(seconds > 0 for seconds in numbers(records, "deciding_per_window"))
    learning = dict(zip(systems, numbers(records, "learning_per_window")[1::2], strict=True))
    assert learning["SCStory"] > learning["mean PSE"]
    assert records[5]["b3_f1"] == alone(setting, "default", "7d")
    assert records[1]["b3_f1"] == records[3]["b3_f1"]  # a window of 7 days is what MR7 replays
    assert numbers(records, "windows") == [7, 3] * 4
    assert "s/window, 7d" in text


def test_scalability_refuses_what_is_no_system_before_it_runs(setting):
    with pytest.raises(ConfigError, match="system 'nothing'"):
        scalability(setting, systems={"x": Compared("nothing")})


def test_embedding_quality(setting, tmp_path):
    records, text = written(embedding_quality(setting, pairs=300), tmp_path)
    assert [r["embedding"] for r in records] == [
        "TF-IDF",
        "PSE, whole article",
        "PSE, sentence mean",
        "SCStory (paper)",
    ]
    for record in records:
        assert 0 <= float(record["alignment"]) <= 4
        assert -8 <= float(record["uniformity"]) <= 0
        assert float(record["positive_mean"]) > float(record["negative_mean"])
        assert 0.5 < float(record["auc"]) <= 1
        by_mean = 2 - 2 * float(record["positive_mean"])
        assert float(record["alignment"]) == pytest.approx(by_mean, abs=1e-6)
    assert "name one with --bert" in text
    assert "name one with --longformer" in text
    assert "300 positive, 300 negative and 300 random pairs" in text


def test_embedding_quality_with_transformers(setting, tiny_transformers, tmp_path):
    bert, longformer = map(str, tiny_transformers)
    with_both = Setting(setting.stream, ENCODER, parameters=FAST, bert=bert, longformer=longformer)
    records, text = written(embedding_quality(with_both, pairs=100), tmp_path)
    assert [r["embedding"] for r in records] == [
        "TF-IDF",
        "bert, token mean",
        "PSE, whole article",
        "PSE, sentence mean",
        "longformer, token mean",
        "SCStory (paper)",
    ]
    assert "not run" not in text


def test_embedding_quality_needs_pairs():
    lonely = stream_of([make_article(n, t) for n, t in enumerate(TOPICS)])
    with pytest.raises(UsageError, match="no pairs to compare: within 7d"):
        embedding_quality(Setting(lonely, ENCODER, parameters=FAST))


def test_embedding_quality_says_which_kinds_were_not_run(setting, tmp_path):
    _, text = written(embedding_quality(setting, pairs=100), tmp_path)
    assert "| BERT, token mean | not run: name one with --bert |" in text
    assert "| Longformer, token mean | not run: name one with --longformer |" in text


def test_case_study_shows_what_each_system_found(case, tmp_path):
    records, text = written(case, tmp_path)
    systems = ("NewsLens", "BatClus", "DenSps", "SCStory (default)", "SCStory (paper)")
    header = next(line for line in text.splitlines() if line.startswith("| story |"))
    assert header == f"| story | label | articles | {' | '.join(systems)} |"
    truth = [r["label"] for r in records]
    cells = next(line for line in text.splitlines() if line.startswith("| B³-F1 |")).split(" | ")
    for system, cell in zip(systems, cells[3:], strict=True):
        found = [r[f"found by {system}"] for r in records]
        assert cell.removesuffix(" |") == f"{score(truth, found).b3_f1:.3f}"


def test_a_view_says_which_articles_are_wrong_or_apart():
    story, found = np.array([0, 0, 0, 1, 1, 1]), np.array([5, 5, 6, 7, 7, 5])
    view = view_of("x", story, found)
    assert view.matched.tolist() == [0, 0, 0, 1, 1, 0]
    assert view.main.tolist() == [True, True, False, True, True, False]


def test_case_study(setting, case, tmp_path):
    records, text = written(case, tmp_path)
    assert len(records) == len(setting.stream.articles)
    assert {r["label"] for r in records} == set(TOPICS)
    places = [(r["before_x"], r["before_y"], r["after_x"], r["after_y"]) for r in records]
    assert np.isfinite(np.array(places, dtype=float)).all()
    marked = {r["boundary"]: r["label"] for r in records if r["boundary"]}
    assert sorted(marked) == ["A", "B"]
    assert marked["A"] != marked["B"]
    assert "## A. " in text
    assert "Silhouette" in text
    assert text.index("- Maps by") < text.index("## A. ") < text.index("Made by")


def test_case_study_with_odd_texts_and_fewer_sentences(tmp_path):
    def odd(article, number):
        text = article.text + " Paid $5 or $6_{x for | a * `pipe` 中文 " + "x" * 90 + "."
        title = f"{article.title} $1 <b>[link](x)</b> $2"
        return Article(article.id, article.published, title, text)

    articles = [odd(a, n) for n, a in enumerate(make_stream(8, TOPICS[:2]))]
    short_ones = Setting(stream_of(articles), ENCODER, parameters={**FAST, "max_sentences": 3})
    records, text = written(case_study(short_ones), tmp_path)
    assert "Its 3 sentences" in text
    assert "\\<b\\>" in text
    assert {r["label"] for r in records} == {"flood", "trial"}


@pytest.mark.parametrize("study", [case_study, embedding_quality])
def test_centring_is_told_apart_from_learning(setting, study):
    for preset, told in (("paper", False), ("default", True)):
        outcome = study(Setting(setting.stream, ENCODER, preset=preset, parameters=FAST_ANY))
        assert any("not from learning" in note for note in outcome.notes) == told


def test_case_study_needs_stories():
    one = stream_of(make_stream(4, ("flood",)))
    with pytest.raises(UsageError, match="too few stories"):
        case_study(Setting(one, ENCODER, parameters=FAST))


def test_the_same_study_gives_the_same_files(setting, case, tmp_path):
    for name, outcome in (("one", case), ("two", case_study(setting))):
        written(outcome, tmp_path / name)
    for kind in ("md", "csv", "png", "svg"):
        first, second = (tmp_path / name / f"study.{kind}" for name in ("one", "two"))
        assert first.read_bytes() == second.read_bytes()


def test_articles_without_a_label_take_part_but_are_not_shown(tmp_path):
    stream = stream_of(
        make_stream(8, TOPICS), lambda a: None if a.id.startswith("strike") else a.id.split("-")[0]
    )
    setting = Setting(stream, ENCODER, parameters=FAST)
    records, _ = written(case_study(setting), tmp_path)
    assert {r["label"] for r in records} == set(TOPICS[:3])
    written(embedding_quality(setting, pairs=50), tmp_path)


# -- output -----------------------------------------------------------------------------------


def test_no_pyplot():
    import sys

    folder = Path(sys.modules["scstory.evaluation.studies"].__file__).parent
    assert all("pyplot" not in file.read_text() for file in folder.glob("*.py"))


def test_text_from_outside_is_made_harmless():
    assert escaped("a\n# b | <i>") == "a \\# b \\| \\<i\\>"
    assert short("x" * 50, 10) == "x" * 9 + "…"
    assert short("a\x1b[31m b\u202ec", 40) == "a [31m b c"
    assert short("", 10) == ""


def test_a_folder_that_cannot_be_written(setting, tmp_path):
    (tmp_path / "file").write_text("")
    outcome = sensitivity(setting, axes={})
    with pytest.raises(UsageError, match="file: cannot be written .*; set --out"):
        write_outcome(outcome, tmp_path / "file", "x", command="", about="")
