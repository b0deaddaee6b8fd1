"""Keywords of a group of texts: names and words that many of them share and few others have."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from scstory.text.terms import STOP_WORDS, TermStatistics, terms

# Words are bounded: of one without an end, every letter would be tried as the start of a name.
_NAME = re.compile(
    r"\b[A-Z][\w’'-]{1,60}(?: (?:of (?:the )?|de |del |la |al-)?[A-Z][\w’'-]{1,60})+"
)


def keywords(
    texts: Sequence[str],
    statistics: TermStatistics,
    *,
    earlier: Sequence[str] = (),
    count: int = 6,
) -> tuple[str, ...]:
    """Return the most telling names and words, most telling first.

    A term scores the number of texts it is in, times its idf in the stream so far; one of the
    `earlier` keywords that is still used counts as if it were in two texts more. A name of several
    words that accounts for most uses of its words stands in for them.

    >>> keywords(["Mill Lane was evacuated in Kelby.", "Kelby mourns.",
    ...           "In Kelby the Mill Lane bank broke."], TermStatistics(), count=2)
    ('Kelby', 'Mill Lane')
    """
    inside: Counter[str] = Counter()
    surface: dict[str, Counter[str]] = defaultdict(Counter)
    names: Counter[str] = Counter()
    for text in texts:
        inside.update(set(terms(text)))
        for word in re.findall(r"[\w’'-]+", text):
            surface[word.lower().removesuffix("'s").removesuffix("’s")][word] += 1
        names.update({_without_stops(name) for name in _NAME.findall(text)})

    for keyword in earlier:
        if keyword in names:
            names[keyword] += 2
        for term in set(terms(keyword)) & inside.keys():
            inside[term] += 2
    floor = min(2, len(texts))
    scores = {
        term: n * statistics.idf(term)
        for term, n in inside.items()
        if n >= floor and not term[0].isdecimal() and len(term) > 2
    }
    shown = {term: _shown(surface[term], term) for term in scores}
    # In a fixed order: names that share a word compete for it.
    for name, n in sorted(names.items(), key=lambda item: (-item[1], item[0])):
        words = terms(name)
        if n >= floor and len(words) > 1 and all(2 * n >= inside[word] for word in words):
            scores[name] = max(scores.pop(word, 0.0) for word in words)
            shown[name] = name
    best = sorted(scores, key=lambda term: (-scores[term], term))
    return tuple(shown[term] for term in best[:count])


def _without_stops(name: str) -> str:
    words = name.removesuffix("'s").removesuffix("’s").split()
    while words and words[0].lower() in STOP_WORDS:
        words.pop(0)
    return " ".join(words)


def _shown(forms: Counter[str], term: str) -> str:
    """Return the way a term is mostly written: Kelby, but flood."""
    if not forms:
        return term
    best = max(sorted(forms), key=lambda form: forms[form])
    return best.removesuffix("'s").removesuffix("’s")
