"""What an article's text is compared by: all its terms, and some of them apart."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from scstory.text.names import entities, known_names
from scstory.text.terms import terms

FIELDS = ("terms", "title", "lede", "names", "phrases")
"""All terms; those of the headline; of the headline and the first sentences; names; word pairs."""
LEDE = 4
"""Sentences after the headline that make the lede."""


def read_fields(title: str, sentences: Sequence[str], text: str) -> list[list[str]]:
    """Return the terms of each field. The title, if there is one, is the first sentence.

    >>> fields = read_fields("Alder rises", ["Alder rises", "The river Alder rose."],
    ...                      "The river Alder rose.")
    >>> dict(zip(FIELDS, fields))["phrases"]
    ['alder rises', 'rises river', 'river alder', 'alder rose']
    """
    body = list(sentences[1:] if title.strip() else sentences)
    headline = terms(title)
    everything = headline + terms(text)
    names = known_names(body or [title])
    return [
        everything,
        headline,
        headline + terms(" ".join(body[:LEDE])),
        entities([title], names) + entities(body, names),
        [f"{one} {two}" for one, two in pairwise(everything)],
    ]
