"""The fields of a text, names among them, and how terms are counted field by field."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scstory.text import (
    BUCKETS,
    FIELDS,
    TermStatistics,
    entities,
    field_counts,
    known_names,
    read_fields,
    term_counts,
    terms,
)
from scstory.text.fields import LEDE

BODY = [
    "The river Alder rose in Kelby.",
    "Police called Ann Lanning.",
    "Lanning left.",
    "Rain goes on.",
    "Boats came from Holt.",
]


def read(title, body):
    sentences = [title, *body] if title else body
    return dict(zip(FIELDS, read_fields(title, sentences, " ".join(body)), strict=True))


def test_each_field_has_its_part_of_the_text():
    fields = read("Kelby Under Water", BODY)
    headline = ["kelby", "water"]
    assert fields["title"] == headline
    assert fields["terms"] == headline + terms(" ".join(BODY))
    assert fields["lede"] == headline + terms(" ".join(BODY[:LEDE]))
    assert "boats" in fields["terms"]
    assert "boats" not in fields["lede"]
    # "Under Water" has capitals because it stands in a headline.
    assert fields["names"] == ["kelby", "alder", "kelby", "ann lanning", "lanning", "holt"]
    assert fields["phrases"][:2] == ["kelby water", "water river"]
    assert len(fields["phrases"]) == len(fields["terms"]) - 1


def test_without_a_title_the_first_sentence_is_body():
    fields = read("", BODY)
    assert fields["title"] == []
    assert fields["lede"] == terms(" ".join(BODY[:LEDE]))
    assert fields["names"][0] == "alder"


def test_without_a_body_the_title_says_which_are_names():
    fields = read("Police search Kelby", [])
    assert fields["names"] == ["kelby"]
    assert fields["terms"] == fields["title"] == fields["lede"]


def test_of_no_words_there_are_no_terms():
    assert read("...", ["!"]) == {name: [] for name in FIELDS}


@given(st.text(max_size=80), st.lists(st.text(min_size=1, max_size=80), max_size=4))
def test_any_text_has_fields(title, body):
    fields = read(title, body) if title.strip() else read("", body)
    assert set(fields) == set(FIELDS)
    assert all(name == name.lower() for name in fields["names"])


def test_the_first_word_of_a_sentence_and_stop_words_are_no_sign_of_a_name():
    assert known_names(["Rain fell. ", "He said The Alder rose", "I saw I"]) == {"Alder"}


def test_runs_of_names_are_one_and_end_with_the_sentence():
    names = frozenset({"Ann", "Lanning", "Kelby"})
    assert entities(["Ann Lanning, Kelby", "Kelby's Ann", "Ann"], names) == [
        "ann lanning",
        "kelby",
        "kelby ann",
        "ann",
    ]


# -- counting by field ----------------------------------------------------------------------------

DOCUMENTS = [[["river", "river"], ["flood"]], [[], ["river"]], [["flood"], []]]


def test_fields_stand_side_by_side():
    counts = field_counts(DOCUMENTS, 2)
    assert counts.shape == (3, 2 * BUCKETS)
    for field in range(2):
        alone = term_counts([document[field] for document in DOCUMENTS])
        part = counts[:, field * BUCKETS : (field + 1) * BUCKETS]
        assert (part != alone).nnz == 0


def test_more_fields_than_are_counted_may_be_given():
    assert (field_counts(DOCUMENTS, 1) != term_counts([d[0] for d in DOCUMENTS])).nnz == 0


def test_each_field_has_frequencies_and_a_length_of_its_own():
    both, apart = TermStatistics(2), [TermStatistics(), TermStatistics()]
    seen = [*DOCUMENTS, [["river"], ["river", "trial"]]]
    both.update(field_counts(seen, 2))
    weighted = both.tfidf(field_counts(DOCUMENTS, 2))
    for field, statistics in enumerate(apart):
        statistics.update(term_counts([document[field] for document in seen]))
        expected = statistics.tfidf(term_counts([document[field] for document in DOCUMENTS]))
        part = weighted[:, field * BUCKETS : (field + 1) * BUCKETS]
        np.testing.assert_allclose(abs(part - expected).max(), 0, atol=1e-12)
        lengths = np.sqrt((part**2).sum(axis=1))
        assert np.all(np.isclose(lengths, 1) | (lengths == 0))
    assert both.idf("river") == apart[0].idf("river")
    other = TermStatistics(2)
    other.restore(*both.state())
    assert (other.tfidf(field_counts(DOCUMENTS, 2)) != weighted).nnz == 0
