"""Keywords of a group of texts."""

from datetime import UTC, datetime

import pytest

from scstory.text import TermStatistics, split_article, term_counts, terms, wording_of
from scstory.text import keywords as keywords_of
from scstory.types import Article

NONE = TermStatistics()
START = datetime(2026, 3, 3, tzinfo=UTC)


def wording(text, title="", language=None):
    article = Article("1", START, title, text, language=language)
    return wording_of(article, split_article(article))


def keywords(texts, statistics=None, **options):
    return keywords_of([wording(text) for text in texts], statistics or TermStatistics(), **options)


def test_names_come_before_things():
    texts = ["In Kelby the flood is over.", "In Kelby a flood of the Alder was feared."]
    assert keywords(texts) == ("Kelby", "flood")  # the Alder is in one of them only


def test_what_is_common_in_the_stream_is_no_keyword():
    statistics = TermStatistics()
    statistics.update(term_counts([terms("the minister spoke of the river in Ansel")] * 50))
    texts = ["In Ansel the minister met Ann Lanning on the bridge.", "In Ansel, Ann Lanning fell."]
    assert keywords(texts, statistics) == ("Ann Lanning",)


def test_earlier_keywords_stay_unless_many_texts_do_without_them():
    texts = ["Nurses at the ward fought measles in Kelby.", "Boats left the ward in Mill Lane."]
    assert "measles" not in keywords(texts)
    before = ["measles", "Ansel"]
    assert {*before} <= {*keywords(texts, earlier=before, missing=True)}
    assert not {*before} & {*keywords(texts, earlier=before)}
    assert keywords(texts * 9, earlier=before[1:], missing=True) == keywords(texts * 9)


def test_a_name_of_one_word_is_in_a_title_or_in_every_text():
    texts = [wording("He left Kelby and saw Ansel with Lanning.", "Flood in Kelby")] * 3
    other = wording("He left for Ansel.", "Rain goes on")
    assert set(keywords_of([*texts, other], NONE)) == {"Kelby", "Ansel"}


def test_an_earlier_keyword_that_enough_texts_have_goes_before_others():
    texts = [f"In {place} they met." for place in ("Ansel", "Kelby") for _ in range(2)]
    assert keywords(texts, count=1) == ("Ansel",)
    assert keywords(texts, earlier=["Kelby"], count=1) == ("Kelby",)


def test_the_forms_of_a_name_count_together():
    texts = [
        "The trial opened before Judge Irene Castellan.",
        "On Monday Castellan adjourned.",
        "On Friday Castellan ruled; Irene Castellan was brief.",
    ]
    assert keywords(texts) == ("Irene Castellan",)


def test_no_two_keywords_share_a_word_or_a_stem():
    texts = ["He saw Mill Lane, Mill Road and Canada. Canadian boats left Mill Lane."] * 3
    assert keywords([*texts, "He left Canada and Mill Lane."]) == ("Mill Lane", "Canada")


def test_a_word_is_a_thing_if_it_is_used_as_a_noun():
    texts = [
        "In Kelby crews severed the cable.",
        "He said that the crews severed a cable near Kelby.",
    ]
    assert keywords(texts) == ("Kelby", "cable")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("He closed the exchange Mt. Gox.", ["Mt. Gox"]),
        ("He met Judge Irene Castellan.", ["Irene Castellan"]),
        ("He met Secretary of State John Kerry.", ["John Kerry"]),
        ("He met Homeland Security Secretary Jeh Johnson.", ["Jeh Johnson"]),
        ("He left the Bank of England on Monday.", ["Bank of England"]),
        ("Teachers joined the Northmoor Teachers' Federation.", ["Northmoor Teachers' Federation"]),
        ("He went to Kelby's Mill Lane.", ["Kelby", "Mill Lane"]),
        ("PORT ANSEL, March 3 - Boats left the Alder.", ["Alder"]),
        ("Yesterday it rained. I've seen it.", []),
        ("Ann Lanning spoke.", ["Ann Lanning"]),
        ("Lanning spoke. He thanked Lanning.", ["Lanning"]),
        ("He saw a vet. He met Vet Ann Lanning.", ["Ann Lanning"]),
        ("He met District Commander Ann Lanning.", ["Ann Lanning"]),
        ("He met President-elect Ann Lanning.", ["Ann Lanning"]),
        ("He saw a new boat and the New Kelby Bridge.", ["New Kelby Bridge"]),
        ("He spoke of Lanning v. Ortiz.", ["Lanning v. Ortiz"]),
        ("He left the Kelby Children's Hospital.", ["Kelby Children's Hospital"]),
        ("He fell near Mill and River streets in Kelby, OK.", ["Mill", "Kelby"]),
        ("He left Kelby. Copyright 2026 Alder Corporation. All rights reserved.", ["Kelby"]),
    ],
)
def test_names_of_a_text(text, names):
    assert list(wording(text).names) == names


def test_a_name_that_starts_a_sentence_is_certain_before_a_comma():
    assert wording("Ann Lanning, 59, fell.").opening == set()
    assert wording("Plucky Halcyon fell.").opening == {"Plucky Halcyon"}


def test_the_outlet_of_an_article_is_none_of_its_names():
    article = Article("1", START, "Flood", "He told Kelby Wire of Kelby.", source="Kelby Wire")
    assert list(wording_of(article, split_article(article)).names) == ["Kelby"]


def test_a_name_has_no_middle_name_where_a_text_has_it_without():
    texts = ["He met Ann Mary Lanning.", "He met Ann Lanning.", "He thanked Ann Mary Lanning."]
    assert keywords(texts) == ("Ann Lanning",)


def test_a_last_name_may_be_written_without_its_article():
    texts = ["He met Sami al-Deen.", "He thanked Deen.", "He met Sami al-Deen and saw Deen."]
    assert keywords(texts) == ("Sami al-Deen",)


def test_a_number_belongs_to_a_name_that_mostly_has_it():
    assert keywords(["He left on Interstate 45.", "He fell on Interstate 45."]) == (
        "Interstate 45",
    )
    assert keywords(["He left Kelby 45 minutes ago.", "They met him in Kelby."] * 2) == ("Kelby",)


def test_a_title_shows_names_only_where_there_is_nothing_else():
    assert list(wording("Rain fell in Kelby.", "Boats Left Town").names) == ["Kelby"]
    assert list(wording("", "Boats left Kelby").names) == ["Kelby"]


def test_words_of_the_title_count_more():
    found = wording("The flood is over, and the bank is lost.", "Flood in town").words
    assert found["flood"] > found["bank"]


def test_in_a_language_without_cues_any_word_may_be_a_thing():
    assert "vloedgolf" in wording("de vloedgolf bereikt Kelby.", language="nl").nouns


def test_keywords_of_nothing():
    assert keywords([]) == ()
    assert keywords(["..."]) == ()


@pytest.mark.parametrize("token", ["a", "A'", "a.", "Aa-", "1,", "Aa "])
def test_keywords_of_a_text_of_one_token_over_and_over(token):
    # With work that grows by the square this would take a quarter of an hour.
    text = token * (300_000 // len(token))
    assert keywords([text, text]) is not None


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("He met Republican Roy Moore in Selma.", ["Roy Moore", "Selma"]),
        ("He met Detroit-based Acme Motors.", ["Acme Motors"]),
        ("Critics of Kelly Ayotte of New Hampshire spoke.", ["Kelly Ayotte", "New Hampshire"]),
        ("He saw the Museum of London.", ["Museum of London"]),
        ("Scrapping Medicaid divides them.", ["Medicaid"]),
        ("He wrote to ann@mail.example and see pic.twitter.com/Ab1 in Kelby.", ["Kelby"]),
        ("He left the Woman with a woman and a woman.", []),
        ("He spoke to American and Russian officers.", []),
        ("More From Our Partners: Ten Great Cars. He left Kelby.", ["Kelby"]),
        ("He saw it on Facebook in the United States.", []),
        ("He read the Kelby Herald in Kelby.", ["Kelby"]),
        ("They followed Jabhat Ansar al-Deen there.", ["Jabhat Ansar al-Deen"]),
        ("He read TrumpTrumpSessions and Trump TrumpSessions.", ["TrumpTrumpSessions"]),
    ],
)
def test_names_are_without_what_stands_around_them(text, names):
    assert list(wording(text).names) == names


def test_a_network_that_the_headline_names_is_what_the_story_is_about():
    assert "Facebook" in wording("He left it to Facebook.", "Judge fines Facebook").names


def test_a_general_noun_is_no_keyword_unless_it_ends_a_telling_pair():
    texts = ["He told an officer of the mass graves in Kelby."] * 3
    found = keywords_of([wording(text, "Mass graves and an officer") for text in texts], NONE)
    assert found == ("Kelby", "mass graves")


def test_a_word_alone_stands_for_the_full_name_only_where_that_is_common():
    texts = ["He feared the Taliban."] * 4
    assert keywords([*texts, "He feared the Afghan Taliban."]) == ("Taliban",)


def test_a_word_that_only_starts_a_sentence_is_no_part_of_the_name_behind_it():
    texts = ["Plucky Halcyon-2 is back.", "He heard from Halcyon-2.", "He lost Halcyon-2."]
    assert keywords(texts) == ("Halcyon-2",)


def test_a_verb_is_no_keyword():
    texts = ["The trial begins in Kelby."] * 4
    assert "begins" not in keywords(texts)


def test_things_are_added_only_to_few_names():
    text = "In Kelby the flood was over."
    assert keywords([text] * 3) == ("Kelby", "flood")
    assert "flood" not in keywords([f"{text} Ann Lanning left Ansel for Mill Lane."] * 3)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("So the Open Table for Hungry Birds began.", "Open Table for Hungry Birds"),
        ("So they passed the Fair Roads and Bridges Act.", "Fair Roads and Bridges Act"),
        ("They ate at McLanning’s, and McLanning’s is full.", "McLanning’s"),
    ],
)
def test_a_name_is_whole_if_texts_always_link_its_parts(text, expected):
    assert expected in keywords([text] * 3)


def test_two_people_and_an_owner_are_not_linked():
    found = keywords(["There Ann Lanning and Ben Moor saw Tilda’s boat."] * 3)
    assert set(found) >= {"Ann Lanning", "Ben Moor", "Tilda"}


def test_two_spellings_are_one_name():
    texts = ["There Tam Bo-rin spoke.", "There Tam Bo Rin spoke.", "There Tam Bo Rin and Tam sat."]
    assert keywords(texts) == ("Tam Bo Rin",)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("So they met Sen. Al Lanning in La Kelby.", {"Al Lanning", "La Kelby"}),
        ("So they met King Ansel II in Kelby.", {"Ansel II", "Kelby"}),
        ("A car burned in First Avenue South near Kelby.", {"First Avenue South", "Kelby"}),
        ("It was the Kelby-based Alder Mills.", {"Alder Mills"}),
        ("He spoke for the Ansel State Police.", {"Ansel State Police"}),
        ("Ann Lanning @alanning The boat left Kelby.", {"Kelby"}),
        ("He said: “It was so funny. Loads of people came to Kelby.”", {"Kelby"}),
    ],
)
def test_names_are_neither_cut_nor_what_only_starts_a_sentence(text, names):
    assert set(wording(text, "Boats").names) == names
