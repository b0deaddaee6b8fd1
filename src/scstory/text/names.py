"""Names in a text: by their capitals, or as the profile of the language finds them."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from scstory.text.language import ENGLISH
from scstory.text.languages import Kind, Profile, profile_of, without_possessive

_WORD = re.compile(r"[^\W\d_][\w’'-]*")
_CAPITALS, _SMALL = (
    rf"{first}[\w’'-]*+(?:[\s\d_]++{first}[\w’'-]*+)*+" for first in (r"[^\W\d_a-z]", "[a-z]")
)
_RUN = re.compile(rf"({_CAPITALS})|{_SMALL}|[^\s\w]")
"""A run of words that start with a capital, or that may; a run of other words; a mark."""

Runs = list[list[str]]
"""The capitalised words of a sentence, run by run. The first run is the one that the sentence
starts with, which may be empty."""


class Names(NamedTuple):
    """The names in a title and in the sentences below it, as they are written."""

    title: list[str]
    body: list[list[str]]
    """Sentence by sentence."""


def names_in(title: str, body: Sequence[str], language: str = ENGLISH) -> Names:
    """Return the names in a title and in the sentences below it.

    A word is a name if the sentences capitalise it where they need not; titles capitalise more
    than names. Names in a row are one.

    >>> names_in("Ann Lanning Warns Kelby", ["Mill Lane broke in Kelby.", "So said Ann Lanning."])
    Names(title=['Ann Lanning', 'Kelby'], body=[['Lane', 'Kelby'], ['Ann Lanning']])
    """
    profile = profile_of(language)
    if profile.parts is not None:
        first, *rest = (
            [part.text for part in parts if part.kind is Kind.NAME]
            for parts in profile.parts(profile, [title, *body])
        )
        return Names(first, rest)
    headline, sentences = _runs(title), [_runs(sentence) for sentence in body]
    names = _known_names(sentences or [headline], profile)
    return Names(_named(headline, names), [_named(runs, names) for runs in sentences])


def _runs(sentence: str) -> Runs:
    first, *rest = _RUN.findall(sentence) or [""]
    runs = [first, *filter(None, rest)]
    # Most runs are one word.
    return [
        list(map(without_possessive, [run] if run.isalpha() else _WORD.findall(run)))
        for run in runs
    ]


def _known_names(sentences: Iterable[Runs], profile: Profile) -> frozenset[str]:
    inside = (word for first, *rest in sentences for run in (first[1:], *rest) for word in run)
    stop_words = profile.stop_words
    return frozenset(w for w in inside if w[0].isupper() and w.lower() not in stop_words)


def _named(runs: Runs, names: frozenset[str]) -> list[str]:
    """Return the names of a sentence, those in a row as one."""
    found = []
    for run in runs:
        together: list[str] = []
        for word in [*run, ""]:
            if word in names:
                together.append(word)
            elif together:
                found.append(" ".join(together))
                together = []
    return found
