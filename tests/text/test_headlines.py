"""Headlines: what belongs to them, and what speaks against them."""

import pytest

from scstory.text.headlines import faults, plain_headline

PLAIN = "Alder floods Kelby after a week of rain"


@pytest.mark.parametrize(
    "title",
    [
        PLAIN,
        f"BREAKING: {PLAIN}",
        f"{PLAIN} | Channel 6",
        f"News 6 - {PLAIN}",
        f"{PLAIN} - Kelby Herald",
        f"{PLAIN} - kelby6.com-Kelby News, Weather & Sports",
        f"{PLAIN} (with video)",
        f"{PLAIN} VIDEO",
        f"{PLAIN} Video",
        f"{PLAIN} - video report",
        f"The Latest: {PLAIN}",
        f"{PLAIN} - KELB.com - Kelby, Ansel, Northmoor",
        f"{PLAIN} - WKLB Local 6: Your news, weather, and sports authority",
        f"{PLAIN} - News6.com - Kelby, OK - News, Weather, Video and Sports - K.com |",
    ],
)
def test_labels_and_outlets_are_no_part_of_a_headline(title):
    assert plain_headline(title) == PLAIN


@pytest.mark.parametrize("title", ["Kelby | Flood", "Alder rises - and falls again in Kelby", "-"])
def test_what_is_no_outlet_stays(title):
    assert plain_headline(title) == title


@pytest.mark.parametrize(
    "title",
    [
        "Why did the Alder flood Kelby this week?",
        "What we know about the flood in Kelby so far",
        "“The water was everywhere in Mill Lane”",
        "ALDER FLOODS KELBY AFTER WEEK OF RAIN",
        "Here are the ten worst floods of the Alder",
        "Opinion: the Alder should be left to flow",
        "Ann Lanning and the art of living with a river",
        "I watched the Alder flood my house in Kelby",
        "You won't believe what the Alder did to Kelby",
        "The Alder has flooded Kelby again. Nobody cares.",
        "Kelby: it was a 'wall of water' and other takeaways",
        "Alder FLOODS Kelby after a week of rain",
        "A river like no other in the county of Kelby",
        "Flood",
    ],
)
def test_questions_quotes_capitals_lists_and_features_count_against_a_headline(title):
    assert faults(title) > 0.15 > faults(PLAIN)


def test_abbreviations_end_no_sentence():
    assert faults("Gov. Ann Lanning leaves flooded Kelby in a boat") == 0


def test_other_languages_are_judged_by_form_alone():
    assert faults("警方表示河水上涨", "zh") == 0
    assert faults("Opinion meldet Hochwasser in Kelby", "de") == 0
