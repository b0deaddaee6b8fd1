"""Chinese: words and their kinds by jieba's dictionary, which is loaded with the first text.

Only nouns and names are terms. Verbs and adverbs, half of the words of a report, are the same in
every other: without them, articles of one story are told from others clearly better.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from scstory.text.languages.profile import Kind, Part, Profile
from scstory.text.languages.uncased import QUOTED
from scstory.text.sounds import chinese_sound, long_enough, name_sounds

_PERSON, _UNKNOWN = "nr", "x"
_NAMES = (_PERSON, "ns", "nt", "nz")
"""How jieba's kinds of names start: of people, places, organisations, other things."""
_THINGS = ("n", "vn", "l", "i", "j")
"""Nouns, verbs used as nouns, set phrases, abbreviations."""
_LETTERS = re.compile(r"[^\W_]")
_CHARACTER = re.compile(r"[\u3400-\u9fff]")
_LATIN = re.compile(r"[A-Za-z][A-Za-z0-9.+-]+")
_SPELLING = (
    "丁万丘东丝丹丽乌乔于亚亨仁伊伍休伦伯佐佛佩依保克兰兹内冈农冯凡凯切利加努劳勃勒匹华卓南博"
    "卡卢卫厄古史叶司吉吕吾哈唐因图圣坎坦埃基堡塔塞夏多夫夸奇奎奥妮姆威娜孔孙宁安宰宾密富尔尚"
    "尤尼屈山巴布希帕平库庞康延廷弗彭彼德怀思恩戈戴扎托扬拉拿提撒敏文斯方施日旺昂昆明易普曼朗"
    "本朱杜杭杰林查格桑梅森欣欧武比毕毛永汉汤沃沙法波泰泽洛津派海温滕潘澳热爱特玛珀珍班琳琴瑙"
    "瑞瑟瓦甘申登白皮盖石福科穆章简米索约纳纽绍维罗翁考耶肖肯胡舍舒艾芒芝芬苏若英范茨茹荣莉莎"
    "莫莱莲菲萨蒂蒙蕾西詹让许诺谢豪贝贡费贾赖赛赞赫路辛达迈连迪通道邓邦里金铁锡门阿陶隆雅雍雷"
    "霍霞露韦顿香马高魏鲁鲍麦黑默齐龙"
)
_SPELLED = re.compile(f"[{_SPELLING}]{{2,8}}|[A-Za-z][A-Za-z.'-]+")
"""Characters that foreign names are spelled with, two of them or more, and Latin letters."""
LONGEST_NAME = 4
"""Characters of the longest name of a person that jieba cuts into surname and given name."""


def chinese_words(text: str) -> list[str]:
    """Return the words and numbers of a text.

    >>> chinese_words("孕妇在医院门口等2小时，郭艾伦的iPhone 14")
    ['孕妇', '在', '医院', '门口', '等', '2', '小时', '郭艾伦', '的', 'iPhone', '14']
    """
    return [word for word, _ in _tagged(text) if _LETTERS.search(word)]


def is_noun_or_name(word: str) -> bool:
    """Say whether a word is a noun or a name.

    >>> [word for word in chinese_words("郭艾伦在北京提出转会申请") if is_noun_or_name(word)]
    ['郭艾伦', '北京']
    """
    return any(_kind(part, tag) is not Kind.OTHER for part, tag in _tagged(word))


def chinese_parts(profile: Profile, sentences: Sequence[str]) -> list[list[Part]]:
    """Return the names and things of sentences; a title in 《》 is one name.

    >>> from scstory.text.languages import profile_of
    >>> (found,) = chinese_parts(profile_of("zh"), ["郭艾伦在北京谈《洪水》"])
    >>> [part.text for part in found if part.kind is Kind.NAME]
    ['洪水', '郭艾伦', '北京']
    """
    return [_parts(sentence) for sentence in sentences]


def chinese_sounds(sentence: str, words: Sequence[str], names: Sequence[str]) -> Iterator[str]:
    """Yield how the foreign names of a sentence sound.

    >>> list(chinese_sounds("凯斯特雷尔抢购瓦尔丹", [], []))
    ['KSTLL', 'PLTN']
    """
    for name in _SPELLED.findall(sentence):
        if name.isascii():
            yield from name_sounds([name])
        elif long_enough(key := chinese_sound(name)):
            yield key


def _parts(sentence: str) -> list[Part]:
    found = []
    titles = [title for title in QUOTED.findall(sentence) if f"《{title}》" in sentence]
    for title in dict.fromkeys(titles):
        sentence = sentence.replace(f"《{title}》", "，")
        found.append(Part(title, Kind.NAME))
    words = [(word, tag) for word, tag in _tagged(sentence) if _LETTERS.search(word)]
    return [*found, *(Part(word, _kind(word, tag)) for word, tag in words)]


def _kind(word: str, tag: str) -> Kind:
    if _LATIN.fullmatch(word):
        return Kind.NAME
    if len(word) < 2 or not _CHARACTER.match(word):
        return Kind.OTHER
    if tag[:2] in _NAMES or tag == _UNKNOWN:
        return Kind.NAME
    return Kind.THING if tag in _THINGS else Kind.OTHER


@lru_cache(maxsize=1 << 12)
def _tagged(text: str) -> tuple[tuple[str, str], ...]:
    """Return words and signs with their kinds in the dictionary."""
    import rjieba

    return tuple(_with_whole_names(rjieba.tag(text)))


def _with_whole_names(tagged: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield words and their kinds, a surname and the given name after it as one."""
    surname = ""
    for word, tag in tagged:
        if surname and tag[:2] == _PERSON and len(surname + word) <= LONGEST_NAME:
            word, surname = surname + word, ""
        elif surname:
            yield surname, _PERSON
            surname = ""
        if tag[:2] == _PERSON and len(word) == 1:
            surname = word
        else:
            yield word, tag
    if surname:
        yield surname, _PERSON
