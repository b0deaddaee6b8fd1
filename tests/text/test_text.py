"""Sentences, terms and keywords."""

from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scstory.text import TermStatistics, read, split_article, term_counts, terms, wording
from scstory.text import keywords as keywords_of
from scstory.text.duplicates import is_duplicate, text_keys
from scstory.text.terms import BUCKETS
from scstory.types import Article


def article(title, text, language=None):
    return Article("1", datetime(2026, 3, 3, tzinfo=UTC), title, text, language=language)


def keywords(texts, statistics, **options):
    return keywords_of([wording(text) for text in texts], statistics, **options)


def test_title_is_sentence_zero():
    assert split_article(article("A title", "One. Two."))[0] == "A title"


def test_without_a_title_the_body_comes_first():
    assert split_article(article("", "One thing. Two things.")) == ("One thing.", "Two things.")


def test_at_most_so_many_sentences():
    text = " ".join(f"Sentence number {n} is here." for n in range(500))
    assert len(split_article(article("T", text))) == 50
    assert len(split_article(article("T", text), max_sentences=7)) == 7


def test_abbreviations_do_not_end_a_sentence():
    found = split_article(article("T", "Dr. Holt spoke at 5 p.m. on Monday. It rained."))
    assert found == ("T", "Dr. Holt spoke at 5 p.m. on Monday.", "It rained.")


@given(st.text(max_size=300).filter(str.strip), st.sampled_from([None, "en", "de-CH", "xx", "ja"]))
def test_any_text_gives_sentences_without_blank_ones(text, language):
    for sentence in split_article(article("", text, language)):
        assert sentence.strip() == sentence != ""


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


def test_keywords_prefer_what_the_story_shares_and_the_stream_lacks():
    statistics = TermStatistics()
    statistics.update(term_counts([terms("the minister spoke of the river")] * 50))
    found = keywords(
        ["The minister visited Kelby.", "Kelby thanked the minister.", "Kelby dries."],
        statistics,
        count=1,
    )
    assert found == ("Kelby",)


def test_earlier_keywords_stay_while_they_are_used():
    texts = ["Nurses at the ward fought measles.", "Nurses at the ward went home."]
    assert "measles" not in keywords(texts, TermStatistics(), count=2)
    assert keywords(texts, TermStatistics(), earlier=["measles"], count=1) == ("measles",)
    assert "flood" not in keywords(texts, TermStatistics(), earlier=["flood"])


def test_keywords_are_written_as_most_texts_write_them():
    texts = ["Floods in Kelby. Floods, floods.", "The floods rose.", "NASA saw Kelby’s floods."]
    assert keywords(texts, TermStatistics()) == ("floods", "Kelby")
    # In each text, the way it writes a word most often; if all are as common, with fewer capitals.
    assert wording("Dam Dam dam, U.S. u.s. U.S.").written == {"dam": "Dam", "u.s": "U.S"}
    assert wording("Dam dam").written == {}
    assert wording("KELBY: Kelby").written == {"kelby": "Kelby"}
    assert keywords(["The Gate.", "A gate.", "KELBY", "Kelby"], TermStatistics()) == (
        "gate",
        "Kelby",
    )


def test_keywords_of_nothing():
    assert keywords([], TermStatistics()) == ()
    assert keywords(["..."], TermStatistics()) == ()


def test_halves_of_characters_are_read_as_question_marks():
    assert split_article(article("\ud800", "A\udfff. B.", "\udc80")) == ("?", "A?.", "B.")


@pytest.mark.parametrize(
    "token", ["a", "中", "\u0301", ".", "'", "A'", "a.", "-", '"', "Aa-", "1,", "Aa "]
)
def test_a_text_of_one_token_over_and_over_is_read_to_its_end(token):
    # With work that grows by the square this would take a quarter of an hour.
    text = token * (300_000 // len(token))
    assert read("T", split_article(article("T", text)), text)
    assert keywords([text, text], TermStatistics()) is not None
    assert is_duplicate("T", text, "T", text)
    assert text_keys("T", text)
