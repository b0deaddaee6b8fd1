"""What a sentence takes as known."""

import pytest

from scstory.text.references import known_from, references, understood

NAMES = frozenset({"Ann Lanning", "Lanning", "Kelby", "Mill Lane"})
FIRST = "The river broke a bank behind Mill Lane, Ann Lanning told reporters in Kelby."


def needs(sentence, *before, names=NAMES, language="en"):
    """Return what a sentence needs, in a text that has some others before it."""
    return references((*before, sentence), names, language)[-1]


@pytest.mark.parametrize(
    "sentence",
    [
        FIRST,
        "The river Alder rose by a metre on Friday.",
        "Police said the river rose in the morning, and the internet went down.",
        "Mayor Lanning warned Kelby on Friday.",  # says who that is
        "Ann Lanning, 51, was elected last year.",
        "The bank of the Alder broke on Friday.",  # says which one
        "The man who saved three children in Kelby is a builder.",
        "A man drowned, and the man who found him called the police.",
        "Members of the Islamic Alder Society prayed in Kelby, said the British.",
        "Homes in Kelby are wet this week.",
    ],
)
def test_a_sentence_that_says_who_and_what_it_means_needs_nothing(sentence):
    assert not needs(sentence)


@pytest.mark.parametrize(
    ("sentence", "introduction", "other"),
    [
        ("Lanning said a second bank had cracks.", "Ann Lanning resigns", "Alder floods Kelby"),
        ("Mr. Lanning said a second bank had cracks.", "Ann Lanning resigns", "Kelby is wet"),
        ("Volunteers rebuilt the bank on Friday.", "Bank breaks in Kelby", "Alder floods Kelby"),
        ("The rowing team carried sandbags.", "Rowing team saves homes", "Alder floods Kelby"),
        ("Police said the suspect had fled.", "Three shot in Kelby", "Alder floods Kelby"),
        ("Builders were angry about that delay.", "Delay of the Kelby bank", "Alder floods Kelby"),
    ],
)
def test_a_reference_needs_its_introduction(sentence, introduction, other):
    found = needs(sentence, FIRST)
    assert found
    assert understood(found, known_from(introduction, "en"))
    assert not understood(found, known_from(other, "en"))


def test_somebody_in_the_title_of_an_article_is_new_to_readers_of_another_headline():
    need = {frozenset({"ann", "lanni"})}
    assert needs("Kelby chose Ann Lanning three years ago.", "Ann Lanning resigns") == need


def test_words_of_a_language_without_cues_need_nothing_but_its_names_do():
    german = "Scholz sagte, dass der Damm in Kelby gebrochen sei."
    assert needs(german, names=frozenset({"Olaf Scholz"}), language="de") == {frozenset({"schol"})}
    chinese = "这座大桥于周二关闭。"
    assert not needs(chinese, "凯尔比镇的大桥受损。", names=frozenset(), language="zh")
