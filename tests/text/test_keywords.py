"""Keywords of a group of texts."""

from datetime import UTC, datetime

import pytest

from scstory.text import TermStatistics, read, term_counts, terms
from scstory.text import keywords as keywords_of
from scstory.types import Article


def wording(text, title=""):
    return read(Article("1", datetime(2026, 3, 3, tzinfo=UTC), title, text)).wording


def keywords(texts, statistics, **options):
    return keywords_of([wording(text) for text in texts], statistics, **options)


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


def test_a_name_of_several_words_stands_in_for_them():
    texts = [
        "Kelby mourns.",
        "In Kelby the Mill Lane bank broke.",
        "Boats reached Mill Lane in Kelby.",
    ]
    assert keywords(texts, TermStatistics(), count=2) == ("Kelby", "Mill Lane")
    # Where its words are mostly used without each other, they stay.
    apart = [*texts, "The lane.", "One lane.", "This lane.", "Each lane."]
    assert "Mill Lane" not in keywords(apart, TermStatistics())


def test_the_wording_of_a_text():
    found = wording("Boats left Kelby; the Mill Lane bank in Kelby broke.", "Mill Lane bank broke")
    assert found.terms == ("mill", "lane", "bank", "broke", "boats", "left", "kelby")
    assert found.written == {"kelby": "Kelby", "mill": "Mill", "lane": "Lane", "boats": "Boats"}
    assert found.names == ("Mill Lane",)


def test_keywords_of_nothing():
    assert keywords([], TermStatistics()) == ()
    assert keywords(["..."], TermStatistics()) == ()


@pytest.mark.parametrize("token", ["a", "A'", "a.", "Aa-", "1,", "Aa "])
def test_keywords_of_a_text_of_one_token_over_and_over(token):
    # With work that grows by the square this would take a quarter of an hour.
    text = token * (300_000 // len(token))
    assert keywords([text, text], TermStatistics()) is not None
