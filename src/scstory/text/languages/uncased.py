"""Names where a language has no capitals: what a text says again and again."""

import re
from collections import Counter
from collections.abc import Sequence

from scstory.text.languages.profile import Kind, Part, Profile

QUOTED = re.compile(r"[《〈「『“«]([^《》〈〉「」『』“”«»]{2,20})[》〉」』”»]")
"""What stands in quotation marks: the name of a book, a law, an operation; or a few words."""
MOST_QUOTED = 3
"""Words of a quotation that may be a name."""
RECURS = 3
"""Sentences that a name stands in, at least, unless it is in Latin letters; one of the title and
one below it are enough."""
MOST_CHARACTERS = 8
"""The same in characters, where no spaces divide words."""
_LATIN = re.compile(r"[A-Za-zÀ-ɏ]{2,}")


def uncased_parts(profile: Profile, sentences: Sequence[str]) -> list[list[Part]]:
    """Return the parts of sentences in a language without capitals; the first is the title.

    A word is a name if it recurs: whom and what a report is about it says in its title and again
    below it. Words in Latin letters, and short quotations, are names as well.
    """
    words = profile.words
    quoted = {
        text
        for sentence in sentences
        for text in QUOTED.findall(sentence)
        if len(words(text)) <= MOST_QUOTED and (profile.spaced or len(text) <= MOST_CHARACTERS)
    }
    split = [words(sentence) for sentence in sentences]
    within = Counter(word for found in split for word in set(found))
    title = set(split[0]) if split else set()

    def kind(word: str) -> Kind:
        if profile.is_stop_word(word) or not any(map(str.isalpha, word)):
            return Kind.OTHER
        recurs = within[word] >= RECURS or (word in title and within[word] > 1)
        named = recurs or word in quoted or _LATIN.fullmatch(word)
        return Kind.NAME if named else Kind.THING

    return [
        [*(Part(word, kind(word)) for word in found), *_quoted(sentence, quoted, set(found))]
        for sentence, found in zip(sentences, split, strict=True)
    ]


def _quoted(sentence: str, names: set[str], words: set[str]) -> list[Part]:
    """Return the quotations of a sentence that are names of several words."""
    return [
        Part(name, Kind.NAME)
        for name in QUOTED.findall(sentence)
        if name in names and name not in words
    ]
