"""How sentences relate to their article."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scstory.discovery.calibrated.names import OWN_RELATIONS, RELATIONS
from scstory.discovery.calibrated.relations import Sentences, relations
from scstory.text import BUCKETS, FIELDS, TermStatistics
from scstory.types import Article
from scstory.vectors import encode_articles
from scstory.vectors.hashing import HashingEncoder
from tests.conftest import START

STATISTICS = TermStatistics(len(FIELDS))
NOTHING = np.zeros(64, dtype=np.float32)


def sentences_of(title, text, centre=NOTHING):
    (member,) = encode_articles([Article("1", START, title, text)], HashingEncoder(dim=64))
    return Sentences.of(member, centre)


def made(seed, count, terms=6):
    """Return made-up sentences, and how often each has each term."""
    rng = np.random.default_rng(seed)
    vectors = rng.standard_normal((count, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    uses = rng.integers(0, 3, (count, terms))
    sentence, column = np.nonzero(uses)
    times = uses[sentence, column]
    given = np.repeat(sentence, times).astype(np.int32), np.repeat(column, times).astype(np.int32)
    return Sentences(vectors, *given), uses


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 9))
def test_they_are_the_cosines_they_are_said_to_be(seed, count):
    sentences, uses = made(seed, count)
    found = relations(sentences, STATISTICS)
    assert found.shape == (count, len(RELATIONS))
    by_name = dict(zip(RELATIONS, found.T, strict=True))
    vectors = sentences.vectors.astype(np.float64)
    for j in range(count):
        others = [k for k in range(count) if k != j]
        opening = [k for k in others if k < 5]
        for name, chosen in (
            ("title", [others[0]]),
            ("opening", opening),
            ("rest", others),
        ):
            total = vectors[chosen].sum(axis=0)
            expected = vectors[j] @ total / np.linalg.norm(total)
            assert by_name[f"vector_{name}"][j] == pytest.approx(expected, abs=1e-5)
        nearest = sorted(vectors[others] @ vectors[j])[-3:]
        assert by_name["vector_nearest"][j] == pytest.approx(np.mean(nearest), abs=1e-5)
        has = uses > 0
        known = has[j] & has[others].any(axis=0)
        expected = known.sum() / max(has[j].sum(), 1)  # all terms have the same idf
        assert by_name["words_elsewhere"][j] == pytest.approx(expected)
        assert by_name["length"][j] == pytest.approx(np.log1p(uses[j].sum()))


def test_beside_is_the_mean_of_the_sentences_before_and_after():
    found = relations(made(3, 5)[0], STATISTICS)
    own, beside = np.split(found, [len(OWN_RELATIONS)], axis=1)
    np.testing.assert_allclose(beside[2], (own[1] + own[3]) / 2)
    np.testing.assert_allclose(beside[0], (own[0] + own[1]) / 2)
    np.testing.assert_allclose(beside[4], (own[3] + own[4]) / 2)


def test_a_sentence_alone_relates_to_nothing():
    found = dict(zip(RELATIONS, relations(made(0, 1)[0], STATISTICS)[0], strict=True))
    assert {name for name, value in found.items() if value} <= {"length", "beside_length"}
    assert np.isfinite(relations(sentences_of("...", "! ? ."), STATISTICS)).all()


def test_only_the_terms_of_sentences_are_read_and_the_centre_is_subtracted():
    sentences = sentences_of("Kelby floods", "Police reached Kelby. Rain fell.")
    assert sentences.column.max() < BUCKETS
    assert np.bincount(sentences.sentence).tolist() == [2, 3, 2]
    centre = np.linspace(-1, 1, 64, dtype=np.float32)
    moved = sentences_of("Kelby floods", "Police reached Kelby. Rain fell.", centre)
    np.testing.assert_allclose(np.linalg.norm(moved.vectors, axis=1), 1, atol=1e-5)
    assert not np.allclose(moved.vectors, sentences.vectors)


def test_sentences_of_others_are_joined_in_the_order_given():
    one, other = made(1, 3)[0], made(2, 4)[0]
    both = one.joined([(other, 2), (other, 0)], np.array([0, 3, 1, 4, 2]))
    np.testing.assert_array_equal(both.vectors[1], other.vectors[2])
    np.testing.assert_array_equal(both.vectors[[0, 2, 4]], one.vectors)
    for place, (source, i) in enumerate([(one, 0), (other, 2), (one, 1), (other, 0), (one, 2)]):
        mine = np.sort(both.column[both.sentence == place])
        np.testing.assert_array_equal(mine, np.sort(source.column[source.sentence == i]))
