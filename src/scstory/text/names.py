"""Names in a text, told by their capitals."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from scstory.text.terms import STOP_WORDS, without_possessive

_WORD = re.compile(r"[^\W\d_][\w’'-]*")
_CAPITALS, _SMALL = (
    rf"{first}[\w’'-]*+(?:[\s\d_]++{first}[\w’'-]*+)*+" for first in (r"[^\W\d_a-z]", "[a-z]")
)
_RUN = re.compile(rf"({_CAPITALS})|{_SMALL}|[^\s\w]")
"""Words in a row that have a capital, or that may have one; words that have not; a mark."""

Runs = list[list[str]]
"""The words with a capital of a sentence, those in a row together; the first are those it begins
with, if there are any."""


def names_in(title: str, body: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the names in a headline and in the sentences below it, lower-case.

    A name is what the sentences write with a capital where they need not: a headline capitalises
    more than names.

    >>> names_in("Ann Lanning Warns Kelby", ["The river rose in Kelby.", "So said Ann Lanning."])
    (['ann lanning', 'kelby'], ['kelby', 'ann lanning'])
    """
    headline, sentences = _runs(title), [_runs(sentence) for sentence in body]
    names = _known_names(sentences or [headline])
    return _named([headline], names), _named(sentences, names)


def _runs(sentence: str) -> Runs:
    first, *rest = _RUN.findall(sentence) or [""]
    runs = [first, *filter(None, rest)]
    # Most runs are one word.
    return [
        list(map(without_possessive, [run] if run.isalpha() else _WORD.findall(run)))
        for run in runs
    ]


def _known_names(sentences: Iterable[Runs]) -> frozenset[str]:
    inside = (word for first, *rest in sentences for run in (first[1:], *rest) for word in run)
    return frozenset(w for w in inside if w[0].isupper() and w.lower() not in STOP_WORDS)


def _named(sentences: Iterable[Runs], names: frozenset[str]) -> list[str]:
    """Return the names, those in a row as one."""
    found = []
    for run in (run for runs in sentences for run in runs):
        together: list[str] = []
        for word in [*run, ""]:
            if word in names:
                together.append(word.lower())
            elif together:
                found.append(" ".join(together))
                together = []
    return found
