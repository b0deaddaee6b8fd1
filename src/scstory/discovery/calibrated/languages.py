"""Stories across languages: the parts of a story, and the three kinds of pairs.

The articles of a story in one language are a *part* of it. An article a in language l is compared
with every part p of every story S. What the comparison can tell depends on the two languages:

* *Within* a language, all features tell: vectors and words.
* *Across* two languages that the encoder serves, words are no evidence, neither when they agree
  nor when they do not. The vectors tell, which are centred for each language (`centring.py`), how
  names sound (`text/sounds.py`), and the time. A sentence and its translation are less alike than
  two sentences of one language, so these pairs have a calibration of their own: another
  `Posterior`, over the vectors and the sounds alone.
* By *words* alone, where the encoder does not serve one of the two languages: its vectors would
  say something, but nothing true. This is a third calibration, over the words alone.

Each calibration makes a log-odds of a pair,

    log-odds(a, p) = prior(k) + Σ_f evidence_k,f(a, p) + time(a, S),    k the kind of the pair,

in which the time tells the same in all kinds: as much as it does within languages, of which there
are more pairs to learn it from. Each is fitted to its own best matches and its own strangers, as
`posterior.py` says. The prior of a kind is the share of its best matches that are the same story;
it is small across languages where few stories are told in several of them. A feature that is
silent has the evidence 0, and so has its place in an explanation, which adds up.

An article tells a story if it tells the same as the story's parts, which are known to tell one
story. So all parts give evidence of one and the same question, and much of it is the same evidence
seen twice: to add it up would count it twice. What the article's own language says is worth most,
but a part may be small, old, or about one side of the story only, and then another part says more.
Each log-odds is right about its own pair, so the story's is that of the part that speaks for it
most clearly:

    log-odds(a, S) = max over parts p of S of log-odds(a, p)

It is exact where one part alone tells anything, and otherwise no less than any of them. The time
is that of the whole story in every pair: a story that goes on in another language is going on.

A stream of one language has one part for each story and pairs of one kind; then everything is as
it would be without this file, bit for bit.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from scstory.discovery.window import Column, Floats, Ints
from scstory.types import EncodedArticle

SHIFT = 40
"""A part's number: the number of its story, and from this bit on the code of its language."""
CODES = 27**3
WITHIN, ACROSS, WORDS, APART = range(4)
"""The kinds of pairs; those that are apart are never of one story."""
NEVER = -100.0
"""The log-odds of a pair that is apart."""


def language_code(language: str) -> int:
    """Return the number of a primary subtag of two or three letters; that of English is 0.

    >>> language_code("en"), language_code("de") == language_code("fr")
    (0, False)
    """
    return (_number(language) - _number("en")) % CODES


def _number(language: str) -> int:
    letters = [(ord(letter) - 96) % 27 for letter in language[:3].lower()]
    return sum(letter * 27**place for place, letter in enumerate(letters))


def part_number(story: int, language: int) -> int:
    """Return the number of the part of a story in a language."""
    return story | (language << SHIFT)


def part_numbers(story: Ints, language: Ints) -> Ints:
    """Return the number of the part that each article belongs to."""
    return np.asarray(story | (language << SHIFT))


def stories_of(parts: Ints) -> Ints:
    """Return the stories of parts."""
    return np.asarray(parts & ((1 << SHIFT) - 1))


def languages_of(parts: Ints) -> Ints:
    """Return the languages of parts."""
    return np.asarray(parts >> SHIFT)


@dataclass(frozen=True, slots=True)
class Languages:
    """Which pairs are of which kind: the languages that the encoder serves, and the settings."""

    served: NDArray[np.bool_]
    """For each code, whether the encoder serves it."""
    cross_lingual: bool
    told_apart: bool
    """Whether languages are told apart at all: not by an encoder that does not say which it serves,
    unless they are to be kept apart."""

    @property
    def several(self) -> bool:
        """Whether the encoder is known to serve several languages, which stories may cross."""
        return self.cross_lingual and self.told_apart and int(self.served.sum()) > 1

    @classmethod
    def of(cls, served: Collection[str] | None, *, cross_lingual: bool) -> Self:
        """Return the kinds for an encoder that serves some languages, or does not say which."""
        known = np.full(CODES, served is None)
        known[[language_code(language) for language in served or ()]] = True
        return cls(known, cross_lingual, served is not None or not cross_lingual)

    def code(self, member: EncodedArticle) -> int:
        """Return the code of an article's language."""
        return language_code(member.reading.language) if self.told_apart else 0

    def column(self) -> Column:
        """Return the window's column with the code of each article's language."""
        return Column(
            "language",
            np.int64,
            derive=lambda new: np.array([self.code(member) for member in new], dtype=np.int64),
        )

    def kinds(self, one: Any, other: Ints) -> NDArray[np.int8] | None:
        """Return the kind of each pair of languages; None if all are within a served one."""
        same = np.asarray(one == other)
        served = self.served[one] & self.served[other]
        if same.all() and served.all():
            return None
        kinds = np.where(served, np.where(same, WITHIN, ACROSS), WORDS)
        if not self.cross_lingual:
            kinds[~same] = APART
        return kinds.astype(np.int8)


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of some stories, and which of these each belongs to."""

    ids: Ints
    """The stories."""
    story: Ints
    """The story of each part, as a place in `ids`."""

    @classmethod
    def of(cls, numbers: Ints) -> Self:
        """Return the stories of parts."""
        return cls(*np.unique(stories_of(numbers), return_inverse=True))

    @property
    def several(self) -> bool:
        """Whether a story has more than one part."""
        return len(self.ids) < len(self.story)

    @property
    def same_order(self) -> bool:
        """Whether each story has one part, at the same place."""
        return np.array_equal(self.story, np.arange(len(self.ids)))

    def best(self, log_odds: Floats) -> Ints:
        """Return the part of each story that has the highest log-odds, the first of equal ones."""
        order = np.lexsort((-log_odds, self.story))
        return np.asarray(order[np.searchsorted(self.story[order], np.arange(len(self.ids)))])

    def highest(self, log_odds: Floats) -> Floats:
        """Return the highest log-odds of the parts of each story, (…, stories)."""
        order = np.argsort(self.story, kind="stable")
        starts = np.searchsorted(self.story[order], np.arange(len(self.ids)))
        return np.asarray(np.maximum.reduceat(log_odds[..., order], starts, axis=-1))

    def spans(self, newest: Floats, oldest: Floats) -> tuple[Floats, Floats]:
        """Return the times of the newest and the oldest article of each part's whole story."""
        last, first = np.full(len(self.ids), -np.inf), np.full(len(self.ids), np.inf)
        np.maximum.at(last, self.story, newest)
        np.minimum.at(first, self.story, oldest)
        return last[self.story], first[self.story]


def best_parts(numbers: Ints, evidence: Floats) -> tuple[list[int], Floats]:
    """Return stories and the evidence of the part of each that speaks for it most clearly."""
    found = Parts.of(numbers)
    return found.ids.tolist(), evidence[:, found.best(evidence.sum(axis=0))]
