"""Which sentences can be understood alone."""

import pytest

from scstory.text.quotable import quotable

KEPT = [
    "Lanning told reporters that he expected the crest of the Alder in the evening.",
    "The exchange Mt. Gox lost 850,000 bitcoins, said Ann Lanning, its chief executive.",
    "A man told police in Kelby that he saw the river break the bank from his car.",
    "“I did not do it and I never would,” Lanning told a court in Kelby on Friday.",
    "The woman who saved three children in Kelby was named as Ann Lanning on Friday.",
]
UNUSABLE = [
    "But the river Alder rose by 5 centimetres an hour in Kelby on Tuesday.",  # a connective
    "He told a jury in Kelby on Monday what it had cost to change course.",  # a pronoun
    "On Monday he told a jury in Kelby what it had cost to change course.",
    "In Kelby, nine hours by truck from Ansel, she still leads six llamas.",
    "The man was taken to Kelby General Hospital, where doctors pronounced him dead.",
    "“The water was everywhere and I could not see the bridge,” Lanning said.",  # a bare quote
    "By Ann Lanning, Kelby Herald, with reports from the river Alder on Friday.",
    "The river Alder rose in Kelby on Friday. Read more about it on our page.",
    "Subscribe to the Kelby Herald for daily news of the river Alder.",
    "The pictures are at www.kelby.example, where Ann Lanning keeps them.",
    "Photo: Ann Lanning on the bridge over the Alder in Kelby, on Friday.",
    "The river Alder rose by 5 centimetres an hour in Kelby on",  # no end
    "What will the river Alder do in Kelby after a week of rain on snow?",
    "Traders think that the tie-up will probably happen, though not soon.",  # no name
    "We saw the river Alder rise in Kelby for a week before the bank broke.",
    "Kelby rose.",
    "THE RIVER ALDER ROSE IN KELBY AND THE BANK OF MILL LANE BROKE ON FRIDAY.",
    "He said “the river Alder rose in Kelby for days before the bank broke.",
    "Ann Lanning of Kelby said: 'The water was high, and it rose all night.",  # a quote cut in half
    "Tuesday at the bank behind Mill Lane in Kelby, said Ann Lanning, the mayor.",  # half of it
    "Three others were taken to Kelby General Hospital on Friday, police said.",
    "Two hours later, Ann Lanning told Kelby that the river Alder had crested.",
    "Alder floods Kelby after a week of rain A woman was rescued on Friday, police said.",
    "By Ann Lanning Police in Kelby are looking for the owner of a boat on the Alder.",
    "Ann Lanning looks on in Kelby, Tuesday, March 3, 2026, as the Alder breaks a bank.",
    "Ann Lanning, left, and Ray Ortiz carry sandbags to the river Alder in Kelby.",
    "A Channel 6 crew is on the scene at the river Alder and will report from Kelby.",
    "The Kelby Herald is always looking for volunteer writers who live on the Alder!",
    "Reporters said that he saw the river Alder break its bank in Kelby on Friday.",
    "The mayor, Ann Lanning, also ordered the schools of Kelby to shut until Friday.",
    "A boat of the Kelby fire brigade behind Mill Lane in the early hours of Friday.",  # no verb
    "River Alder Rises Two Metres In Kelby, Three Hundred Homes Under Water.",
    "Y., told a jury in Kelby on Monday what it had cost Ann Lanning.",
    "In other news, the river Alder had flooded Kelby again on Friday.",
    "Ann Lanning confirmed in Kelby that she had, but spoke of the Alder again.",
    "Due to the flood, he told a jury in Kelby on Monday what it had cost.",
    "According to the report, the river Alder had flooded Kelby on Friday.",
    "A note of the Kelby Herald to appear in print on Friday in Ansel.",  # no verb that says when
    "An hour later Ann Lanning told Kelby that the river Alder had crested.",
    "Ann Lanning left the river Alder that night, and Kelby was flooded on Friday.",
    "Members of Congress have opposed most of his plans for the river Alder.",
    "Experts in Kelby believe it was a crack that widened in the bank of the Alder.",
    "A bank broke at 6 p.m. Police said that the river Alder had flooded Kelby.",
    "Ann Lanning left Kelby on Friday, She is the mayor of the town on the Alder.",
    "Flood in Kelby - A woman was rescued from the river Alder on Friday, police said.",
    "Ann Lanning was the first to leave Kelby, as The Herald reported on Friday.",
    "Fact: The river Alder rose by 5 centimetres an hour in Kelby on Tuesday.",
]


@pytest.mark.parametrize("sentence", KEPT)
def test_a_sentence_that_names_what_it_is_about_can_be_quoted(sentence):
    assert quotable(sentence) == sentence


@pytest.mark.parametrize("sentence", UNUSABLE)
def test_a_sentence_that_needs_its_article_cannot(sentence):
    assert quotable(sentence) == ""


@pytest.mark.parametrize(
    "dateline",
    [
        "KELBY, March 3 - ",
        "KELBY—",
        "(CNN) -- ",
        "PORT ANSEL (AP) — ",
        "By Ann Lanning KELBY (Reuters) - ",
        "(Herald photo) ",
        "Kelby (CNN) ",
        "Port Ansel, OK -- ",
        "CLOSE ",
        "From Staff Reports ",
        "Alder floods Kelby Posted: Tuesday, March 3, 2026 4:17 PM EDT ",
    ],
)
def test_a_dateline_is_left_out(dateline):
    assert quotable(dateline + KEPT[0]) == KEPT[0]


def test_other_languages_are_judged_by_form_alone():
    chinese = "警方周二表示，凯尔比镇的阿尔德河水位每小时上涨约五厘米。"
    assert quotable(chinese, "zh") == chinese
    assert quotable("Er sagte am Montag in Kelby, dass der Fluss steigt.", "de")
    assert quotable("Siehe www.kelby.example, wo der Fluss in Kelby steigt.", "de") == ""
