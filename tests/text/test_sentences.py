"""Sentences of an article."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from scstory.text import split_article
from scstory.types import Article


def article(title, text, language=None):
    return Article("1", datetime(2026, 3, 3, tzinfo=UTC), title, text, language=language)


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


def test_halves_of_characters_are_read_as_question_marks():
    assert split_article(article("\ud800", "A\udfff. B.", "\udc80")) == ("?", "A?.", "B.")
