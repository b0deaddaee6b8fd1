"""German: every noun has a capital, so names are told from nouns by what stands before them."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from scstory.text.languages.profile import Kind, Part, Profile, word_set

_TOKEN = re.compile(r"[^\W_]+(?:['’.,-][^\W_]+)*|\S")
_BEFORE_NOUNS = word_set(
    "der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner "
    "am im ins zum zur vom beim ans aufs dieser diese dieses diesem diesen jeder jede jedes "
    "jedem jeden mein meine sein seine seinen seinem seiner ihr ihre ihren ihrem ihrer unser "
    "unsere alle allen aller mehr viele vielen wenige wenigen einige einigen mehrere mehreren "
    "rund etwa zwei drei vier fünf sechs sieben acht neun zehn zwölf"
)
"""Words after which a noun follows, rarely a name."""
_ADJECTIVE = re.compile(r"[a-zäöüß]{3,}(?:e|er|es|en|em)$")
_NO_ADJECTIVE = word_set(
    "aber außer neben gegen unter über hinter wegen zwischen neben trotz während oder sowie "
    "ohne bei für seit nach aus von mit gegenüber seinen haben werden wurden waren hatten sagte "
    "erklärte teilte wurde hatte habe sei werde würde würden können konnten sollen sollten "
    "müssen mussten wollen wollten heute gestern ende anfang mitte erst jener sehr immer wieder"
)
_NOUN = re.compile(r"\w{3}(?:ung|heit|keit|schaft|tion|ismus|tät|nis|ungen|tionen|schaften)$")
"""How words end that are nouns and no names."""
_ROLE = re.compile(r"\w{3}(?:er|in|or|ent|ant|eur|chef|mann|frau|rat)$")
"""How words end that say what somebody is whose two names follow."""


def german_parts(profile: Profile, sentences: Sequence[str]) -> list[list[Part]]:
    """Return the names and the nouns of sentences.

    Capitalised words in a row are a name. One that stands alone is a name unless the text has it
    more often behind an article, a number or an adjective than elsewhere.

    >>> from scstory.text.languages import profile_of
    >>> sentences = ["Die Stadt wartet, sagte Olaf Scholz in Kelby."]
    >>> (found,) = german_parts(profile_of("de"), sentences)
    >>> [part.text for part in found if part.kind is Kind.NAME]
    ['Olaf Scholz', 'Kelby']
    """
    tokens = [_TOKEN.findall(sentence) for sentence in sentences]
    balance = _balance(profile, tokens)
    return [_parts(profile, found, balance) for found in tokens]


def _balance(profile: Profile, tokens: Sequence[Sequence[str]]) -> Counter[str]:
    """Return how much more often each word stands like a name than like a noun."""
    balance: Counter[str] = Counter()
    for found in tokens:
        for before, word in pairwise(["", *found]):
            if not _is_noun_or_name(profile, word):
                continue
            small = before.lower()
            if small in _BEFORE_NOUNS or (_ADJECTIVE.match(before) and small not in _NO_ADJECTIVE):
                balance[word] -= 1
            elif before[:1].isalnum():  # the first word of a sentence may be anything
                balance[word] += 1
    return balance


def _parts(profile: Profile, found: Sequence[str], balance: Counter[str]) -> list[Part]:
    parts: list[Part] = []
    run: list[str] = []
    for word in [*found, ""]:
        if word and _is_noun_or_name(profile, word):
            run.append(word)
            continue
        if len(run) > 1:
            first = run[0]
            role = _ROLE.search(first) and len(run) > 2
            name = run[1:] if balance[first] < 0 or role or _NOUN.search(first) else run
            parts += [Part(word, Kind.THING) for word in run[: len(run) - len(name)]]
            parts.append(Part(" ".join(name), Kind.NAME))
        elif run:
            name_like = balance[run[0]] > 0 and not _NOUN.search(run[0])
            parts.append(Part(run[0], Kind.NAME if name_like else Kind.THING))
        run = []
        if word[:1].isalnum():
            parts.append(Part(word, Kind.OTHER))
    return parts


def _is_noun_or_name(profile: Profile, word: str) -> bool:
    return word[:1].isupper() and len(word) > 1 and not profile.is_stop_word(word)
