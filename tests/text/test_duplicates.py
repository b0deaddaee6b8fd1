"""Copies of a report are recognised, other reports of the event are not."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scstory.sample import load_sample
from scstory.text.duplicates import SHORT, is_duplicate, text_keys

REPORT = (
    "The river Alder rose above its banks on Tuesday night and flooded forty homes in Kelby. "
    "Firefighters brought 90 people to safety by boat, among them the children of a school. "
    "The mayor, Ines Lanning, said that the dam upstream had held and that the water would fall. "
    "Rain is expected to go on until the weekend, the weather service said on Wednesday. "
    "The county has opened two shelters, in the school and in the church hall of Mill Lane."
)
OTHER = (
    "Ninety people had to be rescued by boat after the Alder flooded parts of Kelby overnight. "
    "Some forty houses are under water, the county said, and two shelters have been opened. "
    'The dam upstream "has held and will hold", mayor Ines Lanning told reporters on Wednesday. '
    "The weather service expects rain until the weekend."
)


def found(one, other):
    """Say whether the one would be found when the other is held, as the store does it."""
    return bool(set(text_keys(*one)) & set(text_keys(*other))) and is_duplicate(*one, *other)


@pytest.mark.parametrize(
    "copy",
    [
        REPORT,
        REPORT.upper(),
        "KELBY (Wire) — " + REPORT.replace(". ", ".\n\n"),
        "By Ann Reed, staff writer\n" + REPORT,
        REPORT + " Read more on our website.",
        REPORT.replace("Tuesday night", "late Tuesday"),
    ],
)
def test_copies(copy):
    assert found(("Homes under water", copy), ("Alder floods Kelby", REPORT))


@pytest.mark.parametrize(
    "report",
    [
        OTHER,
        REPORT[: len(REPORT) // 2],
        REPORT.replace("90", "120"),
        " ".join(reversed(REPORT.split())),
        "",
    ],
)
def test_other_reports(report):
    assert not found(("Alder floods Kelby", report), ("Alder floods Kelby", REPORT))


def test_short_texts_must_be_equal_and_so_must_their_titles():
    short = "Pictures of the day."
    assert found(("Monday", short), ("monday", "Pictures of the day"))
    assert not found(("Monday", short), ("Tuesday", short))
    assert not found(("", "weiter"), ("", "weiteres"))


def test_the_sample_has_no_copies():
    articles = [(item.article.title, item.article.text) for item in load_sample()]
    keys = [set(text_keys(*article)) for article in articles]
    pairs = [(i, j) for i in range(len(keys)) for j in range(i) if keys[i] & keys[j]]
    assert not [pair for pair in pairs if is_duplicate(*articles[pair[0]], *articles[pair[1]])]


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 10**6), length=st.integers(SHORT + 20, 400))
def test_a_text_with_one_word_changed_is_found(seed, length):
    rng = random.Random(seed)
    words = [rng.choice("abcdefghij") * rng.randint(1, 5) for _ in range(length)]
    changed = [*words]
    changed[rng.randrange(length)] = "other"
    assert is_duplicate("", " ".join(changed), "", " ".join(words))


@given(st.text(), st.text())
def test_keys_are_whole_numbers_a_database_can_hold(title, text):
    keys = text_keys(title, text)
    assert keys == text_keys(title, text)
    assert all(-(2**63) <= key < 2**63 for key in keys)
