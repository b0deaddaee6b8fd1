"""The words that a search compares: without accents and capitals, and in all their forms.

Where no spaces divide words, each character is a word: a search for a word is one for a phrase, so
that it is found whatever stands beside it. Korean is searched in the same way, since particles
follow its nouns without a space.
"""

import re
import unicodedata
from collections.abc import Iterator

_WORD = re.compile(r"[^\W_]+")
_MARKS = "".join(chr(c) for c in range(0x300, 0xFB20) if unicodedata.category(chr(c))[0] == "M")
"""Characters that belong to the letter before them, such as the vowels of Hindi and Thai."""
_ALONE = (
    r"\u0e01-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff"
    r"\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"
)
"""Characters that are a word each: Chinese, Japanese, Korean, Thai, Lao, Burmese, Khmer."""
_SPECIAL = re.compile(f"[{_MARKS}{_ALONE}]")
_ANY_WORD = re.compile(rf"[{_ALONE}][{_MARKS}]*|(?:(?![{_ALONE}])[^\W_]|[{_MARKS}])+")
_SAME = str.maketrans("أإآٱىیکةё", "ااااييكهе")
"""Letters that are written for one another."""
_LEFT_OUT = re.compile("[\u0300-\u036f\u0640\u064b-\u065f\u0670]")
"""Accents as characters of their own, and the vowels of Arabic, which most texts leave out."""
_VOWELS = frozenset("aeiouy")
_UNCHANGED = frozenset({"evening", "evenings", "less", "news", "series", "species", "united"})
"""Words that look like a form of another word and are not."""
MIN_STEM = 3
"""The fewest letters of a word that has other forms."""


def search_words(text: str) -> list[str]:
    """Return the words of a text as a search compares them.

    Every database has the same ones.

    >>> search_words("Überfall: the cafés of Halcyon-2 lost 187,406 €")
    ['uberfall', 'the', 'cafes', 'of', 'halcyon', '2', 'lost', '187', '406']
    >>> search_words("安倍晋三 iPhone")
    ['安', '倍', '晋', '三', 'iphone']
    """
    same = folded(text)
    return _pattern(same).findall(same)


def searchable(text: str) -> str:
    """Return a text in which SQLite's tokenizer `unicode61` finds its `search_words`."""
    return text if text.isascii() else " ".join(search_words(text))


def words_with_places(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield each word of a text, and where it starts and ends in the text."""
    same = folded(text)
    if len(same) == len(text):
        for match in _pattern(same).finditer(same):
            yield match[0], match.start(), match.end()
    else:  # accents that are characters of their own
        for match in _ANY_WORD.finditer(text):
            if word := folded(match[0]):
                yield word, match.start(), match.end()


def _pattern(text: str) -> re.Pattern[str]:
    """Return what finds the words of a text: most texts need the simple one, which is fast."""
    return _WORD if text.isascii() or not _SPECIAL.search(text) else _ANY_WORD


def folded(text: str) -> str:
    """Return a text in lower case and without the accents of Latin letters."""
    return text.lower() if text.isascii() else text.translate(_FOLDS)


class _Folds(dict[int, str | None]):
    """What each character is replaced by, found out when it is first needed."""

    def __missing__(self, code: int) -> str | None:
        character = chr(code)
        base = unicodedata.normalize("NFD", character)[0]
        if _LEFT_OUT.match(character):
            self[code] = None
        elif (same := character.translate(_SAME)) != character:
            self[code] = same
        elif "\uff01" <= character <= "\uff5e":  # as wide as a Chinese character
            self[code] = chr(code - 0xFEE0).lower()
        elif base.isascii() and base.isalpha():
            self[code] = base.lower()
        else:
            small = character.casefold()
            self[code] = small if len(small) == 1 else character.lower()
        return self[code]


_FOLDS = _Folds()


def word_forms(word: str) -> tuple[str, ...]:
    """Return a word and what English makes of it: plural, past tense, -ing, and back.

    No list of words is behind this, so some forms do not exist; no text has them.

    >>> "flooded" in word_forms("flooding"), "parties" in word_forms("party")
    (True, True)
    >>> set(word_forms("gas")) & {"gave", "gang", "ga"}
    set()
    """
    if len(word) < MIN_STEM or not word.isalpha() or word in _UNCHANGED:
        return (word,)
    bases = list(_bases(word))
    forms = dict.fromkeys([word, _plural(word)] if bases else _inflected(word))
    for base in bases:
        forms.update(dict.fromkeys(_inflected(base)))
    return tuple(forms)


def _bases(word: str) -> Iterator[str]:
    """Yield the words of which this may be a form."""
    for ending in ("ing", "ed"):
        stem = word.removesuffix(ending)
        if stem == word or len(stem) < 2 or not _VOWELS & set(stem):
            continue
        if stem[-1] == "e":  # agreed; but seed is no form of see
            if ending == "ed" and len(stem) > MIN_STEM:
                yield f"{stem}e"
            continue
        if len(stem) >= MIN_STEM and not _doubles(stem):
            yield stem
        if len(stem) > MIN_STEM and stem[-1] == stem[-2]:
            yield stem[:-1]
        elif ending == "ed" or stem[-1] not in _VOWELS:
            yield f"{stem}e"
    if word.endswith(("ies", "ied")) and len(word) > 4:
        yield f"{word[:-3]}y"
    if word.endswith(("ches", "oes", "ses", "shes", "xes", "zes")) and len(word) > 4:
        yield word[:-2]
    if word.endswith("s") and not word.endswith(("is", "ss", "us")) and len(word) > MIN_STEM:
        yield word[:-1]


def _inflected(base: str) -> Iterator[str]:
    """Yield a word with the endings that it can have."""
    yield base
    if len(base) < MIN_STEM:
        return
    if base.endswith("y") and base[-2] not in _VOWELS:
        yield from (f"{base[:-1]}ies", f"{base[:-1]}ied", f"{base}ing")
    elif base.endswith("e"):
        yield from (f"{base}s", f"{base}d", f"{base[:-1]}ing")
    elif _doubles(base):
        yield from (_plural(base), f"{base}{base[-1]}ed", f"{base}{base[-1]}ing")
    else:
        yield from (_plural(base), f"{base}ed", f"{base}ing")
        if base.endswith("l"):
            yield from (f"{base}led", f"{base}ling")


def _plural(word: str) -> str:
    return f"{word}es" if word.endswith(("ch", "s", "sh", "x", "z")) else f"{word}s"


def _doubles(word: str) -> bool:
    """Say whether the last letter doubles before an ending: a short word like stop or plan."""
    one_vowel = sum(letter in _VOWELS for letter in word) == 1
    return one_vowel and word[-2] in _VOWELS and word[-1] not in _VOWELS and word[-1] not in "wx"
