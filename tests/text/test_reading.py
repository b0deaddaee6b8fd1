"""What is read of an article: its sentences, and the terms of each field."""

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scstory.text import BUCKETS, FIELDS, names_in, read, split_article, terms
from scstory.text.duplicates import is_duplicate, text_keys
from scstory.text.hashed import hashes, pair_hashes
from scstory.text.languages import profile_of
from scstory.text.reading import field_totals
from scstory.types import Article

BODY = [
    "The river Alder rose in Kelby.",
    "Police called Ann Lanning.",
    "Lanning left.",
    "Rain goes on.",
    "Boats came from Holt.",
]


def article(title, text):
    return Article("1", datetime(2026, 3, 3, tzinfo=UTC), title, text)


def fields_of(title, body, **options):
    """Return how often each field has each bucket."""
    sentences = [title, *body] if title.strip() else body
    reading = read(article(title, " ".join(body)), sentences=sentences, **options)
    field, bucket = np.divmod(reading.columns, BUCKETS)
    return {
        name: dict(
            zip(bucket[field == n].tolist(), reading.counts[field == n].tolist(), strict=True)
        )
        for n, name in enumerate(FIELDS)
    }


def counted(found):
    """Return how often each bucket occurs among hashes."""
    buckets, counts = np.unique(np.asarray(found, np.int64) % BUCKETS, return_counts=True)
    return dict(zip(buckets.tolist(), counts.tolist(), strict=True))


def terms_of(found):
    return counted(hashes(found))


def test_each_field_has_its_part_of_the_text():
    fields = fields_of("Kelby Under Water", BODY)
    title = ["kelby", "water"]
    assert fields["title"] == terms_of(title)
    assert fields["terms"] == terms_of(title + terms(" ".join(BODY)))
    assert fields["lede"] == terms_of(title + terms(" ".join(BODY[:4])))
    (boats,) = terms_of(["boats"])
    assert boats in fields["terms"]
    assert boats not in fields["lede"]
    # "Under Water" has capitals because it stands in a title.
    expected = ["kelby", "alder", "kelby", "ann lanning", "lanning", "holt"]
    assert fields["names"] == terms_of(expected)
    # A sentence's last term and the next one's first are no pair.
    pairs = [pair_hashes(hashes(found)) for found in (title, *map(terms, BODY))]
    assert fields["bigrams"] == counted(np.concatenate(pairs))


@pytest.mark.parametrize("lede", [0, 2, 9])
def test_the_lede_is_as_long_as_asked(lede):
    usual, fields = fields_of("Kelby", BODY), fields_of("Kelby", BODY, lede=lede)
    assert fields["lede"] == terms_of(["kelby", *terms(" ".join(BODY[:lede]))])
    assert fields | {"lede": ()} == usual | {"lede": ()}


def test_without_a_title_the_first_sentence_is_body():
    fields = fields_of("", BODY)
    assert fields["title"] == {}
    assert fields["lede"] == terms_of(terms(" ".join(BODY[:4])))
    assert fields["names"].keys() >= terms_of(["alder"]).keys()


def test_without_a_body_the_title_says_which_are_names():
    fields = fields_of("Police search Kelby", [])
    assert fields["names"] == terms_of(["kelby"])
    assert fields["terms"] == fields["title"] == fields["lede"]


def test_of_no_words_there_are_no_terms():
    assert fields_of("...", ["!"]) == {name: {} for name in FIELDS}


def test_an_article_is_split_unless_its_sentences_are_given():
    whole = article("Kelby Under Water", " ".join(BODY))
    assert read(whole).sentences == split_article(whole) == (whole.title, *BODY)
    assert read(whole, max_sentences=3).sentences == (whole.title, *BODY[:2])
    given_some = read(whole, sentences=[whole.title, BODY[4]])
    assert given_some.sentences == (whole.title, BODY[4])
    # Terms are those of the sentences that are left.
    totals = dict(zip(FIELDS, field_totals(given_some), strict=True))
    assert totals["names"] == 1
    assert totals["terms"] == len(terms(f"{whole.title} {BODY[4]}"))


def test_a_use_of_a_term_counts_as_much_as_its_sentence_weighs():
    reading = read(article("Kelby Under Water", " ".join(BODY)))
    count = len(reading.sentences)
    assert np.array_equal(reading.weighted(np.ones(count, np.float32)), reading.counts)
    for sentence in range(count):
        weights = np.zeros(count, np.float32)
        weights[sentence] = 0.5
        (named,) = hashes(["kelby"]).astype(np.int64) % BUCKETS
        found = reading.weighted(weights)[np.searchsorted(reading.columns, named)]
        # The title and the first sentence of the body name Kelby.
        assert found == (0.5 if sentence < 2 else 0)


def test_columns_ascend_and_each_comes_once():
    reading = read(article("Kelby Under Water", " ".join(BODY)))
    assert (np.diff(reading.columns) > 0).all()
    assert (reading.counts >= 1).all()
    assert reading.columns.dtype == np.int32
    assert reading.counts.dtype == np.float32


def test_only_title_text_and_language_are_read():
    whole = article("Kelby", " ".join(BODY))
    other = replace(whole, id="2", url="u", source="s", published=datetime(2025, 1, 1, tzinfo=UTC))
    one, two = read(whole), read(other)
    assert one.sentences == two.sentences
    assert np.array_equal(one.columns, two.columns)


@given(st.text(max_size=80), st.lists(st.text(min_size=1, max_size=80), max_size=4))
def test_any_text_has_fields(title, body):
    fields = fields_of(title, body)
    profile = profile_of(read(article(title, " ".join(body))).language)
    found = [term for text in (title, *body) for term in profile.terms(text)]
    assert fields["terms"] == terms_of(found)
    assert fields["title"] == terms_of(profile.terms(title))
    names = names_in(title if title.strip() else "", body, profile.language)
    named = [profile.name_term(name) for part in (names.title, *names.body) for name in part]
    assert fields["names"] == terms_of(named)


@pytest.mark.parametrize(
    "token", ["a", "中", "\u0301", ".", "'", "A'", "a.", "-", '"', "Aa-", "1,", "Aa "]
)
def test_a_text_of_one_token_over_and_over_is_read_to_its_end(token):
    # With work that grows by the square this would take a quarter of an hour.
    text = token * (300_000 // len(token))
    assert read(article("T", text))
    assert is_duplicate("T", text, "T", text)
    assert text_keys("T", text)
