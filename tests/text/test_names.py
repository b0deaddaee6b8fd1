"""Names are recognised by their capitals."""

import pytest

from scstory.text import names_in


def test_the_first_word_of_a_sentence_and_stop_words_are_no_sign_of_a_name():
    body = ["Rain fell. ", "He said The Alder rose", "I saw I"]
    assert names_in("", body).body == [[], ["Alder"], []]
    assert names_in("", ["5 Rain fell", "“Boats left"]).body == [[], ["Boats"]]


def test_a_title_in_capitals_is_not_all_names():
    body = ["Police in Kelby searched.", "The mayor, Ann Lanning, spoke."]
    names, found = ["Kelby", "Ann Lanning"], [["Kelby"], ["Ann Lanning"]]
    assert names_in("Kelby Mayor Ann Lanning Speaks", body) == (names, found)
    assert names_in("Lanning's plan", body) == (["Lanning"], found)


def test_names_in_a_row_are_one_and_end_with_the_sentence():
    body = ["ask Ann Lanning, Kelby", "Kelby's Ann", "Ann", "no Ann 5 Lanning", "iPhone Ann’s"]
    assert names_in("Ann Élan Kelby", body) == (
        ["Ann", "Kelby"],
        [["Ann Lanning", "Kelby"], ["Kelby Ann"], ["Ann"], ["Ann Lanning"], ["Ann"]],
    )


@pytest.mark.parametrize(
    ("sentences", "names"),
    [
        (["Police met Ann Lanning in Kelby."], [["Ann Lanning", "Kelby"]]),
        (["Yesterday it rained.", "Crews came."], [[], []]),
        (["the mayor of Kelby’s Mill Lane, Ray Ortiz"], [["Kelby Mill Lane", "Ray Ortiz"]]),
        # Another sentence shows that the word which starts this one is a name.
        (["Alder rose.", "Boats left the Alder."], [["Alder"], ["Alder"]]),
    ],
)
def test_names_below_a_title(sentences, names):
    assert names_in("", sentences).body == names


def test_without_sentences_the_title_itself_shows_them():
    assert names_in("Police search Kelby", []) == (["Kelby"], [])
