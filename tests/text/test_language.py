"""The language of an article: the one that is given, or the one that its text is in."""

from datetime import UTC, datetime

import pytest

from scstory.text import read
from scstory.text.language import (
    _load_identifier,
    detected,
    language_of,
    primary,
    script_of,
    tag_of,
)
from scstory.types import Article

TEXTS = {
    "ar": "فر آلاف السكان من منازلهم بعد فيضان النهر",
    "bg": "Хиляди хора бяха евакуирани, след като реката преля. Валя цяла седмица.",
    "cs": "Tisíce lidí opustily své domovy, protože se řeka vylila z břehů.",
    "de": "Tausende mussten ihre Häuser verlassen, weil der Fluss über die Ufer trat.",
    "el": "Χιλιάδες κάτοικοι εγκατέλειψαν τα σπίτια τους",
    "en": "Thousands left their homes when the river rose.",
    "es": "Miles de vecinos abandonan sus casas por la crecida del río.",
    "fa": "هزاران نفر پس از طغیان رودخانه خانه‌های خود را ترک کردند",
    "fr": "Des milliers d’habitants ont quitté leurs maisons après la crue.",
    "he": "אלפי תושבים עזבו את בתיהם לאחר שהנהר עלה על גדותיו",
    "hi": "नदी का जलस्तर बढ़ने से हजारों लोगों ने अपने घर छोड़े",
    "id": "Ribuan warga meninggalkan rumah mereka karena sungai meluap, kata kepala desa.",
    "it": "Migliaia di abitanti hanno lasciato le loro case dopo la piena.",
    "ja": "川が氾濫し、数千人が避難した",
    "ko": "강이 범람해 주민 수천 명이 대피했다",
    "nl": "Duizenden inwoners verlieten hun huizen toen de rivier buiten haar oevers trad.",
    "no": "Tusenvis av innbyggere forlot hjemmene sine da elva gikk over sine bredder.",
    "pl": "Tysiące mieszkańców opuściło domy, gdy rzeka wystąpiła z brzegów.",
    "pt": "Milhares de moradores deixaram as suas casas depois da cheia.",
    "ru": "Тысячи жителей покинули дома после разлива реки",
    "sv": "Tusentals invånare lämnade sina hem när ån svämmade över.",
    "th": "ประชาชนหลายพันคนอพยพหลังแม่น้ำเอ่อล้นตลิ่ง",
    "tr": "Nehir taşınca binlerce kişi evlerini terk etti.",
    "uk": "Тисячі мешканців залишили оселі після розливу річки",
    "vi": "Hàng nghìn người rời bỏ nhà cửa khi nước sông dâng cao.",
    "zh": "河水暴涨，数千居民撤离家园",
}


def article(title, text="", language=None):
    return Article("1", datetime(2026, 3, 3, tzinfo=UTC), title, text, language=language)


@pytest.mark.parametrize("language", TEXTS)
def test_a_sentence_is_enough(language):
    assert language_of(article("", TEXTS[language])) == language


def test_a_given_language_is_taken_with_its_region():
    given = article("Rugby", "Springboks", language="af_ZA")
    assert (tag_of(given), language_of(given)) == ("af-za", "af")


@pytest.mark.parametrize("given", ["", "und", "mul", "-", "\0", "not a language", None])
def test_what_is_no_language_is_detected(given):
    assert language_of(article("", TEXTS["de"], given)) == "de"


@pytest.mark.parametrize("language", ["zh", "ru", "ar", "th"])
def test_a_language_that_has_other_letters_is_not_taken(language):
    assert language_of(article("", TEXTS[language], "en-US")) == language
    assert language_of(article("", TEXTS["en"], language)) == "en"


def test_english_is_looked_at_where_the_text_is_long_enough():
    assert language_of(article("", TEXTS["de"] * 4, "en")) == "de"
    assert language_of(article("", TEXTS["de"], "en")) == "en"
    assert language_of(article("", TEXTS["en"] * 9, "en-GB")) == "en"


@pytest.mark.parametrize("text", ["", "2026", "🌊", "Kelby", "Angelo Armani", "☃ 7"])
def test_where_nothing_tells_it_is_english(text):
    assert detected(text) == "en"


def test_a_foreign_name_does_not_change_the_writing_system():
    assert script_of("苹果发布 iPhone 14 Pro Max") == "Han"
    assert script_of("The city of 北京 in winter") == "Latin"
    assert script_of("動画「の」が話題に。東京都知事が会見した") == "Kana"
    assert script_of("优衣库「の」字招牌走红网络引发热议，上海消费者排队抢购") == "Han"


def test_several_codes_of_a_language_are_one():
    assert [primary(tag) for tag in ("zh-Hant-TW", "cmn", "nn", "iw", "EN")] == [
        "zh",
        "zh",
        "no",
        "he",
        "en",
    ]


def test_the_reading_says_the_language():
    assert read(article("", TEXTS["ru"])).language == "ru"
    assert read(article("", TEXTS["en"], "de")).language == "de"


def test_the_model_is_loaded_without_a_file_and_is_the_same(monkeypatch):
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    usual = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)

    def full_disk(*args, **kwargs):
        raise OSError("No space left on device")

    monkeypatch.setattr("tempfile.TemporaryFile", full_disk)
    loaded = _load_identifier()
    for text in TEXTS.values():
        assert loaded.rank(text) == usual.rank(text)
