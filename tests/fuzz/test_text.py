"""Sentences, names, terms, keywords and near-duplicates of any text there can be."""

from datetime import UTC, datetime

import numpy as np
from hypothesis import strategies as st

from scstory.text.duplicates import is_duplicate, text_keys
from scstory.text.keywords import keywords
from scstory.text.names import names_in
from scstory.text.reading import FIELDS, field_totals, read
from scstory.text.sentences import MAX_SENTENCES, split_article
from scstory.text.terms import (
    BUCKETS,
    TermStatistics,
    field_of,
    stack_counts,
    term_counts,
    terms,
)
from scstory.text.wording import wording_of
from scstory.types import Article
from scstory.vectors import encode_articles
from scstory.vectors.hashing import HashingEncoder
from tests.fuzz.inputs import anything, fuzz, plain

odd = st.sampled_from(
    [
        "\u0301" * 500,
        "\u202e\u0645\u0631\u062d\u0628\u0627\u202c",
        "\ud800",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467" * 20,
        "\u200b\ufeff\u2060",
        "I\u0307İıſK",
        "a" * 3000,
        "." * 3000,
        "' " * 500,
        '"' * 501,
        "A.B.C.D." * 200,
        "Mr. " * 300,
        "Aa " * 1000,
        "1,000.00-" * 200,
        "(" * 1000,
        "\n" * 500,
        "中文。日本語！" * 100,
        "\x00\x0b\x0c\x1c\x85\u2028",
    ]
)
documents = st.lists(anything | odd | plain, max_size=6).map(" ".join)
languages = st.sampled_from([None, "", "en", "EN-gb", "de", "zh", "ar", "xx", "-", "\0", "en" * 20])


def make(title, text, language=None):
    return Article("1", datetime(2026, 3, 3, tzinfo=UTC), title, text, language=language)


@fuzz(documents, documents, languages | anything)
def test_any_sentences(title, text, language):
    article = make(title, text, language)
    sentences = split_article(article)
    assert len(sentences) <= MAX_SENTENCES
    assert all(sentence == " ".join(sentence.split()) != "" for sentence in sentences)
    if len(sentences) < MAX_SENTENCES:
        kept = "".join("".join(sentences).split())
        whole = f"{title} {text}".encode("utf-8", "replace").decode("utf-8")
        assert kept == "".join(whole.split())  # nothing is lost on the way
    (encoded,) = encode_articles([article], HashingEncoder(dim=16))
    assert encoded.vectors.shape == (len(sentences), 16)
    assert np.isfinite(encoded.vectors).all()


@fuzz(documents, documents)
def test_any_terms(title, text):
    article = make(title, text)
    sentences = split_article(article)
    names = names_in(title, sentences)
    assert all(name for part in (names.title, *names.body) for name in part)
    reading = read(article)
    assert reading.sentences == sentences
    assert field_totals(reading)[1] == len(terms(title))
    statistics = TermStatistics(len(FIELDS))
    counts = stack_counts([(reading.columns, reading.counts)], len(FIELDS) * BUCKETS)
    statistics.update(counts)
    assert np.isfinite(statistics.tfidf(counts).data).all()
    expected = [term for sentence in sentences for term in terms(sentence)]
    assert (field_of(counts, 0) != term_counts([expected])).nnz == 0


@fuzz(st.lists(st.tuples(documents, documents), max_size=4))
def test_any_keywords(texts):
    articles = [make(title, text) for title, text in texts]
    wordings = [wording_of(article, split_article(article)) for article in articles]
    found = keywords(wordings, TermStatistics())
    assert all(found)
    assert len(set(found)) == len(found)
    assert keywords(wordings, TermStatistics(), earlier=found) is not None


@fuzz(documents, documents, documents)
def test_any_duplicates(title, text, other):
    assert is_duplicate(title, text, title, text)
    assert set(text_keys(title, text)) == set(text_keys(title, text))
    assert all(-(2**63) <= key < 2**63 for key in text_keys(title, text))
    assert is_duplicate(title, text, title, other) == is_duplicate(title, other, title, text)
