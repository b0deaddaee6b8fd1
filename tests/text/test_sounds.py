"""How names sound, in all writing systems."""

from collections import Counter
from datetime import UTC, datetime

import pytest

from scstory.text import FIELDS, read
from scstory.text.languages import profile_of
from scstory.text.sounds import name_sounds, number_keys, sound
from scstory.text.terms import BUCKETS
from scstory.types import Article

TIME = datetime(2026, 3, 3, tzinfo=UTC)
TEXTS = {
    "en": ("Kestrel bids for Valdane", "On Monday Kestrel offered 34.5 billion for Valdane."),
    "de": ("Kestrel bietet für Valdane", "Am Montag bot Kestrel 34,5 Milliarden für Valdane."),
    "ru": ("«Кестрел» хочет купить Валдейн", "Компания Кестрел предложила за Валдейн 34,5 млрд."),
    "ar": ("كيستريل تعرض شراء فالداني", "عرضت كيستريل ٣٤٫٥ مليار دولار لشراء فالداني يوم الاثنين."),
    "zh": ("凯斯特雷尔抢购瓦尔丹", "凯斯特雷尔周一出价345亿美元收购瓦尔丹。"),
    "ja": (
        "ケストレルがバルデインを買収へ",
        "ケストレルは月曜日、バルデインに345億ドルを提示した。",
    ),
    "ko": ("케스트렐, 발데인 인수 제안", "케스트렐은 월요일 발데인에 345억 달러를 제안했다."),
}


def sounds(language):
    """Return the keys of a text in the table of terms."""
    title, text = TEXTS[language]
    reading = read(Article("1", TIME, title, text, language=language))
    columns = reading.columns[reading.columns // BUCKETS == FIELDS.index("sounds")]
    return Counter(columns.tolist())


@pytest.mark.parametrize("language", list(TEXTS))
def test_names_and_numbers_are_the_same_in_all_languages(language):
    wanted = read(Article("1", TIME, "", "So said Valdane. So did Kestrel: 345.", language="de"))
    keys = wanted.columns[wanted.columns // BUCKETS == FIELDS.index("sounds")]
    assert len(keys) == 3
    assert set(keys.tolist()) <= sounds(language).keys()


def test_sounds_are_counted_in_each_sentence():
    reading = read(Article("1", TIME, "", "So said Valdane. It was Valdane, said Valdane."))
    at = reading.columns // BUCKETS == FIELDS.index("sounds")
    assert reading.counts[at].tolist() == [3]
    assert reading.used_in[at[reading.uses]].tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Halcyon", "Халсион"),
        ("Schmidt", "Шмидт"),
        ("Quemado", "Кемадо"),
        ("Philip", "فيليب"),
        ("Lindgate", "ليندغيت"),
        ("Χρήστος", "Christos"),
    ],
)
def test_spellings_of_a_name_sound_the_same(one, other):
    assert sound(one) == sound(other)


def test_short_sounds_and_small_numbers_tell_nothing():
    assert list(name_sounds(["Ann", "Oslo", "Lee Ray"])) == []
    assert list(number_keys("2 of 24 in 2000, 1,500 at 12:30")) == []
    assert list(number_keys("1.234,50 und ٣٤٥")) == ["#12345", "#345"]


def test_common_words_of_a_language_without_capitals_are_no_names():
    profile = profile_of("ar")
    assert profile.is_stop_word("الذي")
    title, _ = TEXTS["ar"]
    reading = read(Article("1", TIME, title, "الذي الذي الذي", language="ar"))
    plain = read(Article("1", TIME, title, "", language="ar"))
    first = FIELDS.index("sounds") * BUCKETS
    assert (reading.columns >= first).sum() == (plain.columns >= first).sum()
