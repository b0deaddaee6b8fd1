"""The fields of a text, names among them, and how terms are counted field by field."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scstory.text import (
    BUCKETS,
    FIELDS,
    TermStatistics,
    field_counts,
    names_in,
    read,
    term_counts,
    terms,
    wording,
)
from scstory.text.fields import LEDE
from scstory.text.terms import hashes, pair_hashes

BODY = [
    "The river Alder rose in Kelby.",
    "Police called Ann Lanning.",
    "Lanning left.",
    "Rain goes on.",
    "Boats came from Holt.",
]


def read_text(title, body, **options):
    sentences = [title, *body] if title else body
    return read(title, sentences, " ".join(body), **options)


def fields_of(title, body):
    found = read_text(title, body).fields
    return dict(zip(FIELDS, (field.tolist() for field in found), strict=True))


def numbers(found):
    return hashes(found).tolist()


def test_each_field_has_its_part_of_the_text():
    fields = fields_of("Kelby Under Water", BODY)
    headline = ["kelby", "water"]
    assert fields["title"] == numbers(headline)
    assert fields["terms"] == numbers(headline + terms(" ".join(BODY)))
    assert fields["lede"] == numbers(headline + terms(" ".join(BODY[:LEDE])))
    (boats,) = numbers(["boats"])
    assert boats in fields["terms"]
    assert boats not in fields["lede"]
    # "Under Water" has capitals because it stands in a headline.
    expected = ["kelby", "alder", "kelby", "ann lanning", "lanning", "holt"]
    assert fields["names"] == numbers(expected)
    assert fields["phrases"] == pair_hashes(hashes(headline + terms(" ".join(BODY)))).tolist()


def test_a_phrase_is_two_terms_in_their_order():
    one, other, more = (pair_hashes(hashes(t.split())) for t in ("a b", "b a", "x a b b a"))
    assert len(one) == 1
    assert one[0] != other[0]
    assert more.tolist()[1::2] == [*one, *other]
    words = [f"w{number}" for number in range(3000)]
    pairs = pair_hashes(hashes(words)) % BUCKETS
    # As many buckets as so many balls would fill, thrown at random.
    assert abs(len(np.unique(pairs)) / (BUCKETS * -np.expm1(-2999 / BUCKETS)) - 1) < 0.01
    assert len(pair_hashes(hashes(["a"]))) == len(pair_hashes(hashes([]))) == 0


def test_without_a_title_the_first_sentence_is_body():
    fields = fields_of("", BODY)
    assert fields["title"] == []
    assert fields["lede"] == numbers(terms(" ".join(BODY[:LEDE])))
    assert fields["names"][:1] == numbers(["alder"])


def test_without_a_body_the_title_says_which_are_names():
    fields = fields_of("Police search Kelby", [])
    assert fields["names"] == numbers(["kelby"])
    assert fields["terms"] == fields["title"] == fields["lede"]


def test_of_no_words_there_are_no_terms():
    assert fields_of("...", ["!"]) == {name: [] for name in FIELDS}


def test_the_first_field_can_be_read_alone():
    everything, alone = read_text("Kelby", BODY), read_text("Kelby", BODY, fields=1)
    assert [field.tolist() for field in alone.fields] == [everything.fields[0].tolist()]
    assert alone.wording == everything.wording == wording(f"Kelby. {' '.join(BODY)}")


@given(st.text(max_size=80), st.lists(st.text(min_size=1, max_size=80), max_size=4))
def test_any_text_has_fields(title, body):
    fields = fields_of(title, body) if title.strip() else fields_of("", body)
    assert set(fields) == set(FIELDS)
    assert fields["terms"] == numbers(terms(title if title.strip() else "") + terms(" ".join(body)))
    assert all(name == name.lower() for part in names_in(title, body) for name in part)


def test_the_first_word_of_a_sentence_and_stop_words_are_no_sign_of_a_name():
    assert names_in("", ["Rain fell. ", "He said The Alder rose", "I saw I"])[1] == ["alder"]
    assert names_in("", ["5 Rain fell", "“Boats left"])[1] == ["boats"]


def test_a_headline_in_capitals_is_not_all_names():
    body = ["Police in Kelby searched.", "The mayor, Ann Lanning, spoke."]
    names = ["kelby", "ann lanning"]
    assert names_in("Kelby Mayor Ann Lanning Speaks", body) == (names, names)
    assert names_in("Lanning's plan", body) == (["lanning"], names)


def test_names_in_a_row_are_one_and_end_with_the_sentence():
    body = ["ask Ann Lanning, Kelby", "Kelby's Ann", "Ann", "no Ann 5 Lanning", "iPhone Ann’s"]
    assert names_in("Ann Élan Kelby", body) == (
        ["ann", "kelby"],
        ["ann lanning", "kelby", "kelby ann", "ann", "ann lanning", "ann"],
    )


# -- counting by field ----------------------------------------------------------------------------

DOCUMENTS = [[["river", "river"], ["flood"]], [[], ["river"]], [["flood"], []]]


def counted(documents, fields):
    return field_counts([[hashes(part) for part in document] for document in documents], fields)


def test_fields_stand_side_by_side():
    counts = counted(DOCUMENTS, 2)
    assert counts.shape == (3, 2 * BUCKETS)
    for field in range(2):
        alone = term_counts([document[field] for document in DOCUMENTS])
        part = counts[:, field * BUCKETS : (field + 1) * BUCKETS]
        assert (part != alone).nnz == 0


def test_each_field_has_frequencies_and_a_length_of_its_own():
    both, apart = TermStatistics(2), [TermStatistics(), TermStatistics()]
    seen = [*DOCUMENTS, [["river"], ["river", "trial"]]]
    both.update(counted(seen, 2))
    weighted = both.tfidf(counted(DOCUMENTS, 2))
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
    assert (other.tfidf(counted(DOCUMENTS, 2)) != weighted).nnz == 0
