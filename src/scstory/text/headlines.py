"""Headlines: without labels and the outlet's name, and how plainly they tell their story."""

import re

from scstory.text.cues import Cues, cues_of
from scstory.text.language import ENGLISH
from scstory.text.languages import letters_in
from scstory.text.languages.alphabetic import words

_SEPARATOR = re.compile(r"\s*(?:\||::|»|—{2,}|_(?=[\u3400-\u9fff]))\s*|\s+[–—-]\s+")
_DASH = re.compile(r"\s+[|–—-]+\s+")
_SITE = re.compile(r"\b[\w-]+\.(?:com|org|net|tv|co\.\w+|[a-z]{2})\b")
_SITE_BEHIND = re.compile(rf"\s[–—-]\s(?:{_SITE.pattern})")
_QUOTES = re.compile(r"[“”\"]|(?<!\w)[‘'](?=\w)|(?<=[\w!.,])[’'](?!\w)")
_OPENING_QUOTE = re.compile(r"^[“\"‘'«]")
_SENTENCE = re.compile(r"(?<![^\W\d_])([^\W\d_]{3,})\.['’”\"]?(?:\s|$)")
"""The end of a sentence: what is written in sentences is a comment."""
LONGEST_OUTLET = 12
"""Words of the longest name of an outlet."""
FEWEST, MOST = 5, 15
"""Words of a headline that is neither too short nor too long to tell a story."""
SHOUTED = 5
"""Letters of a word in capitals from which it is hardly an abbreviation."""


def plain_headline(title: str, language: str = ENGLISH) -> str:
    """Return a title without the labels and the name of an outlet around it.

    >>> plain_headline("BREAKING: Alder floods Kelby (VIDEO) | Channel 6")
    'Alder floods Kelby'
    """
    cues = cues_of(language)
    bare = title.strip()
    first = _DASH.split(bare, maxsplit=1)
    if len(first) > 1 and all(w.isdigit() or cues.outlet.fullmatch(w) for w in first[0].split()):
        bare = first[1]
    if (site := _SITE_BEHIND.search(bare)) and len(bare[: site.start()].split()) >= 3:
        bare = bare[: site.start()]
    while (ends := list(_SEPARATOR.finditer(bare))) and _is_outlet(ends[-1], cues):
        bare = bare[: ends[-1].start()]
    bare = cues.mark.sub("", cues.label.sub("", bare, count=1))
    return bare.strip() or title.strip()


def _is_outlet(separator: re.Match[str], cues: Cues) -> bool:
    """Say whether the name of an outlet follows a separator, or nothing does."""
    headline, behind = separator.string[: separator.start()], separator.string[separator.end() :]
    name = behind.split()
    characters = letters_in(headline) - len(headline)  # of Chinese, two or so to a word
    if len(headline.split()) + characters / 2 < 3 or len(name) > LONGEST_OUTLET:
        return False
    small = [word for word in name if word[0].islower()]
    short = len(name) <= 2 and letters_in(behind) == len(behind)
    marked = cues.outlet.search(behind) or short
    divided = separator[0].strip() in ("|", "::", "»")
    numbered = any(word[0].isdigit() for word in name[1:4])
    station = numbered and name[0].isupper() and cues.outlet.search(name[0])
    return bool(
        station
        or divided
        or _SITE.search(behind)
        or (marked and set(small) <= {"and", "of", "the"})
    )


def faults(title: str, language: str = ENGLISH) -> float:
    """Return how much speaks against a headline, 0 if nothing does; 1 is a lot.

    >>> faults("Alder floods Kelby after a week of rain")
    0.0
    >>> faults("What we know about the flood") > faults("“The water was everywhere”") > 0.3
    True
    """
    cues = cues_of(language)
    plain = plain_headline(title, language)
    count = len(words(plain)) or 1
    wide = plain.upper() == plain.lower()  # no capitals, and often no spaces between words
    found = 0.0 if wide else 0.09 * max(0, FEWEST - count) + 0.02 * max(0, count - MOST)
    found += min(0.05 * len(_QUOTES.findall(plain)), 0.2)
    shouted = [word for word in plain.split() if len(word) > 3 and word.isupper()]
    sentences = [match[1].lower() for match in _SENTENCE.finditer(plain)]
    against = (
        (0.6, cues.question.search(plain) or "?" in plain or "？" in plain),
        (0.5, cues.listing.search(plain)),
        (0.35, cues.feature.search(plain)),
        (0.2, cues.lure.search(plain)),
        (0.3, cues.address.search(plain)),
        (0.15, not cues.telling.search(plain)),
        (0.35, not cues.honorifics.issuperset(sentences)),
        (0.25, _OPENING_QUOTE.search(plain)),
        (0.2, any(len(word) >= SHOUTED for word in shouted)),
        (0.35, len(shouted) > count / 3),
        (0.1, "!" in plain),
        (0.2, plain.endswith(("...", "…"))),
        (0.03, plain != title.strip()),
    )
    return found + sum(weight for weight, fault in against if fault)
