from datetime import timedelta

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.spatial.distance import jensenshannon

from scstory.baselines.ustory import (
    KEYWORDS,
    Themes,
    agreement,
    best_clusters,
    confident,
    rarity,
    sentence_terms,
    top_terms,
    weighted_mean,
)
from scstory.types import Article
from tests.baselines.slides import make_engine, process, stories_of
from tests.conftest import START, encoded

WORDS = {
    "flood": "river dam boats rain shelter water homes banks rescue mud",
    "trial": "court jury judge verdict witness fraud appeal lawyer plea bail",
}


def articles(topic, *, count=1, day=0, first=0):
    """Return articles that are alike, their sentences along one axis for each topic."""
    vectors = np.zeros((2, 3), dtype=np.float32)
    vectors[0, 2] = 1.0  # the first sentence says nothing
    vectors[1, list(WORDS).index(topic)] = 1.0
    found = []
    for n in range(first, first + count):
        time = START + timedelta(days=day, minutes=n)
        article = Article(f"{topic}{day}.{n}", time, "So it goes", WORDS[topic] + ".")
        found.append(encoded(article, ("So", article.text), vectors))
    return found


def padded(*rows):
    columns = [[column for column, _ in row] + [0] * (KEYWORDS - len(row)) for row in rows]
    uses = [[n for _, n in row] + [0] * (KEYWORDS - len(row)) for row in rows]
    return Themes(np.array(columns), np.array(uses, dtype=float), np.array(uses, dtype=float))


def test_terms_are_words_and_bigrams_within_a_sentence():
    counts = sentence_terms(["River dam, river dam 2015.", "Dam river.", "It is."])
    assert counts.sum(axis=1).tolist() == [4 + 3, 2 + 1, 0]  # the number is no word
    shared = set(counts[[0]].indices) & set(counts[[1]].indices)
    assert len(shared) == 3  # river, dam and "dam river"
    assert len(set(counts[[0]].indices) - shared) == 1  # "river dam"


def test_a_term_of_few_rows_is_rare_and_old_rows_count_less():
    counts = csr_array(np.array([[1.0, 2.0, 0.0], [0.0, 5.0, 0.0]]))
    found = rarity(counts, np.array([1.0, 0.5]))
    assert found == pytest.approx(np.log([3 / 2, 3 / 2.5, 3]) + 1)


def test_the_keywords_of_a_story_are_those_of_few_stories():
    # Both stories have "police" most; it says nothing about which of them an article belongs to.
    tally = csr_array(np.array([[9.0, 8.0, 0.0], [9.0, 0.0, 8.0]]))
    themes = top_terms(tally, rarity(tally, np.ones(2)))
    assert themes.columns[:, 0].tolist() == [1, 2]


def test_the_tightest_clusters_of_several_starts():
    angles = np.radians([0, 2, 4, 60, 62, 64, 120, 122, 124])
    vectors = 3 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    assert best_clusters(vectors, seed_size=3).tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]


def test_an_article_is_seen_as_it_was_when_it_came():
    engine = make_engine("ustory")
    process(engine, articles("flood"))
    before = engine.method.remember()[1]["vectors"].tolist()
    assert before == [[1, 0, 0]]  # the sentence without a keyword does not count
    process(engine, articles("trial", count=3, day=1))
    assert engine.method.remember()[1]["vectors"][:1].tolist() == before


def test_a_theme_is_the_ten_terms_of_highest_tf_idf():
    counts = csr_array(np.array([[3.0, 1.0, *[1.0] * 10], [0, 0, 2.0, *[0.0] * 9]]))
    idf = np.array([1.0, 9.0, *[2.0] * 10])
    themes = top_terms(counts, idf)
    assert themes.columns[0].tolist() == [1, 0, 2, 3, 4, 5, 6, 7, 8, 9]
    assert themes.scores[0].tolist() == [9, 3, *[2] * 8]
    assert themes.columns[1, 0] == 2
    assert themes.uses[1].tolist() == [2, *[0] * 9]


def test_sentences_count_by_weight():
    vectors = np.array([[1, 0], [0, 1]], dtype=np.float32)
    assert weighted_mean(vectors, np.array([3.0, 1.0])).tolist() == [0.75, 0.25]
    assert weighted_mean(vectors, np.zeros(2)).tolist() == [0.5, 0.5]


def test_agreement_over_the_storys_keywords():
    counts = csr_array(np.array([[2.0, 2.0, 9.0], [1.0, 0.0, 0.0], [0.0, 0.0, 5.0]]))
    found = agreement(counts, padded([(0, 1), (1, 1)], [(2, 4)]))
    assert found[0] == pytest.approx([1, 1])
    assert found[1] == pytest.approx([1 - jensenshannon([1, 0], [0.5, 0.5]), 0])
    assert found[2] == pytest.approx([0, 1])


def test_confidence_against_chance():
    # Two stories: 1 − (2/3)² = 0.556, and softmax(2·sim) is there at a lead of 0.112.
    assert confident(np.array([[0.5, 0.38], [0.5, 0.4], [0.0, 0.0]])).tolist() == [
        True,
        False,
        False,
    ]
    # One story: its softmax is 1 always, so its similarity is held against 0.75.
    assert confident(np.array([[0.75], [0.74]])).tolist() == [True, False]


def test_articles_wait_each_on_its_own_until_the_pool_can_be_cut():
    engine = make_engine("ustory", seed_size=2)
    waiting = process(engine, [*articles("flood", count=2), *articles("trial")])
    assert [decision.story for decision in waiting] == [1, 2, 3]
    assert engine.method.remember()[0] == {"waiting": [1, 2, 3]}
    moved = process(engine, articles("trial", day=1))
    assert [(d.article, d.story, d.was) for d in moved] == [
        ("flood0.1", 1, 2),
        ("trial1.0", 3, None),
    ]
    assert engine.method.remember()[0] == {"waiting": []}


def test_clusters_below_the_seed_size_go_on_waiting():
    engine = make_engine("ustory", seed_size=3)
    process(engine, [*articles("flood", count=5), *articles("trial")])
    assert stories_of(engine) == [1, 1, 1, 1, 1, 2]
    assert engine.method.remember()[0] == {"waiting": [2]}


def test_later_articles_join_by_theme():
    engine = make_engine("ustory", seed_size=2)
    process(engine, [*articles("flood", count=2), *articles("trial", count=2)])
    assert stories_of(engine) == [1, 1, 2, 2]
    joined = process(engine, [*articles("trial", day=1), *articles("flood", day=1)])
    assert [decision.story for decision in joined] == [2, 1]


def test_who_waits_leaves_with_the_window():
    engine = make_engine("ustory")
    process(engine, articles("flood"))
    process(engine, articles("trial", day=30))
    assert engine.method.remember()[0] == {"waiting": [2]}


def test_articles_without_terms_are_survived():
    blank = [Article(f"blank {n}", START, "", "It is.") for n in range(4)]
    engine = make_engine("ustory", seed_size=2)
    vectors = np.ones((1, 3), dtype=np.float32)
    process(engine, [encoded(article, ("It is.",), vectors) for article in blank])
    process(engine, articles("flood", day=1))
    assert min(stories_of(engine)) > 0
