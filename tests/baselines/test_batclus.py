from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from scstory.baselines import make_baseline
from scstory.baselines.batclus import assign, closeness
from scstory.baselines.inner_products import InnerProducts
from scstory.discovery.slides import EPOCH
from scstory.errors import ConfigError
from scstory.types import Article
from tests.baselines.slides import make_engine, process, stories_of
from tests.conftest import START, encoded, make_article


def products(articles, stories):
    return InnerProducts.of(np.array(articles, dtype=float), np.array(stories, dtype=float))


def clock(*times):
    """Return newest, oldest, sum and number of each cluster's times."""
    return np.array([[max(t), min(t), sum(t), len(t)] for t in times], dtype=float).T


def test_closeness_in_time():
    # Newest on day 4, oldest on day 0, mean 2.
    found = closeness(7.0, clock([0, 4], [7]))
    assert found[:, 0] == pytest.approx([np.exp(-9 / 18), np.exp(-49 / 18), np.exp(-25 / 18)])
    assert found[:, 1] == pytest.approx([1, 1, 1])


def test_the_score_must_exceed_tau():
    same, clocks = products([[1, 0]], [[2, 0]]), clock([5, 5])  # cosine 1, times 3: a score of 4
    assert assign([same], [5.0], clocks, tau=3.9)[0] == [0]
    assert assign([same], [5.0], clocks, tau=4.0)[0] == [1]
    assert assign([same, same], [5.0], clocks, tau=4.9)[0] == [0]


def test_time_decides_between_equally_similar_clusters():
    kinds = [products([[1, 0]], [[1, 0], [1, 0]])]
    assert assign(kinds, [9.0], clock([1], [8]), tau=1)[0] == [1]


def test_articles_of_a_slide_see_each_other():
    kinds = [products([[1, 0], [0, 1], [0.6, 0.8]], np.zeros((0, 2)))]
    joined, clocks = assign(kinds, [1.0, 2.0, 3.0], np.zeros((4, 0)), tau=3.2)
    assert joined == [0, 1, 1]
    assert clocks.T.tolist() == [[1, 1, 1, 1], [3, 2, 5, 2]]


def test_an_empty_vector_is_similar_to_nothing():
    kinds = [products([[0, 0]], [[1, 0]])]
    assert assign(kinds, [1.0], clock([1]), tau=2.9)[0] == [0]  # by time alone
    assert assign(kinds, [1.0], clock([1]), tau=3.0)[0] == [1]


def test_a_cluster_keeps_the_sums_of_articles_that_left_the_window():
    engine = make_engine("batclus", tau=1)
    for day in range(0, 12, 2):
        process(engine, [replace(make_article(0, "flood", day=day), id=f"{day}")])
    meta, arrays = engine.method.remember()
    assert meta["clusters"] == [1]
    assert arrays["clocks"][3].tolist() == [6]
    assert stories_of(engine) == [1] * 4
    process(engine, [make_article(0, "trial", day=40)])
    assert engine.method.remember()[0]["clusters"] == [2]


@pytest.mark.parametrize(("memory", "clusters"), [("", [2]), ("39d", [2]), ("41d", [1, 2])])
def test_with_memory_a_cluster_outlives_its_articles_in_the_window(memory, clusters):
    engine = make_engine("batclus", memory=memory)
    process(engine, [make_article(0, "flood")])
    process(engine, [make_article(0, "trial", day=39.5)])
    assert engine.method.remember()[0]["clusters"] == clusters
    assert list(engine.method.resumable()) == clusters


def test_a_remembered_cluster_is_joined_by_words_alone():
    sentences = ("Ann Lanning Warns Kelby", "Mill Lane broke in Kelby.", "So said Ann Lanning.")
    first, again = (
        encoded(
            Article(f"{day}", START + timedelta(days=day), sentences[0], " ".join(sentences[1:])),
            sentences,
            np.ones((3, 2), dtype=np.float32),
        )
        for day in (0, 60)
    )
    # The same text has nine cosines of 1, and times so far apart count nothing.
    for tau, stories in ((8.9, [1, 1]), (9.1, [1, 2])):
        engine = make_engine("batclus", memory="365d", tau=tau)
        assert [d.story for a in (first, again) for d in process(engine, [a])] == stories


def test_the_annotator_is_said_and_an_unknown_one_is_refused():
    assert make_baseline("batclus").description.startswith("stems by snowballstemmer 3")
    assert make_baseline("batclus+pse").description == ""
    with pytest.raises(ConfigError, match="annotator 'best': there are snowball, spacy"):
        make_baseline("batclus", annotator="best")


def test_articles_without_a_title_or_body_have_no_vector_there():
    def decide(title, text, vectors):
        sentences = tuple(part for part in (title, text) if part)
        engine = make_engine("batclus+pse")
        article = Article("a", START, title, text)
        process(engine, [encoded(article, sentences, np.array(vectors, dtype=np.float32))])
        _, arrays = engine.method.remember()
        return [arrays[f"{n}.dense"][0].tolist() for n in range(3)]

    assert decide("t", "b", [[1, 0], [0, 2]])[:2] == [[1, 0], [0, 1]]
    assert decide("", "b", [[0, 2]]) == [[0, 0], [0, 1], [0, 1]]
    assert decide("t", "", [[2, 0]]) == [[1, 0], [0, 0], [1, 0]]


def test_late_articles_count_from_when_they_came():
    engine = make_engine("batclus", tau=5)
    process(engine, [make_article(0, "flood", day=3)])
    process(engine, [make_article(0, "trial", day=0)])
    newest, oldest, *_ = engine.method.remember()[1]["clocks"]
    third_day = (START - EPOCH).days + 3
    assert newest.tolist() == oldest.tolist() == [third_day + 8 / 24, third_day]
