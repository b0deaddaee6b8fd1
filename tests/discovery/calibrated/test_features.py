"""Features against the plain matrices they stand for, and how articles get them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from scstory.discovery.calibrated.features import FeatureReader, pair_cosines
from scstory.discovery.calibrated.languages import Languages
from scstory.discovery.calibrated.names import DENSE, FEATURES
from scstory.discovery.calibrated.repeats import OWN
from scstory.discovery.calibrated.settings import CalibratedSettings
from scstory.discovery.calibrated.weighing import update_dependent, weight_columns
from scstory.discovery.paper.assignment import cosines
from scstory.discovery.paper.embedding import model_columns
from scstory.discovery.window import Window
from scstory.text import BUCKETS, FIELDS, TermStatistics
from scstory.types import Article
from scstory.vectors import encode_articles
from scstory.vectors.hashing import HashingEncoder
from tests.conftest import START, make_stream
from tests.discovery.calibrated.rows import make_rows, products

OPENING = CalibratedSettings().opening_sentences
SEEDS = st.integers(0, 2**32 - 1)
SHAPES = st.tuples(st.integers(1, 3), st.integers(0, 3))

LANGUAGES = Languages.of(None, cross_lingual=True)


def pair(seed, shape, count, others):
    rng = np.random.default_rng(seed)
    dense, fields = shape
    return [make_rows(rng, n, dense=dense, fields=fields) for n in (count, others)]


@settings(max_examples=60, deadline=None)
@given(SEEDS, SHAPES, st.integers(0, 6), st.integers(0, 4))
def test_products_squares_and_sums_are_those_of_the_matrices(seed, shape, count, others):
    (rows, plain), (sums, known) = pair(seed, shape, count, others)
    assert (len(rows), rows.fields) == (count, shape[1])
    expected = [mine @ theirs.T for mine, theirs in zip(plain, known, strict=True)]
    np.testing.assert_allclose(products(rows, sums), expected, atol=1e-12)
    squares = [(view**2).sum(axis=1) for view in plain]
    np.testing.assert_allclose(rows.squares(), squares, atol=1e-12)
    belongs = np.random.default_rng(seed).integers(0, 2, (others, count)).astype(float)
    summed = rows.summed(csr_array(belongs))
    squares = [((belongs @ view) ** 2).sum(axis=1) for view in plain]
    np.testing.assert_allclose(summed.squares(), squares, atol=1e-12)
    expected = [belongs @ view @ theirs.T for view, theirs in zip(plain, known, strict=True)]
    np.testing.assert_allclose(products(summed, sums), expected, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(SEEDS, SHAPES, st.integers(0, 6), st.integers(1, 4))
def test_each_row_with_one_of_the_sums(seed, shape, count, others):
    (rows, plain), (sums, known) = pair(seed, shape, count, others)
    column = np.random.default_rng(seed).integers(0, others, count)
    expected = [
        (mine * theirs[column]).sum(axis=1) for mine, theirs in zip(plain, known, strict=True)
    ]
    np.testing.assert_allclose(rows.products_with(sums, column), expected, atol=1e-12)


@settings(max_examples=30, deadline=None)
@given(SEEDS, SHAPES)
def test_some_of_the_rows(seed, shape):
    (rows, plain), _ = pair(seed, shape, 5, 0)
    for chosen in (slice(1, 3), np.array([4, 0, 4])):
        some = rows[chosen]
        assert len(some) == len(plain[0][chosen])
        squares = [(view[chosen] ** 2).sum(axis=1) for view in plain]
        np.testing.assert_allclose(some.squares(), squares, atol=1e-12)


@settings(max_examples=30, deadline=None)
@given(SEEDS, SHAPES)
def test_every_row_with_every_other(seed, shape):
    (rows, plain), _ = pair(seed, shape, 5, 0)
    expected = [view @ view.T for view in plain]
    np.testing.assert_allclose(pair_cosines(rows), expected, atol=1e-12)


def test_cosines_stay_in_range_and_nothing_is_similar_to_no_vector():
    found = cosines(np.array([[2.0, 1e-9, 1 + 1e-15]]), np.ones((1, 3)), np.array([[16.0, 0, 1]]))
    assert found.tolist() == [[0.5, 0, 1]]


# -- articles as rows ---------------------------------------------------------------------------

HALF = 5e-4
"""The precision of vectors between two uses, for numbers up to 1."""


@pytest.fixture
def window():
    """A window of articles with and without a title, names and a body, and R of each."""
    odd = [
        Article("untitled", START, "", "In Kelby it rained."),
        Article("bare", START, "Rain", ""),
    ]
    made = Window((*model_columns(16), *weight_columns(16), LANGUAGES.column()))
    members = encode_articles([*make_stream(3), *odd], HashingEncoder(dim=16))
    made.append(members, not_before=START.timestamp())
    rng = np.random.default_rng(0)
    made["vectors"][:] = rng.standard_normal(made["vectors"].shape)
    made[OWN][:] = rng.uniform(0.1, 1, made[OWN].shape)
    update_dependent(made, np.arange(len(made)), opening=OPENING)
    return made


@pytest.fixture
def statistics(window):
    found = TermStatistics(len(FIELDS))
    found.update(window.terms[:9])
    return found


def centre():
    return np.linspace(-1, 1, 16, dtype=np.float32)


def read(features, window, chosen, statistics):
    return FeatureReader(features).read(window, chosen, centre=centre(), statistics=statistics)


def test_every_feature_of_an_article_has_unit_length_or_none(window, statistics):
    rows = read(FEATURES, window, slice(None), statistics)
    squares = dict(zip(FEATURES, rows.squares(), strict=True))
    for name in FEATURES:
        assert np.all(np.isclose(squares[name], 1) | (squares[name] == 0)), name
    assert [name for name in FEATURES if squares[name][-2] == 0] == ["title"]
    assert [name for name in FEATURES if squares[name][-1] == 0] == ["names", "bigrams"]
    assert all(squares[name].all() for name in DENSE)


def test_headline_and_opening_are_sentence_vectors_without_what_is_common(window, statistics):
    rows = read(DENSE, window, slice(None), statistics)
    for i, member in enumerate(window.members):
        kinds = [
            window["vectors"][i].astype(np.float64),
            member.vectors[0] - centre(),
            np.average(member.vectors[:OPENING], axis=0, weights=window.of(OWN, i)[:OPENING])
            - centre(),
        ]
        expected = [kind / np.linalg.norm(kind) for kind in kinds]
        np.testing.assert_allclose(rows.dense[:, i], expected, atol=HALF)
    assert rows.terms.shape == (len(window), 0)


def test_some_features_are_those_of_all(window, statistics):
    some = ("learned", "opening", "title", "names")
    everything = read(FEATURES, window, slice(None), statistics)
    rows = read(some, window, slice(None), statistics)
    kept = [FEATURES.index(name) for name in some]
    assert rows.terms.shape[1] == 2 * BUCKETS
    np.testing.assert_allclose(rows.squares(), everything.squares()[kept], atol=1e-12)
    expected = products(everything, everything)[kept]
    np.testing.assert_allclose(products(rows, rows), expected, atol=1e-12)


def test_an_article_is_the_same_row_whatever_it_stands_beside(window, statistics):
    everything = read(FEATURES, window, slice(None), statistics)
    for i in range(len(window)):
        alone, beside = read(FEATURES, window, np.array([i]), statistics), everything[i : i + 1]
        assert np.array_equal(alone.dense, beside.dense)
        assert np.array_equal(alone.terms.data, beside.terms.data)
        assert np.array_equal(alone.terms.indices, beside.terms.indices)
        assert np.array_equal(alone.squares(), beside.squares())


@pytest.mark.parametrize("sentences", [1, 3])
def test_the_opening_is_as_long_as_it_is_set_to(sentences):
    made = Window((*weight_columns(16), LANGUAGES.column()))
    members = encode_articles(make_stream(1), HashingEncoder(dim=16))
    made.append(members, not_before=0.0)
    update_dependent(made, np.arange(len(made)), opening=sentences)
    for (headline, opening), member in zip(made["openings"], members, strict=True):
        assert np.array_equal(headline, member.vectors[0].astype(np.float16))
        np.testing.assert_allclose(opening, member.vectors[:sentences].mean(axis=0), atol=HALF)


def test_a_short_vector_counts_as_longer_where_it_must():
    found = cosines(np.ones((1, 2)), np.ones((1, 2)), np.array([[0.25, 4.0]]), np.array([1.0, 1.0]))
    assert found.tolist() == [[1.0, 0.5]]
