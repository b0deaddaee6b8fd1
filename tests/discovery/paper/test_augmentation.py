"""Augmentation on cases worked out by hand."""

import numpy as np

from scstory.discovery.paper.augmentation import draw_pairs, mix, rank_rows


def test_rank_puts_the_most_attended_sentence_first():
    rows = np.array([[10, 11, 12, -1], [20, 21, 22, 23]])
    importance = np.array([[0.1, 0.7, 0.2, 9.9], [0.4, 0.1, 0.3, 0.2]], dtype=np.float32)
    expected = [[11, 12, 10, -1], [20, 22, 23, 21]]
    assert rank_rows(rows, importance).tolist() == expected


def test_equally_attended_sentences_keep_their_order():
    rows = np.array([[5, 6, 7]])
    assert rank_rows(rows, np.ones((1, 3), dtype=np.float32)).tolist() == [[5, 6, 7]]


def test_mix_takes_the_top_half_of_one_and_the_bottom_half_of_the_other():
    first = np.array([[1, 2, 3, 4, -1]])
    second = np.array([[11, 12, 13, 14, 15]])
    assert mix(first, second, max_sentences=50).tolist() == [[1, 2, 14, 15]]


def test_mix_of_single_sentences_is_never_empty():
    first = np.array([[1, -1], [1, 2]])
    second = np.array([[11, -1], [12, -1]])
    assert mix(first, second, max_sentences=50).tolist() == [[1], [1]]
    assert mix(second, first, max_sentences=50).tolist() == [[11, -1], [12, 2]]


def test_mix_is_cut_to_the_longest_article_allowed():
    first = np.arange(6)[None]
    second = np.arange(10, 16)[None]
    assert mix(first, second, max_sentences=4).tolist() == [[0, 1, 2, 13]]


def test_pairs_are_two_different_articles_of_one_story():
    story = np.array([3, 1, 3, 1, 1, 7])
    first, second = draw_pairs(story, count=500, rng=np.random.default_rng(0))
    assert (story[first] == story[second]).all()
    assert (first != second).all()
    assert set(first) == set(second) == {0, 1, 2, 3, 4}


def test_stories_are_drawn_evenly_whatever_their_size():
    story = np.array([0] * 2 + [1] * 98)
    first, _ = draw_pairs(story, count=4000, rng=np.random.default_rng(0))
    assert 0.45 < (story[first] == 0).mean() < 0.55


def test_without_a_story_of_two_there_are_no_pairs():
    first, second = draw_pairs(np.array([1, 2, 3]), count=8, rng=np.random.default_rng(0))
    assert len(first) == len(second) == 0
    assert mix(first.reshape(0, 1), second.reshape(0, 1), max_sentences=5).shape[0] == 0
