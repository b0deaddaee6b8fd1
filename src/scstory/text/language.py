"""The language of an article: the one that its source gives, or the one that its text is in.

Most writing systems are used by one language that news is written in. Where several languages share
one, n-grams of bytes decide (py3langid), among the languages of that writing system. The result is
a function of the article alone: no other article, no download and no random number has a part.
"""

from __future__ import annotations

import lzma
import re
from array import array
from functools import cache, lru_cache
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from scstory.feeds.values import language_of as code_of
from scstory.types import Article

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

ENGLISH = "en"
SAMPLE = 600
"""Characters of an article by which its language is detected, its title included."""
SURE = 0.3
"""The least probability of a language other than the first of its writing system, which is English
of Latin letters: below it, the text is a few names, or too short."""
PLAIN_ENGLISH, ENOUGH_WORDS = 0.15, 30
"""The share of words that only English has, in so many words or more, that make a text English
without a look at its n-grams."""
LONG = 200
"""Characters from which on a text that is said to be English is looked at."""
KANA = 0.1
"""The share of kana among the characters of a text in Japanese; Chinese has next to none."""

_LINK = re.compile(r"https?://\S+")
_TAG = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]+)*", re.ASCII)
_ALIASES = {
    "arb": "ar", "cmn": "zh", "fil": "tl", "in": "id", "iw": "he", "ji": "yi", "mo": "ro",
    "nb": "no", "nn": "no", "prs": "fa", "sh": "sr", "yue": "zh",
}  # fmt: skip
_NO_LANGUAGE = frozenset({"mis", "mul", "und", "zxx"})

_SCRIPTS = {
    "Latin": r"a-zA-ZÀ-ÖØ-öø-ɏḀ-ỿ",
    "Han": r"\u3400-\u4dbf\u4e00-\u9fff",
    "Kana": r"\u3041-\u30ff",
    "Hangul": r"\uac00-\ud7af\u1100-\u11ff",
    "Cyrillic": r"\u0400-\u052f",
    "Arabic": r"\u0620-\u064a\u066e-\u06d3\u06fa-\u06ff",
    "Hebrew": r"\u05d0-\u05ea",
    "Greek": r"\u0370-\u03ff\u1f00-\u1fff",
    "Devanagari": r"\u0900-\u0963\u0970-\u097f",
    "Bengali": r"\u0980-\u09ff",
    "Gurmukhi": r"\u0a00-\u0a7f",
    "Gujarati": r"\u0a80-\u0aff",
    "Odia": r"\u0b00-\u0b7f",
    "Tamil": r"\u0b80-\u0bff",
    "Telugu": r"\u0c00-\u0c7f",
    "Kannada": r"\u0c80-\u0cff",
    "Malayalam": r"\u0d00-\u0d7f",
    "Sinhala": r"\u0d80-\u0dff",
    "Thai": r"\u0e00-\u0e7f",
    "Lao": r"\u0e80-\u0eff",
    "Myanmar": r"\u1000-\u109f",
    "Georgian": r"\u10a0-\u10ff",
    "Ethiopic": r"\u1200-\u137f",
    "Khmer": r"\u1780-\u17ff",
    "Armenian": r"\u0530-\u058f",
}
_LETTERS = {script: re.compile(f"[{letters}]") for script, letters in _SCRIPTS.items()}
_WORTH = {"Han": 4, "Hangul": 2, "Kana": 2}
"""Letters of an alphabet that one of these characters is worth; 1 of the others."""

_LANGUAGES = {
    "Latin": "en af az bs ca cs cy da de es et eu fi fr ga gl hr hu id is it lt lv ms nb nl nn no "
    "pl pt ro sk sl so sq sr sv sw tl tr uz vi",
    "Han": "zh ja",
    "Kana": "ja",
    "Hangul": "ko",
    "Cyrillic": "ru be bg kk ky mk mn sr tg uk",
    "Arabic": "ar fa ps sd ug ur",
    "Hebrew": "he yi",
    "Greek": "el",
    "Devanagari": "hi mr ne",
    "Bengali": "bn as",
    "Gurmukhi": "pa",
    "Gujarati": "gu",
    "Odia": "or",
    "Tamil": "ta",
    "Telugu": "te",
    "Kannada": "kn",
    "Malayalam": "ml",
    "Sinhala": "si",
    "Thai": "th",
    "Lao": "lo",
    "Myanmar": "my",
    "Georgian": "ka",
    "Ethiopic": "am",
    "Khmer": "km",
    "Armenian": "hy",
}
"""The languages that are told apart in each writing system, the most likely one first."""
LANGUAGES = {script: tuple(codes.split()) for script, codes in _LANGUAGES.items()}

_ONE_LANGUAGE = {"Han": "zh", "Hebrew": "he", "Bengali": "bn"}
"""The language of writing systems in which n-grams are not asked."""

_ONLY_ENGLISH = frozenset(
    {"the", "and", "of", "to", "that", "with", "from", "his", "her", "they", "their", "this"}
    | {"which", "were", "been", "would", "could", "about", "after", "said", "who", "has", "have"}
    | {"had", "by", "it", "be", "are"}
)
_WORD = re.compile(r"[a-z]+")


def language_of(article: Article) -> str:
    """Return the primary subtag of an article's language: `en`, `zh`.

    A language that the source gives is taken, unless the text is in letters that this language does
    not use. English is taken only if the text is not clearly in another language: the software
    behind many sites says English whatever they publish.

    >>> from datetime import UTC, datetime
    >>> time = datetime(2026, 3, 3, tzinfo=UTC)
    >>> language_of(Article("1", time, "Hochwasser in Kelby", "Tausende mussten fliehen."))
    'de'
    >>> language_of(Article("1", time, "洪水来袭", "数千人撤离", language="en-US"))
    'zh'
    """
    return primary(tag_of(article))


def tag_of(article: Article) -> str:
    """Return the tag of an article's language: the whole one that its source gives, or detected."""
    text = _LINK.sub(" ", article.text[: 2 * SAMPLE])
    sample = f"{article.title}\n{text}"[:SAMPLE]
    given = _given(article.language)
    if given and _may_be_in(primary(given), script_of(sample)):
        english = primary(given) == ENGLISH and len(sample) >= LONG
        return given if not english or detected(sample) == ENGLISH else detected(sample)
    return detected(sample)


def primary(tag: str) -> str:
    """Return the primary subtag of a language tag, in its usual form.

    >>> primary("zh-TW"), primary("nb"), primary("iw")
    ('zh', 'no', 'he')
    """
    code = tag.partition("-")[0].lower()
    return _ALIASES.get(code, code)


def script_of(text: str) -> str:
    """Return the writing system of most of a text; empty if it has no letters.

    >>> script_of("Path Тысячи человек"), script_of("地震で列車が脱線"), script_of("2026")
    ('Cyrillic', 'Kana', '')
    """
    if text.isascii():
        return "Latin" if _LETTERS["Latin"].search(text) else ""
    counts = {
        script: _WORTH.get(script, 1) * len(letters.findall(text))
        for script, letters in _LETTERS.items()
    }
    han, kana = counts["Han"] / _WORTH["Han"], counts["Kana"] / _WORTH["Kana"]
    counts["Han"] = counts["Kana"] = 0
    counts["Kana" if kana and kana >= KANA * (han + kana) else "Han"] = int(
        _WORTH["Han"] * han + _WORTH["Kana"] * kana
    )
    best = max(counts, key=lambda script: counts[script])
    return best if counts[best] else ""


@lru_cache(maxsize=1 << 10)
def detected(sample: str) -> str:
    """Return the language that a text is in; English if nothing tells.

    >>> detected("Тысячи человек эвакуированы"), detected("Börse schließt im Minus")
    ('ru', 'de')
    """
    script = script_of(sample)
    codes = LANGUAGES.get(script, (ENGLISH,))
    if len(codes) == 1 or script in _ONE_LANGUAGE:
        return _ONE_LANGUAGE.get(script, codes[0])
    if script == "Latin" and _is_plain_english(sample):
        return ENGLISH
    ranked = _identifier().rank(sample.encode("utf-8", "replace").decode("utf-8"))
    found = [(code, value) for code, value in ranked if code in codes]
    best, value = found[0]
    return primary(best if value >= SURE * sum(value for _, value in found) else codes[0])


def _given(language: str | None) -> str:
    """Return the tag that a source gives if it is one of a language, else nothing."""
    tag = code_of(language or "").lower()
    return tag if _TAG.fullmatch(tag) and primary(tag) not in _NO_LANGUAGE else ""


def _may_be_in(language: str, script: str) -> bool:
    """Say whether a language may be written in a writing system, so far as that is known."""
    known = [name for name, codes in LANGUAGES.items() if language in map(primary, codes)]
    return not known or not script or script in known


def _is_plain_english(text: str) -> bool:
    words = _WORD.findall(text.lower())
    common = sum(word in _ONLY_ENGLISH for word in words)
    return len(words) >= ENOUGH_WORDS and common >= PLAIN_ENGLISH * len(words)


@cache
def _identifier() -> LanguageIdentifier:
    """Return what tells languages by n-grams. It is loaded when it is first needed."""
    identifier = _load_identifier()
    several = {code for codes in LANGUAGES.values() if len(codes) > 1 for code in codes}
    identifier.set_languages(sorted(several & set(identifier.labels)))
    return identifier


def _load_identifier() -> LanguageIdentifier:
    """Load the model in memory: py3langid copies it to a file, which fails on a full disk."""
    from py3langid.langid import MODEL_DIR, MODEL_FILE, LanguageIdentifier

    with lzma.open(MODEL_DIR / MODEL_FILE) as file:
        parts = np.load(BytesIO(file.read()), allow_pickle=False)
    return LanguageIdentifier(
        parts["ptc"],
        parts["pc"],
        parts["classes"].tolist(),
        _plain(parts["nextmove"]),
        parts["out_feat"].tolist(),
        norm_probs=True,
        tk_row=_plain(parts["nextmove_row"]),
    )


def _plain(values: NDArray[Any]) -> array[int]:
    """Return whole numbers as an array of Python, which is faster to read one by one."""
    return array({2: "H", 4: "I"}[values.dtype.itemsize], values.tobytes())
