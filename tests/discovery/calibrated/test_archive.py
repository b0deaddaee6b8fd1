"""Stories beyond the window: sums, in outline, for a while."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from scstory.discovery.calibrated.archive import Archive
from scstory.discovery.calibrated.features import Features
from scstory.discovery.calibrated.settings import CalibratedSettings
from scstory.text import BUCKETS
from tests.discovery.calibrated.posteriors import FOUR
from tests.discovery.calibrated.rows import PLACES, from_views, make_rows, products

TERMS = 60


def make(features=FOUR, dim=3, **changes):
    return Archive(CalibratedSettings(features=", ".join(features), **changes), dim)


def plain(archive):
    """Return each feature of an archive as a matrix."""
    terms = archive.sums.terms
    fields = [
        terms[:, np.array(PLACES) + n * BUCKETS].toarray() for n in range(archive.sums.fields)
    ]
    return [*archive.sums.dense, *fields]


def add(archive, story, times, rows):
    archive.add(np.array(story, dtype=np.int64), np.array(times, dtype=float), rows)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.lists(st.integers(0, 6), min_size=1, max_size=4))
def test_an_archive_holds_the_sums_of_what_left(seed, counts):
    rng = np.random.default_rng(seed)
    archive = make()
    sums, last, sizes = {}, {}, Counter()
    for count in counts:
        rows, views = make_rows(rng, count)
        story, times = rng.integers(1, 5, count), rng.uniform(0, 9, count)
        add(archive, story, times, rows)
        for i, number in enumerate(story.tolist()):
            before = sums.get(number, [0.0] * 4)
            sums[number] = [a + view[i] for a, view in zip(before, views, strict=True)]
            sizes[number] += 1
            last[number] = max(last.get(number, 0), times[i])
    assert archive.ids.tolist() == sorted(sums, key=lambda number: last[number])
    assert archive.last.tolist() == sorted(last.values())
    assert archive.sizes.tolist() == [sizes[number] for number in archive.ids.tolist()]
    for k, number in enumerate(archive.ids.tolist()):
        for mine, expected in zip(plain(archive), sums[number], strict=True):
            np.testing.assert_allclose(mine[k], expected, rtol=1e-5, atol=1e-6)


def test_the_latest_stay_when_there_are_too_many():
    archive = make(archive_stories=3)
    rows, views = make_rows(np.random.default_rng(0), 5)
    add(archive, [1, 2, 3], [10, 30, 20], rows[:3])
    assert archive.full
    add(archive, [4, 5], [40, 15], rows[3:])
    assert archive.ids.tolist() == [3, 2, 4]
    np.testing.assert_allclose(plain(archive)[0], views[0][[2, 1, 3]], rtol=1e-6)


def test_a_story_keeps_its_weightiest_terms_in_each_field():
    rng = np.random.default_rng(0)
    dense = np.zeros((1, 2, 3))
    weights = rng.uniform(0.1, 1, (2, 2, 3 * TERMS))  # story, field, term
    weights[1, 0, TERMS - 5 :] = 0  # the second has few terms in the first field
    terms = np.zeros((2, 2 * BUCKETS))
    terms[:, : 3 * TERMS], terms[:, BUCKETS : BUCKETS + 3 * TERMS] = weights[:, 0], weights[:, 1]
    archive = make(("learned", "terms", "title"), archive_terms=TERMS)
    add(archive, [1, 2], [1, 2], Features(dense, csr_array(terms), np.zeros(2, dtype=np.int64)))
    known = archive.sums.terms.toarray()
    kept = [known[:, first : first + 3 * TERMS] for first in (0, BUCKETS)]
    assert [(part > 0).sum(axis=1).tolist() for part in kept] == [[TERMS, TERMS - 5], [TERMS] * 2]
    for story in range(2):
        for field in range(2):
            mine = kept[field][story]
            floor = np.sort(weights[story, field])[-TERMS]
            expected = np.where(weights[story, field] >= floor, weights[story, field], 0)
            np.testing.assert_allclose(mine, expected, rtol=1e-6)


def test_old_stories_are_dropped():
    archive = make()
    rows, views = make_rows(np.random.default_rng(0), 3)
    add(archive, [1, 2, 3], [10, 20, 30], rows)
    archive.drop(20)
    assert archive.ids.tolist() == [2, 3]
    assert archive.last.tolist() == [20, 30]
    for mine, view in zip(plain(archive), views, strict=True):
        np.testing.assert_allclose(mine, view[1:], rtol=1e-6)
    archive.drop(99)
    assert len(archive.ids) == len(archive.sums) == len(archive.sizes) == 0


@pytest.mark.parametrize("dropping", [False, True])
def test_restored_it_goes_on_bit_for_bit(dropping):
    rng = np.random.default_rng(0)
    one = make()
    for day in range(4):
        rows, _ = make_rows(rng, 6)
        add(one, rng.integers(1, 9, 6), day + rng.random(6), rows)
    if dropping:
        one.drop(2)
    two = make()
    saved = {name: value.copy() for name, value in one.state().items()}
    two.restore(saved)
    more, _ = make_rows(rng, 5)
    for archive in (one, two):
        add(archive, [1, 2, 3, 20, 20], [9, 8, 7, 6, 9], more)
    assert same(one, two)
    assert same(one, two, more)


def same(one, two, others=None):
    """Say whether two archives are the same, or compare the same with others, to the last bit."""
    if others is not None:
        return np.array_equal(products(one.sums, others), products(two.sums, others))
    first, second = one.state(), two.state()
    return first.keys() == second.keys() and all(
        first[name].dtype == second[name].dtype and np.array_equal(first[name], second[name])
        for name in first
    )


def test_what_is_held_is_what_is_saved():
    archive = make(("learned", "terms"), dim=2)
    third = 1 / 3
    rows, _ = from_views([[[third, 1e-3]], [[third, 0, 0, 1e-9]]], dense=1)
    add(archive, [1], [1], rows)
    held = archive.sums
    assert np.array_equal(held.dense, held.dense.astype(np.float32).astype(np.float64))
    assert np.array_equal(held.terms.data, held.terms.data.astype(np.float32).astype(np.float64))
