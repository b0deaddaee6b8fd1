"""What reading an article needs to know of its language."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property, lru_cache
from typing import NamedTuple

from scstory.text.hashed import MAX_CACHED, Word, hash_of
from scstory.text.sounds import as_names


class Kind(Enum):
    """What a part of a sentence can be as a keyword."""

    NAME = "name"
    THING = "thing"
    OTHER = "other"


class Part(NamedTuple):
    """A part of a sentence: a name of one word or several, or a word."""

    text: str
    kind: Kind


def as_written(word: str) -> str:
    """Return a word as it is: of a language whose words have no forms."""
    return word


def always(_: str) -> bool:
    """Say yes of any word."""
    return True


@dataclass(frozen=True, eq=False)
class Profile:
    """How texts in a language are read."""

    language: str
    """The primary subtag."""
    words: Callable[[str], list[str]]
    """Returns all words and numbers of a text, as they are written."""
    load_stop_words: Callable[[], frozenset[str]]
    """Returns the words that are no terms, in lower case; called when they are first needed."""
    stem: Callable[[str], str] = as_written
    """Returns what the forms of a word in lower case have in common."""
    tells: Callable[[str], bool] = always
    """Says whether a word that is no stop word is a term, of a language in which most verbs and
    adverbs are known to be verbs and adverbs."""
    shortest: int = 2
    """The fewest letters of a term; a digit alone is one."""
    parts: Callable[[Profile, Sequence[str]], list[list[Part]]] | None = None
    """Finds the names and things of sentences, sentence by sentence, where capitals do not tell
    them; None if capitals do."""
    sounds: Callable[[str, Sequence[str], Sequence[str]], Iterable[str]] = as_names
    """Returns how the names of a sentence sound, from the sentence, its words and its names."""
    spaced: bool = True
    """Whether spaces divide the words."""

    @cached_property
    def stop_words(self) -> frozenset[str]:
        """The words that are no terms."""
        return self.load_stop_words()

    @cached_property
    def look_up(self) -> Callable[[str], Word]:
        """What reads a word."""
        cached = lru_cache(maxsize=1 << 16)(self._read)
        return lambda word: cached(word) if len(word) <= MAX_CACHED else self._read(word)

    def terms(self, text: str) -> list[str]:
        """Return the terms of a text, in its order."""
        return [term for word in self.words(text) if (term := self.look_up(word).term)]

    def name_term(self, name: str) -> str:
        """Return what the forms of a name have in common."""
        lower = name.lower()
        return lower if self.stem is as_written else " ".join(map(self.stem, lower.split()))

    def is_stop_word(self, word: str) -> bool:
        """Say whether a word, as it is written, is no term."""
        return not self.look_up(word).term

    def _read(self, word: str) -> Word:
        lower = without_possessive(word.lower())
        long = len(lower) >= self.shortest or lower.isdecimal()
        if lower in self.stop_words or not long or not self.tells(word):
            return Word("", -1)
        term = self.stem(lower) or lower
        return Word(term, hash_of(term))


def word_set(text: str) -> frozenset[str]:
    """Return the words of a list that is written as text."""
    return frozenset(text.split())


def letters_in(word: str) -> int:
    """Return how many letters a word has, where a character of a syllable or a word is two.

    >>> letters_in("flood"), letters_in("洪水")
    (5, 4)
    """
    return len(word) + sum("\u3040" <= letter <= "\ud7ff" for letter in word)


def without_possessive(word: str) -> str:
    """Return a word without its ’s.

    >>> without_possessive("Alder's"), without_possessive("boats")
    ('Alder', 'boats')
    """
    return word.removesuffix("'s").removesuffix("’s") if word.endswith("s") else word
