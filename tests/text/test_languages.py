"""What is read of articles in other languages than English."""

from datetime import UTC, datetime

import pytest

from scstory.text import FIELDS, TermStatistics, keywords, names_in, read, split_article, wording_of
from scstory.text.headlines import plain_headline
from scstory.text.languages import profile_of
from scstory.text.quotable import quotable
from scstory.text.reading import field_totals
from scstory.types import Article

TEXTS = {
    "ar": (
        "فيضان نهر ألدر يجبر الآلاف على مغادرة كيلبي",
        "ارتفع منسوب نهر ألدر بعد أسبوع من الأمطار. وقالت رئيسة بلدية كيلبي آنا لانينغ إن الفيضان "
        "هو الأسوأ منذ عام 1953. وأجلت فرق الإنقاذ 3200 شخص من كيلبي، بحسب وزارة الداخلية.",
    ),
    "de": (
        "Hochwasser in Kelby: Tausende müssen ihre Häuser verlassen",
        "Nach tagelangem Regen ist die Alder in Kelby über die Ufer getreten. Bürgermeisterin Anna "
        "Lehmann sprach am Dienstag von der schwersten Flut seit 1953. Die Feuerwehr brachte 3.200 "
        "Menschen in Sicherheit, teilte das Innenministerium in Ansel mit. Der Pegel steigt "
        "weiter, sagte Lehmann.",
    ),
    "ja": (
        "アルダー川が氾濫、ケルビーで数千人が避難",
        "1週間続いた雨でアルダー川が氾濫した。ケルビー市の田中洋子市長は1953年以来最悪の洪水だと述べた。"
        "内務省によると、3200人がケルビーから避難した。田中市長は自衛隊に支援を求めた。",
    ),
    "ru": (
        "Тысячи жителей Кельби эвакуированы из-за наводнения",
        "Река Альдер вышла из берегов после недели дождей. Мэр города Анна Леонова назвала "
        "наводнение самым тяжёлым с 1953 года. По словам Леоновой, из Кельби вывезли 3200 человек. "
        "Помощь отправили в Холт.",
    ),
    "vi": (
        "Lũ lụt ở Kelby khiến hàng nghìn người phải sơ tán",
        "Sông Alder tràn bờ sau một tuần mưa lớn. Thị trưởng Nguyễn Thị Lan cho biết đây là trận "
        "lũ tồi tệ nhất kể từ năm 1953. Khoảng 3.200 người đã rời khỏi Kelby. Quân đội được "
        "điều đến.",
    ),
    "zh": (
        "黄河决堤 洛阳数千居民撤离",
        "连续一周的降雨后，黄河在洛阳决堤。市长李安娜周二表示，这是1953年以来最严重的洪水。"
        "据应急管理部消息，3200人已撤离洛阳。李安娜请求军队支援。",
    ),
}  # fmt: skip
SENTENCES = {"ar": 4, "de": 5, "ja": 5, "ru": 5, "vi": 5, "zh": 5}
NAMES = {
    "ar": ["كيلبي"],
    "de": ["Kelby", "Anna Lehmann", "Ansel", "Lehmann"],
    "ja": ["アルダー", "ケルビー"],
    "ru": ["Альдер", "Анна Леонова", "Леоновой", "Кельби", "Холт"],
    "vi": ["Alder", "Nguyễn Thị Lan", "Kelby"],
    "zh": ["黄河", "洛阳", "李安娜"],
}
NO_NAMES = {
    "ar": ["وزارة", "الأمطار"],
    "de": ["Flut", "Pegel", "Feuerwehr", "Ufer", "Innenministerium", "Dienstag"],
    "ja": ["した", "雨", "市長"],
    "ru": ["Река", "Помощь", "человек"],
    "vi": ["Khoảng", "Sông"],
    "zh": ["市长", "军队", "撤离"],
}
TERMS = {
    "ar": ({"نهر"}, {"من", "على", "عام"}),
    "de": ({"kelby", "flut", "feuerwehr"}, {"die", "ist", "nach", "über"}),
    "ja": ({"ケルビー", "避難", "洪水", "自衛隊"}, {"した", "が", "で"}),
    "ru": ({"кельб", "наводнен", "дожд"}, {"из", "после", "с"}),
    "vi": ({"kelby", "lũ", "quân"}, {"là", "cho", "đã"}),
    "zh": ({"洛阳", "降雨", "洪水", "军队"}, {"的", "表示", "已", "人"}),
}
KEYWORDS = {
    "ar": "كيلبي",
    "de": "Kelby",
    "ja": "ケルビー",
    "ru": "Анна Леонова",
    "vi": "Nguyễn Thị Lan",
    "zh": "洛阳",
}


def article(language):
    title, text = TEXTS[language]
    return Article("1", datetime(2026, 3, 3, tzinfo=UTC), title, text)


each = pytest.mark.parametrize("language", TEXTS)


@each
def test_an_article_has_sentences_terms_and_names(language):
    reading = read(article(language))
    totals = dict(zip(FIELDS, field_totals(reading), strict=True))
    assert reading.language == language
    assert len(reading.sentences) == SENTENCES[language]
    assert totals["terms"] > totals["lede"] / 2 > totals["title"] / 2 > 0
    assert totals["names"] > 2
    assert totals["bigrams"] > 5


@each
def test_terms_are_words_without_the_common_ones(language):
    found = set(profile_of(language).terms(TEXTS[language][1]))
    expected, common = TERMS[language]
    assert expected <= found
    assert not common & found


@each
def test_names_are_told_from_other_words(language):
    title, *body = split_article(article(language))
    found = [name for sentence in names_in(title, body, language).body for name in sentence]
    assert set(NAMES[language]) <= set(found)
    assert not set(NO_NAMES[language]) & set(found)


@each
def test_keywords_are_names_and_words(language):
    one = wording_of(article(language), split_article(article(language)))
    found = keywords([one, one], TermStatistics())
    assert KEYWORDS[language] in found
    assert all(len(keyword.split()) <= 4 and len(keyword) < 25 for keyword in found)


def test_forms_of_a_word_are_one_term():
    assert len(set(profile_of("ru").terms("наводнение наводнения наводнением"))) == 1
    assert len(set(profile_of("de").terms("Häuser Hauses Haus"))) == 1
    assert len(set(profile_of("ko").terms("대통령은 대통령이 대통령을 대통령"))) == 1
    assert len(set(profile_of("ar").terms("مُحَمَّد محمد"))) == 1
    assert profile_of("ru").name_term("Анна Леонова") == profile_of("ru").name_term("Анны Леоновой")


def test_vowel_signs_belong_to_their_words():
    assert profile_of("hi").words("दिल्ली में भूकंप, 5.2") == ["दिल्ली", "में", "भूकंप", "5.2"]
    assert profile_of("ta").words("வெள்ளம் வந்தது") == ["வெள்ளம்", "வந்தது"]


def test_thai_is_cut_into_words_and_clauses():
    text = "น้ำท่วมทำให้ประชาชนหลายพันคนอพยพ " * 12
    found = split_article(Article("1", datetime(2026, 3, 3, tzinfo=UTC), "น้ำท่วม", text))
    assert len(found) == 5
    assert {"น้ำ", "ประชาชน"} <= set(profile_of("th").words(text))


def test_a_language_without_a_profile_of_its_own_is_read_all_the_same():
    assert profile_of("xx").terms("Kelby mortu 1953") == ["kelby", "mortu", "1953"]
    assert profile_of("bo").words("བོད་སྐད") != []


def test_chinese_headlines_lose_their_labels():
    assert plain_headline("持续关注丨黄河在洛阳决堤", "zh") == "黄河在洛阳决堤"
    assert plain_headline("【快讯】黄河在洛阳决堤", "zh") == "黄河在洛阳决堤"
    assert plain_headline("黄河在洛阳决堤_新浪新闻", "zh") == "黄河在洛阳决堤"
    assert plain_headline("黄河在洛阳决堤——要闻——洛阳网站", "zh") == "黄河在洛阳决堤"
    assert plain_headline("黄河决堤——洛阳数千居民撤离", "zh") == "黄河决堤——洛阳数千居民撤离"


def test_chinese_sentences_that_need_others_are_not_quoted():
    assert quotable("市长李安娜周二表示，这是1953年以来最严重的洪水。", "zh")
    assert not quotable("他表示，这是1953年以来最严重的一次洪水灾害。", "zh")
    assert not quotable("责任编辑：李安娜，来源：洛阳日报，图片由本报记者拍摄。", "zh")


def test_keywords_of_a_story_in_several_languages_are_in_the_most_common_one():
    zh, de = (wording_of(article(x), split_article(article(x))) for x in ("zh", "de"))
    assert "洛阳" in keywords([zh, zh, de], TermStatistics())
    assert "Kelby" in keywords([zh, de, de], TermStatistics())


def test_earlier_keywords_without_capitals_stay_what_they_are():
    one = wording_of(article("zh"), split_article(article("zh")))
    first = keywords([one, one], TermStatistics())
    assert keywords([one, one], TermStatistics(), earlier=first) == first
