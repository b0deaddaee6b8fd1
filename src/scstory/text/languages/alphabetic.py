"""Languages whose words are divided by spaces."""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files

from scstory.text.sounds import name_sounds

_TERM = re.compile(r"[^\W_]+(?:['’.,-][^\W_]+)*")
_ARABIC_ARTICLE = re.compile("^[وفبلك]?ال(?=..)")
_HARAKAT = re.compile("[\u0640\u064b-\u065f\u0670]")
"""Vowels and the stretching of Arabic letters: they are written or left out as one likes."""

STEMMERS: Mapping[str, str] = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek",
    "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian", "fi": "finnish",
    "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian",
    "id": "indonesian", "it": "italian", "lt": "lithuanian", "ms": "indonesian", "ne": "nepali",
    "nl": "dutch", "no": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian",
    "ru": "russian", "sr": "serbian", "sv": "swedish", "ta": "tamil", "tr": "turkish",
}  # fmt: skip
"""The algorithm of Snowball for each language that has one. English words are not stemmed: it makes
no difference there, and names and plurals of other things fall together."""


def words(text: str) -> list[str]:
    """Return the words and numbers of a text.

    >>> words("Ms. Lanning's 6.2 metres")
    ['Ms', "Lanning's", '6.2', 'metres']
    """
    return _TERM.findall(text)


def words_with_marks(text: str) -> list[str]:
    """Return the words of a text in a script that writes vowels as marks.

    >>> words_with_marks("दिल्ली में भूकंप")
    ['दिल्ली', 'में', 'भूकंप']
    """
    return _with_marks().findall(_HARAKAT.sub("", text))


@cache
def _with_marks() -> re.Pattern[str]:
    marks = "".join(chr(code) for code in range(0x300, 0xFB20) if _is_mark(code))
    word = rf"[^\W_](?:[^\W_]|[{re.escape(marks)}\u200c\u200d])*"
    return re.compile(rf"{word}(?:['’.,-]{word})*")


def _is_mark(code: int) -> bool:
    return unicodedata.category(chr(code))[0] == "M"


def english_stop_words() -> frozenset[str]:
    """Return the most common words of English."""
    return frozenset((files(__package__) / "english.txt").read_text("utf-8").split())


def stop_words(language: str) -> frozenset[str]:
    """Return the most common words of a language; none of one for which there is no list."""
    import stopwordsiso

    found = stopwordsiso.stopwords(language) if stopwordsiso.has_lang(language) else frozenset()
    return frozenset(word.lower() for word in found)


def stemmer(language: str) -> Callable[[str], str]:
    """Return what stems words of a language; it is loaded when it is first needed."""

    @cache
    def algorithm() -> Callable[[str], str]:
        import snowballstemmer

        return lru_cache(1 << 16)(snowballstemmer.stemmer(STEMMERS[language]).stemWord)

    return lambda word: algorithm()(word) if word.isalpha() else word


def arabic_sounds(sentence: str, words: Sequence[str], names: Sequence[str]) -> Iterator[str]:
    """Yield how the words of an Arabic sentence sound, without the article before them.

    What looks like an article with a letter before it may be the beginning of a name as well.

    >>> list(arabic_sounds("", ["الكورفين", "فالداني"], []))
    ['KLPN', 'PLTN']
    """
    for word in words:
        bare = _ARABIC_ARTICLE.sub("", word)
        yield from name_sounds([bare] if word.startswith("ال") else {word: 0, bare: 0})
