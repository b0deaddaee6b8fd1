"""Japanese, Thai, Lao, Khmer and Burmese: words by the dictionaries of ICU."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial

from scstory.text.sounds import name_sounds

_LETTERS = re.compile(r"[^\W_]")
_ONE_WORD = re.compile(r"[゠-ヺー-ヿ]+|[A-Za-zÀ-ɏ][A-Za-zÀ-ɏ'’.-]*|\d+(?:[.,]\d+)*")
"""Words in katakana, Latin letters and digits, which ICU would cut."""
_HIRAGANA = re.compile(r"[\u3041-\u309fー]+")
"""Words of these letters alone are particles and endings of Japanese."""


def katakana_sounds(sentence: str, words: Sequence[str], names: Sequence[str]) -> Iterator[str]:
    """Yield how the foreign names of a Japanese sentence sound.

    >>> list(katakana_sounds("バルデイン社とケストレル社", [], []))
    ['PLTN', 'KSTLL']
    """
    return name_sounds(_ONE_WORD.findall(sentence))


def unspaced_words(language: str) -> Callable[[str], list[str]]:
    """Return what breaks texts of a language into words, without the particles of Japanese.

    >>> unspaced_words("ja")("岸田首相がバイデン大統領と会談")
    ['岸田', '首相', 'バイデン', '大統領', '会談']
    """
    return partial(_words, language)


def _words(language: str, text: str) -> list[str]:
    return list(_broken(language, text))


@lru_cache(maxsize=1 << 12)
def _broken(language: str, text: str) -> tuple[str, ...]:
    found: list[str] = []
    end = 0
    for match in _ONE_WORD.finditer(text):
        found += _by_dictionary(language, text[end : match.start()])
        found.append(match[0])
        end = match.end()
    return (*found, *_by_dictionary(language, text[end:]))


def _by_dictionary(language: str, text: str) -> list[str]:
    from icu4py.breakers import WordBreaker

    found = WordBreaker(text, language)
    return [word for word in found if _LETTERS.search(word) and not _HIRAGANA.fullmatch(word)]
