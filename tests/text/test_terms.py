"""Terms, how they are counted field by field, and how common each has been."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array, hstack

from scstory.text import BUCKETS, TermStatistics, field_of, term_counts, terms
from scstory.text.hashed import hashes, pair_hashes


def test_terms_keep_numbers_and_names():
    assert terms("In 2026, O'Neil's 3,400 co-workers met Mr. Vass’s heirs.") == [
        "2026",
        "o'neil",
        "3,400",
        "co-workers",
        "met",
        "vass",
        "heirs",
    ]


@given(st.text(max_size=300))
def test_terms_of_any_text_are_lower_case_words(text):
    for term in terms(text):
        assert term == term.lower()
        assert not term.isspace()


def test_a_bigram_is_two_terms_in_their_order():
    one, other, more = (pair_hashes(hashes(t.split())) for t in ("a b", "b a", "x a b b a"))
    assert len(one) == 1
    assert one[0] != other[0]
    assert more.tolist()[1::2] == [*one, *other]
    words = [f"w{number}" for number in range(3000)]
    pairs = pair_hashes(hashes(words)) % BUCKETS
    # As many buckets as so many balls would fill, thrown at random.
    assert abs(len(np.unique(pairs)) / (BUCKETS * -np.expm1(-2999 / BUCKETS)) - 1) < 0.01
    assert len(pair_hashes(hashes(["a"]))) == len(pair_hashes(hashes([]))) == 0


# -- counting -------------------------------------------------------------------------------------


def test_counts_by_hand():
    counts = term_counts([["river", "flood", "river"], [], ["flood"]])
    river, flood = hashes(["river", "flood"]).astype(np.int64) % BUCKETS
    assert counts.shape == (3, BUCKETS)
    assert counts[:, [river, flood]].toarray().tolist() == [[2, 1], [0, 0], [0, 1]]
    assert counts.nnz == 3
    assert term_counts([]).shape == (0, BUCKETS)


def test_tfidf_is_unit_length_and_by_hand():
    statistics = TermStatistics()
    statistics.update(term_counts([["river", "flood"], ["river"], ["river"]]))
    counts = term_counts([["river", "river", "flood"], []])
    matrix = statistics.tfidf(counts)
    river = (1 + np.log(2)) * (np.log(4 / 4) + 1)
    flood = 1 * (np.log(4 / 2) + 1)
    expected = np.array([river, flood]) / np.hypot(river, flood)
    np.testing.assert_allclose(
        sorted(matrix[[0]].toarray()[0][matrix.indices[:2]]), sorted(expected)
    )
    assert matrix.shape == (2, BUCKETS)
    assert matrix[[1]].sum() == 0


def test_statistics_survive_a_checkpoint():
    statistics, other = TermStatistics(), TermStatistics()
    statistics.update(term_counts([["river", "flood"], ["river"]]))
    other.update(term_counts([["noise"]]))
    other.restore(*statistics.state())
    assert other.idf("river") == statistics.idf("river")
    assert other.idf("noise") == statistics.idf("noise")


def test_a_document_counts_by_its_weight():
    """The river is in documents of 1 and 1/4, the flood in those of 1 and 1/2."""
    statistics = TermStatistics()
    counts = term_counts([["river", "river", "flood"], ["flood"], ["river"], []])
    statistics.update(counts, np.array([1, 0.5, 0.25, 0.25]))
    assert statistics.documents == 2
    assert statistics.idf("river") == pytest.approx(np.log(3 / 2.25) + 1)
    assert statistics.idf("flood") == pytest.approx(np.log(3 / 2.5) + 1)
    assert statistics.idf("noise") == pytest.approx(np.log(3) + 1)
    other = TermStatistics()
    other.restore(*statistics.state())
    assert [other.idf(t) for t in ("river", "flood")] == [
        statistics.idf(t) for t in ("river", "flood")
    ]


def test_a_document_counts_as_one_unless_weights_are_given():
    counts = term_counts([["river", "flood"], ["river"]])
    plain, weighted = TermStatistics(), TermStatistics()
    plain.update(counts)
    weighted.update(counts, np.ones(2))
    assert plain.documents == weighted.documents == 2
    for found, expected in zip(plain.state()[1:], weighted.state()[1:], strict=True):
        assert np.array_equal(found, expected)


# -- fields side by side --------------------------------------------------------------------------

DOCUMENTS = [[["river", "river"], ["flood"]], [[], ["river"]], [["flood"], []]]


def side_by_side(documents, fields=2):
    parts = [term_counts([document[field] for document in documents]) for field in range(fields)]
    return csr_array(hstack(parts, format="csr"))


def test_each_field_can_be_taken_out_again():
    table = side_by_side(DOCUMENTS)
    assert table.shape == (3, 2 * BUCKETS)
    for field in range(2):
        part = field_of(table, field)
        alone = term_counts([document[field] for document in DOCUMENTS])
        assert part.shape == alone.shape
        assert (part != alone).nnz == 0


def test_each_field_has_frequencies_and_a_length_of_its_own():
    both, apart = TermStatistics(2), [TermStatistics(), TermStatistics()]
    seen = [*DOCUMENTS, [["river"], ["river", "trial"]]]
    both.update(side_by_side(seen))
    weighted = both.tfidf(side_by_side(DOCUMENTS))
    for field, statistics in enumerate(apart):
        statistics.update(term_counts([document[field] for document in seen]))
        expected = statistics.tfidf(term_counts([document[field] for document in DOCUMENTS]))
        part = field_of(weighted, field)
        np.testing.assert_allclose(abs(part - expected).max(), 0, atol=1e-12)
        lengths = np.sqrt((part**2).sum(axis=1))
        assert np.all(np.isclose(lengths, 1) | (lengths == 0))
    assert both.idf("river") == apart[0].idf("river")
    other = TermStatistics(2)
    other.restore(*both.state())
    assert (other.tfidf(side_by_side(DOCUMENTS)) != weighted).nnz == 0
