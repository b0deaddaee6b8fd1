"""The languages that are read, and how: one profile for each, in one registry.

To read another language better, give it a profile in `_SPECIAL`. Any other one is read by its
writing system, with the stop words and the stems that there are for it.
"""

from collections.abc import Mapping
from functools import cache, partial

from scstory.text.languages.alphabetic import (
    STEMMERS,
    arabic_sounds,
    english_stop_words,
    stemmer,
    stop_words,
    words,
    words_with_marks,
)
from scstory.text.languages.chinese import (
    chinese_parts,
    chinese_sounds,
    chinese_words,
    is_noun_or_name,
)
from scstory.text.languages.german import german_parts
from scstory.text.languages.korean import korean_words
from scstory.text.languages.profile import (
    Kind,
    Part,
    Profile,
    as_written,
    letters_in,
    without_possessive,
    word_set,
)
from scstory.text.languages.uncased import uncased_parts
from scstory.text.languages.unspaced import katakana_sounds, unspaced_words
from scstory.text.sounds import as_words

__all__ = [
    "RIGHT_TO_LEFT",
    "Kind",
    "Part",
    "Profile",
    "letters_in",
    "profile_of",
    "without_possessive",
]

RIGHT_TO_LEFT = word_set("ar dv fa he ps sd ug ur yi")
"""The languages that are written from right to left."""
_UNCASED = word_set("am ar as bn dv fa gu he hi ka kn ml mr ne or pa ps sd si ta te ug ur yi")
"""Languages that have no capitals; most of them write vowels as marks."""
_UNSPACED = word_set("ja km lo my th")
"""Languages that have neither capitals nor spaces between words."""

_SPECIAL: Mapping[str, Profile] = {
    "en": Profile("en", words, english_stop_words),
    "de": Profile("de", words, partial(stop_words, "de"), stemmer("de"), parts=german_parts),
    "zh": Profile(
        "zh",
        chinese_words,
        partial(stop_words, "zh"),
        tells=is_noun_or_name,
        parts=chinese_parts,
        sounds=chinese_sounds,
        spaced=False,
    ),
    "ko": Profile(
        "ko", korean_words, partial(stop_words, "ko"), parts=uncased_parts, sounds=as_words
    ),
}


@cache
def profile_of(language: str) -> Profile:
    """Return how texts in a language are read.

    >>> profile_of("zh").terms("政府通过法案"), profile_of("de").terms("Die Häuser der Stadt")
    (['政府', '法案'], ['haus', 'stadt'])
    """
    if language in _SPECIAL:
        return _SPECIAL[language]
    stop = partial(stop_words, language)
    stem = stemmer(language) if language in STEMMERS else as_written
    if language in _UNSPACED:
        broken = unspaced_words(language)
        heard = katakana_sounds if language == "ja" else as_words
        return Profile(language, broken, stop, parts=uncased_parts, sounds=heard, spaced=False)
    if language in _UNCASED:
        heard = arabic_sounds if language == "ar" else as_words
        return Profile(language, words_with_marks, stop, stem, parts=uncased_parts, sounds=heard)
    return Profile(language, words, stop, stem)
