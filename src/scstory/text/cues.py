"""Cues: the words of a language by which texts are judged as headlines, quotes and names.

They decide only how stories are described, never which stories there are. English and
Chinese have cues; a text in another language is judged by its length and punctuation alone.
"""

import re
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module

from scstory.text.languages import profile_of

_NOTHING = re.compile(r"(?!)")


@dataclass(frozen=True)
class References:
    """The words of a language by which references to people and things are told."""

    polite: frozenset[str] = frozenset()
    """Words before a name that do not say who somebody is."""
    definite: frozenset[str] = frozenset()
    """Articles before a noun that the reader knows."""
    pointing: frozenset[str] = frozenset()
    """Words that point at something said before."""
    pointing_at_roles: frozenset[str] = frozenset()
    """Words that do so before one of the `roles`."""
    pointing_at_nouns: frozenset[str] = frozenset()
    """Words that do so before a noun."""
    counting: frozenset[str] = frozenset()
    """Words between an article and its noun."""
    pointing_behind: frozenset[str] = frozenset()
    """Words that do so behind one that is placing."""
    known: frozenset[str] = frozenset()
    """Nouns of which a definite one needs no introduction."""
    roles: frozenset[str] = frozenset()
    """Nouns that say only which part somebody or something has in what happened."""
    bodies: frozenset[str] = frozenset()
    """Those of them that a name in the sentence may be."""
    evoked: tuple[tuple[re.Pattern[str], frozenset[str]], ...] = ()
    """Words by which nouns are known that were not said."""
    telling: frozenset[str] = frozenset()
    """Words behind a noun that say which one it is."""
    telling_apart: frozenset[str] = frozenset()
    """The same behind a comma."""
    placing: frozenset[str] = frozenset()
    """The same if a name follows."""
    within: frozenset[str] = frozenset()
    """Words behind which a name is that of a place."""


@dataclass(frozen=True)
class Cues:
    """The cues of a language; those of none match nothing."""

    dependent_opening: re.Pattern[str] = _NOTHING
    """How a sentence starts that continues an earlier one."""
    person_pronoun: re.Pattern[str] = _NOTHING
    """A pronoun that needs somebody named before it."""
    person: re.Pattern[str] = _NOTHING
    """A name, with the preposition before it that makes it a place."""
    indefinite: re.Pattern[str] = _NOTHING
    """What introduces somebody or something for the first time."""
    address: re.Pattern[str] = _NOTHING
    """Words by which writers speak of themselves or to the reader."""
    reporting: re.Pattern[str] = re.compile("")
    """What a sentence has that reports: a day, or who said so, or what happened."""
    most_capitals: float = 1.0
    """The largest share of the words of four letters or more that a sentence has with capitals."""
    finite: re.Pattern[str] = re.compile("")
    """What a whole sentence has: a verb that says when."""
    prefix: re.Pattern[str] = _NOTHING
    """What of a page may stand before the first sentence of a text."""
    furniture: re.Pattern[str] = _NOTHING
    """Bylines, credits, teasers and other parts of a page that are not of the text."""
    boilerplate: re.Pattern[str] = _NOTHING
    """Those parts of a page that are about the page, its writers and its outlet."""
    outlet: re.Pattern[str] = _NOTHING
    """Words in the names of outlets."""
    label: re.Pattern[str] = _NOTHING
    """A label before a headline, such as BREAKING."""
    mark: re.Pattern[str] = _NOTHING
    """A label behind a headline, such as (VIDEO)."""
    question: re.Pattern[str] = _NOTHING
    """How a headline starts that asks or explains, with or without a question mark."""
    listing: re.Pattern[str] = _NOTHING
    """How the headline of a list starts."""
    feature: re.Pattern[str] = _NOTHING
    """Words of headlines of opinion, features, reviews and guides."""
    lure: re.Pattern[str] = _NOTHING
    """Words of headlines that hold back what they are about."""
    telling: re.Pattern[str] = re.compile("")
    """What a headline has that says that something happened."""
    opinion_pages: re.Pattern[str] = _NOTHING
    """Addresses of articles that say what somebody thinks."""
    honorifics: frozenset[str] = frozenset()
    """Words before a person's name that are no part of it."""
    second_honorifics: frozenset[str] = frozenset()
    """Words that are no part of a name if they follow one of the honorifics."""
    linking: frozenset[str] = frozenset()
    """Words that may stand within a name."""
    determiners: frozenset[str] = frozenset()
    """Words after which a noun follows; without any, every word may be one."""
    no_noun: re.Pattern[str] = _NOTHING
    """How words end, or start, that are no nouns."""
    calendar: frozenset[str] = frozenset()
    """Capitalised words that name a time and no thing."""
    common: frozenset[str] = frozenset()
    """The most common words, which are no keywords."""
    vague: frozenset[str] = frozenset()
    """Nouns that tell one story from another as little as a verb does."""
    around_name: frozenset[str] = frozenset()
    """Words with a capital at either end of a name that are no part of it."""
    general_names: frozenset[str] = frozenset()
    """Names that tell a story only if its headlines have them."""
    of: str = ""
    """The word within a name that only some words have behind them."""
    before_of: frozenset[str] = frozenset()
    """The words that have it."""
    before_body: frozenset[str] = frozenset()
    """Words that make one name with a word that is otherwise around names."""
    before_name: re.Pattern[str] = _NOTHING
    """What a word before a name has that is no part of it."""
    compound: re.Pattern[str] = _NOTHING
    """How a word ends that, with those before it, says what the next one is like."""
    numbered: re.Pattern[str] = _NOTHING
    """A number that starts a name, and the word behind it."""
    places: frozenset[str] = frozenset()
    """Words behind several names that are those of places only together with it."""
    origins: frozenset[str] = frozenset()
    """Words for where somebody is from; alone they name nobody."""
    references: References = References()
    """What refers to somebody or something; with none, nothing does."""


_HOMES = {"en": "scstory.text.english", "zh": "scstory.text.chinese"}
"""The modules with the cues of a language. To compile them takes as long as to list stories."""


@cache
def cues_of(language: str) -> Cues:
    """Return the cues of a language, with its most common words."""
    home = _HOMES.get(language)
    cues: Cues = import_module(home).CUES if home else Cues()
    return replace(cues, common=profile_of(language).stop_words)
