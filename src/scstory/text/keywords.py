"""Keywords of a group of texts: names and words that many of them share and few others have."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from scstory.text.terms import (
    STOP_WORDS,
    TermStatistics,
    Word,
    look_up,
    terms,
    without_possessive,
    words,
)

# Words are bounded: of one without an end, every letter would be tried as the start of a name.
_NAME = re.compile(
    r"\b[A-Z][\w’'-]{1,60}(?: (?:of (?:the )?|de |del |la |al-)?[A-Z][\w’'-]{1,60})+"
)


class Wording(NamedTuple):
    """What of a text may become a keyword: small, and read only once."""

    terms: tuple[str, ...]
    """Each term once."""
    written: Mapping[str, str]
    """How the terms are written that are not in lower case."""
    names: tuple[str, ...]
    """Names of several words, each once."""


def wording(text: str) -> Wording:
    """Return what of a text may become a keyword.

    >>> wording("Kelby mourns; the Mill Lane bank in Kelby broke.")[1:]
    ({'kelby': 'Kelby', 'mill': 'Mill', 'lane': 'Lane'}, ('Mill Lane',))
    """
    uses = Counter(words(text))
    return wording_of(uses, {word: look_up(word) for word in uses}, text)


def wording_of(uses: Mapping[str, int], known: Mapping[str, Word], text: str) -> Wording:
    """Return the same of a text whose words are counted and looked up."""
    written: dict[str, str] = {}
    for word, (term, _) in known.items():
        # In the way that is commonest in this text; of two as common ones, with fewer capitals.
        best = written.get(term, term)
        if term and word != term and (uses[word], word) > (uses.get(best, 0), best):
            written[term] = word
    terms = dict.fromkeys(term for term, _ in known.values() if term)
    forms = {term: without_possessive(word) for term, word in written.items()}
    names = dict.fromkeys(_without_stops(name) for name in _NAME.findall(text))
    return Wording(tuple(terms), forms, tuple(names))


def keywords(
    texts: Sequence[Wording],
    statistics: TermStatistics,
    *,
    earlier: Sequence[str] = (),
    count: int = 6,
) -> tuple[str, ...]:
    """Return the most telling names and words, most telling first.

    A term scores the number of texts it is in, times its idf in the stream so far; one of the
    `earlier` keywords that is still used counts as if it were in two texts more. A name of several
    words that accounts for most uses of its words stands in for them.

    >>> texts = ["Mill Lane was evacuated in Kelby.", "Kelby mourns.",
    ...          "In Kelby the Mill Lane bank broke."]
    >>> keywords([wording(text) for text in texts], TermStatistics(), count=2)
    ('Kelby', 'Mill Lane')
    """
    inside: Counter[str] = Counter()
    names: Counter[str] = Counter()
    for text in texts:
        inside.update(text.terms)
        names.update(text.names)

    for keyword in earlier:
        if keyword in names:
            names[keyword] += 2
        for term in set(terms(keyword)) & inside.keys():
            inside[term] += 2
    floor = min(2, len(texts))
    usable = [
        term
        for term, n in inside.items()
        if n >= floor and len(term) > 2 and not term[0].isdecimal()
    ]
    telling = statistics.idf_of(usable)
    scores = {term: inside[term] * idf for term, idf in zip(usable, telling, strict=True)}
    # In a fixed order: names that share a word compete for it.
    for name, n in sorted(names.items(), key=lambda item: (-item[1], item[0])):
        if n < floor:
            break
        inner = terms(name)
        if len(inner) > 1 and all(2 * n >= inside[word] for word in inner):
            scores[name] = max(scores.pop(word, 0.0) for word in inner)
    best = sorted(scores, key=lambda term: (-scores[term], term))[:count]
    return tuple(term if term in names else _shown(term, texts) for term in best)


def _without_stops(name: str) -> str:
    inner = without_possessive(name).split()
    while inner and inner[0].lower() in STOP_WORDS:
        inner.pop(0)
    return " ".join(inner)


def _shown(term: str, texts: Sequence[Wording]) -> str:
    """Return the way most texts write a term: Kelby, but flood."""
    forms = Counter(text.written.get(term, term) for text in texts if term in text.terms)
    return max(forms, key=lambda form: (forms[form], form))
