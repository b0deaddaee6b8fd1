"""The sums of stories that are kept: exact, in whatever order articles came and went."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scstory.discovery.calibrated.candidates import nearest_vectors
from scstory.discovery.calibrated.story_features import one_by_one
from scstory.discovery.calibrated.story_table import UNIT, StoryTable, rounded
from tests.discovery.calibrated.rows import from_views, make_rows, products, unit

DENSE, FIELDS, DIM = 2, 2, 3


def articles(count, seed=0):
    """Return articles of unit length in every feature, rounded."""
    _, views = make_rows(np.random.default_rng(seed), count)
    rows = rounded(from_views(unit(views), dense=DENSE)[0])
    rows.terms.sort_indices()
    return rows


def bits(table, article):
    """Return all that an article is told of the stories of a table, by story."""
    found = {}
    for story in sorted(set(table.ids.tolist()) - {-1}):
        column = table.columns_of([story])
        parts = table.products(article, column), table.squares(column), table.sizes[column]
        spans = table.newest[column], table.oldest[column]
        score = table.scores([article])[0][column]
        found[story] = b"".join(np.asarray(part).tobytes() for part in (*parts, *spans, score))
    return found


@given(st.lists(st.integers(1, 4), min_size=1, max_size=12), st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_sums_have_the_same_bits_however_articles_came_and_went(story, random) -> None:
    count = len(story)
    rows = articles(count + 3)
    every = one_by_one(rows, [float(n) for n in range(count)] + [0.0] * 3)
    table, plain = StoryTable(DENSE, FIELDS, DIM), StoryTable(DENSE, FIELDS, DIM)
    plain.add_all(np.array(story), rows[:count], np.arange(count, dtype=float))
    for extra in every[count:]:
        table.add(99, extra)
        table.scores([extra])  # what is derived from sums follows them
    for n in random.sample(range(count), count):
        table.add(story[n], every[n])
    for extra in every[count:]:
        table.add(99, extra, -1)
    assert bits(table, every[-1]) == bits(plain, every[-1])


def test_an_article_that_is_taken_away_leaves_nothing() -> None:
    rows = articles(6)
    every = one_by_one(rows, [1.0] * 6)
    plain, table = StoryTable(DENSE, FIELDS, DIM), StoryTable(DENSE, FIELDS, DIM)
    for number, article in zip([1, 2, 1], every, strict=False):
        plain.add(number, article)
    for number, k in [(3, 3), (1, 0), (2, 1), (3, 4), (1, 2), (1, 5)]:
        table.add(number, every[k])
    table.add(3, every[3], -1)
    table.add(3, every[4], -1)
    table.add(1, every[5], -1)
    assert bits(table, every[5]) == bits(plain, every[5])
    assert 3 not in table


def test_products_are_those_with_the_sums() -> None:
    rows = articles(5)
    table = StoryTable(DENSE, FIELDS, DIM)
    table.add_all(np.array([7, 9, 7, 9]), rows[:4], np.zeros(4))
    (article,) = one_by_one(rows[4:], [0.0])
    one = products(rows[4:], rows[:4])[:, 0]
    expected = np.stack([one[:, [0, 2]].sum(axis=1), one[:, [1, 3]].sum(axis=1)], axis=1)
    found = table.products(article, table.columns_of([7, 9]))
    assert found == pytest.approx(expected)
    assert np.all(found / UNIT**2 == np.rint(found / UNIT**2))


def test_the_nearest_vectors_are_found_whatever_was_searched_for_before() -> None:
    rows = articles(30, seed=1)
    every = one_by_one(rows, [0.0] * 30)
    table = StoryTable(DENSE, FIELDS, DIM)
    for number, article in enumerate(every[:20]):
        table.add(number, article)
    early, since = table.scores([every[25]])[0], table.changes
    for number, article in enumerate(every[20:25], 15):
        table.add(number, article)
    table.add(3, every[3], -1)
    scores = table.update_scores(early, every[25], since)
    assert scores.tolist() == table.scores([every[25]])[0].tolist()
    assert table.scores(every)[25].tolist() == scores.tolist()
    found = nearest_vectors(table, scores, 4)
    assert 3 not in table.ids[found]
    there = np.flatnonzero(table.ids >= 0)
    assert set(found.tolist()) == set(there[np.argsort(-scores[there])[:4]].tolist())
