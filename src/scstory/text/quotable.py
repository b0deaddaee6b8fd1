"""Sentences that can be understood alone, away from the article they stand in."""

import re
from functools import lru_cache

from scstory.text.cues import Cues, cues_of
from scstory.text.language import ENGLISH

SHORTEST, LONGEST = 45, 320
"""Characters of a quotable sentence; an ideograph counts as three."""
MAX_QUOTED = 0.5
"""The largest share of a sentence that may be somebody's words."""
MAX_CAPITALS = 0.35
"""The largest share of a sentence's letters that may be capitals."""

_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_ENDING = re.compile(r"(?<![.…])[.。।۔።။។｡]['\"”’»」』)\]]*$")
_BROKEN = re.compile(r"\s(?:[A-Z][a-z]{0,2}|\d)\.$")
"""An abbreviation such as Ft., or the number of an item, that a sentence was taken to end with."""
_ABBREVIATED = re.compile(r"\b[^\W\d_]\.[^\W\d_]\.$")
_RESUMED = re.compile(r"[^\W\d_]\.,")
"""The second letter of an abbreviation, such as N.Y., that a sentence was taken to end in."""
_LONG_WORD = re.compile(r"[^\W\d_]{4,}")
_LINK = re.compile(
    r"https?:|www\.|[\w.-]@[\w-]|\b[\w-]+\.(?:com|org|net|gov|edu|info|tv|ly|co\.uk)\b|[@#]\w"
)
_QUOTED = re.compile(r"“[^”]*”?|\"[^\"]*\"?|«[^»]*»?|「[^」]*」?|(?<!\w)[‘'](?=\w)[^’']{12,}[’']")
_NAME = re.compile(r"(?<=[\s(“\"‘'-])(?!I\b)[^\W\d_a-zß-ÿ][\w’'-]+|\d")
_DATELINE = re.compile(
    r"^(?:[A-ZÀ-Þ][^a-zß-ÿ]{2,40}(?:, [^–—]{2,30}?)?(?:\([^)]{2,20}\))?"
    r"|[^()–—]{0,160}\([A-Z][^)]{1,20}\)"
    r"|[^()–—]{0,160}\b[A-ZÀ-Þ]{4,}, [A-Z][a-z]{1,9}\.?)\s*(?:(?:–|—|--|-|:|>>|»)\s+(?=\S)|—)"
    r"|^[A-ZÀ-Þ][A-ZÀ-Þ ,.]{3,40}\([A-Z]{2,8}\)\s+(?=[A-ZÀ-Þ])"
    r"|^(?:[A-ZÀ-Þ][\w.]*,? ){1,4}\((?:AP|AFP|CNN|DPA|UPI|R(?:euters|EUTERS))(?: \w+)?\)\s+"
    r"(?=[A-ZÀ-Þ])"
    r"|^[A-ZÀ-Þ][\w.]*(?: [A-ZÀ-Þ][\w.]*){0,2} ?, [A-Z][A-Za-z.]{1,4}\s*(?:–|—|--)\s*(?=[A-ZÀ-Þ])"
)
_ASIDE = re.compile(r"^(?:\([^()]{1,60}\)|\[[^][]{1,60}\])\s*(?=[^\W\da-z_])")
"""A credit or an agency in brackets before a sentence."""
_OPEN_QUOTE, _CLOSED_QUOTE = (
    re.compile(r"(?<![\w’'.])[‘'](?=\w)"),
    re.compile(r"(?<=[\w.,?!…])[’'](?!\w)"),
)
_RUN_ON = re.compile(r"[a-z]{2}[A-Z]{3,}\b")
"""A line of the page that runs into the next one."""
_FURNITURE = re.compile(r"[|•►▶]|\*\*|\s[>»]\s|\s-{2,}$")
_BRACKETS = (("“", "”"), ("(", ")"), ("[", "]"), ("«", "»"), ("「", "」"))


@lru_cache(maxsize=1 << 12)
def quotable(sentence: str, language: str = ENGLISH) -> str:
    """Return a sentence without its dateline if it can be understood alone, else nothing.

    >>> quotable("KELBY, March 3 - The Alder rose by 5 centimetres an hour in Kelby.")
    'The Alder rose by 5 centimetres an hour in Kelby.'
    >>> quotable("But he said that the Alder rose by 5 centimetres an hour in Kelby.")
    ''
    """
    cues = cues_of(language)
    text = without_dateline(cues.prefix.sub("", sentence, count=1))
    outside = _QUOTED.sub(" “” ", text)
    fits = (
        len(text) + 2 * len(_WIDE.findall(text)) >= SHORTEST
        and len(text) <= LONGEST
        and _ENDING.search(text)
        and not _BROKEN.search(text)
        and _opens_well(text)
        and all(text.count(left) == text.count(right) for left, right in _BRACKETS)
        and text.count('"') % 2 == 0
        and len(_OPEN_QUOTE.findall(text)) <= len(_CLOSED_QUOTE.findall(text))
        and not (_CLOSED_QUOTE.search(text[-2:]) and not _OPEN_QUOTE.search(text))
        and len(text) - len(outside) <= MAX_QUOTED * len(text)
        and not _LINK.search(text)
        and not _FURNITURE.search(text)
        and not _RUN_ON.search(text)
        and sum(map(str.isupper, text)) <= MAX_CAPITALS * len(text)
        and not _is_heading(text, cues)
    )
    return text if fits and _says_who(outside, cues) and not cues.furniture.search(text) else ""


def is_cut(sentence: str, following: str, language: str = ENGLISH) -> bool:
    """Say whether a sentence was taken to end with an abbreviation, such as p.m., and goes on.

    >>> is_cut("The bank in Kelby broke at 6 p.m.", "Tuesday, police said.")
    True
    """
    first = following.lstrip("“\"‘'(").partition(" ")[0].rstrip(",.")
    goes_on = first[:1].islower() or first.lower() in cues_of(language).calendar
    return bool(goes_on and _ABBREVIATED.search(sentence))


def without_dateline(sentence: str) -> str:
    """Return a sentence without the place, date, agency and credit before it."""
    return _DATELINE.sub("", _ASIDE.sub("", sentence, count=1), count=1)


def _is_heading(text: str, cues: Cues) -> bool:
    """Say whether a text capitalises its words, as headlines do."""
    capital = [word[0].isupper() for word in _LONG_WORD.findall(text)]
    return len(capital) > 4 and sum(capital) > cues.most_capitals * len(capital)


def _opens_well(text: str) -> bool:
    first = text.lstrip("“\"‘'«「")[:1]
    return first.isalnum() and not first.islower() and not _RESUMED.match(text)


def _says_who(outside: str, cues: Cues) -> bool:
    """Say whether the words outside quotation marks name what they are about."""
    bare = outside.strip(" “”")
    if cues.label.match(bare):
        return False
    if cues.dependent_opening.match(bare) or cues.address.search(outside):
        return False
    if not cues.finite.search(outside):
        return False
    names = [name for name in _NAME.findall(outside) if name.lower() not in cues.calendar]
    cased = outside.upper() != outside.lower()
    if cased and not names and not _WIDE.search(outside):
        return False
    return _resolved(outside, cues)


def _resolved(outside: str, cues: Cues) -> bool:
    """Say whether somebody is named or introduced before a pronoun stands for them."""
    pronoun = cues.person_pronoun.search(outside)
    if pronoun is None:
        return True
    before = outside[: pronoun.start()]
    nobody = cues.calendar, cues.vague, cues.around_name, cues.origins, cues.general_names
    named = (
        name[0].isupper() and not any(name.lower() in words for words in nobody)
        for name in cues.person.findall(before)
    )
    return not pronoun[0].startswith(",") and (any(named) or bool(cues.indefinite.search(before)))
