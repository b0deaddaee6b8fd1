"""Names in a text, told by their capitals."""

from __future__ import annotations

import re
from collections.abc import Iterable

from scstory.text.terms import STOP_WORDS

_WORD = re.compile(r"[^\W\d_][\w’'-]*|[^\s\w]")


def known_names(sentences: Iterable[str]) -> frozenset[str]:
    """Return the words that are written with a capital where a sentence does not ask for it.

    >>> sorted(known_names(["The river Alder rose.", "Police in Kelby called Ann Lanning."]))
    ['Alder', 'Ann', 'Kelby', 'Lanning']
    """
    inside = (word for sentence in sentences for word in _words(sentence)[1:])
    return frozenset(w for w in inside if w[0].isupper() and w.lower() not in STOP_WORDS)


def entities(sentences: Iterable[str], names: frozenset[str]) -> list[str]:
    """Return the runs of names, lower-case: a headline capitalises more than names.

    >>> entities(["Ann Lanning Warns Kelby"], frozenset({"Ann", "Kelby", "Lanning"}))
    ['ann lanning', 'kelby']
    """
    found = []
    for sentence in sentences:
        run: list[str] = []
        for word in [*_words(sentence), ""]:
            if word in names:
                run.append(word.lower())
            elif run:
                found.append(" ".join(run))
                run = []
    return found


def _words(sentence: str) -> list[str]:
    return [word.removesuffix("'s").removesuffix("’s") for word in _WORD.findall(sentence)]
