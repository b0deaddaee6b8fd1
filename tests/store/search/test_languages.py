"""Searches in languages without spaces, capitals or fixed spelling, on both databases."""

from datetime import timedelta

import pytest

from scstory.store import open_store
from scstory.store.records import StoryQuery
from scstory.types import Article, Assignment
from tests.conftest import START
from tests.discovery.test_engine import make
from tests.store.search.sample_store import described

TEXTS = {
    "zh": ("奥尔德河决堤，数千居民撤离", "连续一周降雨后，洪水淹没了凯尔比市。市长请求军队支援。"),
    "ja": (
        "アルダー川が氾濫、数千人が避難",
        "ケルビー市で堤防が決壊した。市長は自衛隊に支援を求めた。",
    ),
    "ko": ("앨더강 범람으로 주민 대피", "켈비 시장은 군에 지원을 요청했다."),
    "th": ("น้ำท่วมเมืองเคลบี", "ประชาชนหลายพันคนอพยพออกจากเมือง"),
    "ar": ("فيضان يجبر الآلاف على مغادرة كيلبي", "قال مُحَمَّد إن المياه غمرت المدينة."),
    "hi": ("बाढ़ से हजारों लोग बेघर", "नदी का पानी शहर में घुस गया। राहत दल पहुँचे।"),
    "ru": ("Наводнение в Кельби", "Пётр Орлов сообщил, что дамба разрушена."),
}
FOUND = {
    "洪水": "zh", "撤离": "zh", "凯尔比": "zh", "洪水军队": "zh", "市长支援凯尔比": "zh",
    "尔德": "zh",
    "避難": "ja", "ケルビー": "ja", "自衛隊": "ja", "시장": "ko", "대피": "ko",
    "น้ำท่วม": "th", "อพยพ": "th", "محمد": "ar", "الالاف": "ar", "बाढ़": "hi", "राहत": "hi",
    "Петр": "ru", "дамба": "ru", "ДАМБА": "ru",
}  # fmt: skip
NOT_FOUND = ["水洪", "บ้าน", "दनी", "洪灾", "Орел"]


@pytest.fixture(scope="module", params=["file", "server"])
def store(request, tmp_path_factory):
    if request.param == "file":
        address = str(tmp_path_factory.mktemp("languages") / "s.db")
    else:
        address = request.getfixturevalue("postgres").make()
    store = open_store(address)
    articles = [
        Article(language, START + timedelta(hours=n), title, text, language=language)
        for n, (language, (title, text)) in enumerate(TEXTS.items())
    ]
    store.accept(articles)
    stories = [described(n, [article] * 2) for n, article in enumerate(articles, 1)]
    decided = [Assignment(a.id, n, 0.9, new=True) for n, a in enumerate(articles, 1)]
    store.commit(articles, decided, stories, make().state())
    yield store
    store.close()


def found(store, text):
    page, *_ = store.story_page(StoryQuery(text=text, sort="relevance"))
    return [[*TEXTS][story.id - 1] for story in page]


@pytest.mark.parametrize("text", FOUND)
def test_a_word_finds_its_story(store, text):
    assert found(store, text) == [FOUND[text]]


@pytest.mark.parametrize("text", NOT_FOUND)
def test_other_words_of_the_same_characters_find_nothing(store, text):
    assert found(store, text) == []
