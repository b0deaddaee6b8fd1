"""An article's text, read once: what it is compared by, and what its story may be called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from scstory.text.keywords import Wording, wording_of
from scstory.text.names import names_in
from scstory.text.terms import Hashes, hashes, look_up, pair_hashes, words

FIELDS = ("terms", "title", "lede", "names", "phrases")
"""All terms; those of the headline; of the headline and the first sentences; names; term pairs."""
LEDE = 4
"""Sentences after the headline that make the lede."""


class Reading(NamedTuple):
    """What there is to know of a text."""

    fields: tuple[Hashes, ...]
    """The hashes of each field's terms, in their order."""
    wording: Wording


def read(title: str, sentences: Sequence[str], text: str, *, fields: int = len(FIELDS)) -> Reading:
    """Read all fields, or the first one alone. The title, if there is one, is the first sentence.

    >>> reading = read("Alder rises", ["Alder rises", "The river Alder rose."],
    ...                "The river Alder rose.")
    >>> dict(zip(FIELDS, map(len, reading.fields)))
    {'terms': 5, 'title': 2, 'lede': 5, 'names': 2, 'phrases': 4}
    """
    body = sentences[1:] if title.strip() else sentences
    in_title, in_text, in_lede = words(title), words(text), words(" ".join(body[:LEDE]))
    uses = Counter(in_title + in_text)
    known = {word: look_up(word) for word in uses}
    wording = wording_of(uses, known, f"{title}. {text}")
    numbers = {word: found.hash for word, found in known.items()}
    numbers |= {word: look_up(word).hash for word in in_lede if word not in numbers}

    def of(found: list[str]) -> Hashes:
        told = np.fromiter(map(numbers.__getitem__, found), dtype=np.int64, count=len(found))
        return told[told >= 0].astype(np.uint64)

    everything = of(in_title + in_text)
    if fields == 1:
        return Reading((everything,), wording)
    headline, lede = of(in_title), of(in_title + in_lede)
    in_headline, in_body = names_in(title, body)
    names = hashes(in_headline + in_body)
    return Reading((everything, headline, lede, names, pair_hashes(everything)), wording)
