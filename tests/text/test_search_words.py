"""Words as a search compares them, and their forms."""

import pytest

from scstory.text.search_words import search_words, word_forms, words_with_places
from scstory.text.spelling import spelling_distance


@pytest.mark.parametrize(
    ("word", "forms", "others"),
    [
        ("gas", {"gases"}, {"ga", "gave", "gang"}),
        ("us", set(), {"use", "used", "using"}),
        ("use", {"used", "uses", "using"}, {"us"}),
        ("flooding", {"flood", "floods", "flooded"}, set()),
        ("party", {"parties"}, {"part", "parts"}),
        ("parties", {"party"}, {"part"}),
        ("ban", {"banned", "banning", "bans"}, {"bane"}),
        ("hoping", {"hope", "hopes", "hoped"}, {"hop", "hops"}),
        ("travelled", {"travel", "travels", "traveling"}, set()),
        ("agreed", {"agree", "agreeing"} - {"agreeing"}, set()),
        ("news", set(), {"new"}),
        ("seed", {"seeds"}, {"see", "sees"}),
        ("evening", set(), {"even"}),
        ("2026", set(), {"2026s"}),
    ],
)
def test_a_word_has_its_forms_and_no_others(word, forms, others):
    found = set(word_forms(word))
    assert word in found
    assert forms <= found
    assert not others & found


def test_accents_and_capitals_make_no_difference():
    assert search_words("ÜBERFALL Überfall uberfall u\u0308berfall") == ["uberfall"] * 4
    assert search_words("Москва МОСКВА") == ["москва"] * 2
    assert search_words("йод") == ["йод"]  # a letter of its own


def test_places_are_those_of_the_text_as_it_is_written():
    text = "Cafe\u0301s: Łódź, e-mail"
    found = [(word, text[start:end]) for word, start, end in words_with_places(text)]
    assert found == [("cafes", "Cafe\u0301s"), ("łodz", "Łódź"), ("e", "e"), ("mail", "mail")]


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [("ferry", "ferry", 0), ("ferry", "fery", 1), ("ferry", "frery", 1), ("ferry", "derby", 2),
     ("ferry", "harbour", 3), ("", "ab", 2)],
)  # fmt: skip
def test_spelling(one, other, distance):
    assert spelling_distance(one, other, 2) == spelling_distance(other, one, 2) == distance
