"""How names sound: what a name has in common in all languages and writing systems.

A name is written as it sounds, in Latin, Cyrillic, Arabic or Chinese letters, and what survives of
it best are its consonants: Valdane, Валдейн, فالداني and 瓦尔丹 are all `PLTN`. Consonants that
writing systems do not tell apart count as one: b, p, f and v; d and t; g, k and q; l and r; m and
n; s, z and the like. A number is the same but for its unit: 34.5 billion are 345亿.

What is returned of a text are keys that can be counted like words. They are evidence across
languages alone, since within a language the names themselves are.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

SHORTEST = 3
"""Consonants of a name that tells something."""
SHORTEST_PAIR = 4
"""The same of two names together."""
DIGITS = 3
"""Digits of a number that tells something, without zeros before and behind them."""

_NUMBER = re.compile(r"\d+(?:[.,٫٬\u00a0\u202f ]\d+)*")
_BETWEEN = re.compile(r"[\s\d_.’'·・-]+")
_ALIKE = {"P": "bpfv", "T": "dt", "K": "gkq", "L": "lr", "N": "mn", "S": "szj"}
_KINDS = {letter: kind for kind, letters in _ALIKE.items() for letter in letters}
_AT_FIRST = {"w": "P", "h": "H"}
"""Letters that count only at the start of a name: elsewhere many languages leave them out."""
_SPELLINGS = (
    (re.compile("sch|tch|sh|ts|tz"), "s"),
    (re.compile("ph"), "f"),
    (re.compile("kh"), "h"),
    (re.compile("th"), "t"),
    (re.compile("gh|ck|ch|qu"), "k"),
    (re.compile("x"), "ks"),
    (re.compile("c(?=[eiy])"), "s"),
    (re.compile("c"), "k"),
)
_PINYIN = ((re.compile("zh|ch|sh|[cjqx]"), "s"), (re.compile("ng$"), "n"), (re.compile("^w"), "v"))


def name_sounds(names: Iterable[str]) -> Iterator[str]:
    """Yield how names sound: each of their words, and each two that follow each other.

    >>> list(name_sounds(["Salar Quemado", "Валдейн"]))
    ['SLL', 'KNT', 'SLLKNT', 'PLTN']
    """
    for name in names:
        yield from _sounds(name)


def number_keys(text: str) -> Iterator[str]:
    """Yield the numbers of a text without their unit, so that 34.5 is 34,500.

    >>> list(number_keys("34.5 billion, in 2 of 1,146 cases; 345亿"))
    ['#345', '#1146', '#345']
    """
    for match in _NUMBER.findall(text):
        digits = "".join(str(int(c)) for c in match if c.isdecimal()).strip("0")
        if len(digits) >= DIGITS:
            yield f"#{digits}"


def sound(word: str) -> str:
    """Return how a word sounds: a star for a vowel at its start, and its consonants.

    >>> sound("Kestrel"), sound("كيستريل"), sound("Ansel"), sound("Ансель")
    ('KSTLL', 'KSTLL', '*NSL', '*NSL')
    """
    spelled = re.sub("[^a-z]", "", _in_latin(word).lower())
    for pattern, by in _SPELLINGS:
        spelled = pattern.sub(by, spelled)
    return _consonants(spelled)


@lru_cache(maxsize=1 << 14)
def chinese_sound(name: str) -> str:
    """Return how Chinese characters sound that spell a foreign name.

    >>> chinese_sound("瓦尔丹"), chinese_sound("凯斯特雷尔"), chinese_sound("安塞尔")
    ('PLTN', 'KSTLL', '*NSL')
    """
    found = ""
    for place, character in enumerate(name):
        syllable = _in_latin(character).lower()
        for pattern, by in _PINYIN:
            syllable = pattern.sub(by, syllable)
        consonants = _consonants(syllable)
        found += consonants.lstrip("*") if place else consonants
    return found


def long_enough(key: str, least: int = SHORTEST) -> bool:
    """Say whether a sound has enough consonants to tell something."""
    return len(key.lstrip("*")) >= least


@lru_cache(maxsize=1 << 14)
def _sounds(name: str) -> tuple[str, ...]:
    found = [sound(word) for word in _BETWEEN.split(name)]
    pairs = [one + other.lstrip("*") for one, other in pairwise(found)]
    return (
        *(key for key in found if long_enough(key)),
        *(key for key in pairs if long_enough(key, SHORTEST_PAIR)),
    )


def _consonants(spelled: str) -> str:
    found, before = "", ""
    for place, letter in enumerate(spelled):
        kind = _KINDS.get(letter) or (_AT_FIRST.get(letter, "*") if not place else "")
        if kind != before:
            found += kind
        before = kind
    return found


def _in_latin(text: str) -> str:
    from anyascii import anyascii

    return text if text.isascii() else str(anyascii(text))


def as_names(sentence: str, words: Sequence[str], names: Sequence[str]) -> Iterable[str]:
    """Return how a sentence sounds where names are known: by its names."""
    return name_sounds(names)


def as_words(sentence: str, words: Sequence[str], names: Sequence[str]) -> Iterable[str]:
    """Return how a sentence sounds where any word may be a name."""
    return name_sounds(words)
