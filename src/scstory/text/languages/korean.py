"""Korean: spaces divide phrases of a noun and its particles, which are taken off."""

import re

from scstory.text.languages.alphabetic import words

_PARTICLES = re.compile(
    "(?:으로부터|로부터|에서는|에서도|이라고|에게서|까지|부터|에서|에게|께서|한테|으로|처럼|보다|마다|"
    "조차|마저|이나|이라|라고|하고|이며|에는|에도|들은|들이|들을|들의|은|는|이|가|을|를|의|에|도|만|와|과|로|들)$"
)
SHORTEST = 2
"""Syllables of a noun without its particles."""


def korean_words(text: str) -> list[str]:
    """Return the words of a text, without the particles behind them."""
    return [without_particles(word) for word in words(text)]


def without_particles(word: str) -> str:
    """Return a noun without the particles behind it.

    >>> without_particles("대통령은"), without_particles("서울에서"), without_particles("나이")
    ('대통령', '서울', '나이')
    """
    bare = _PARTICLES.sub("", word)
    return bare if len(bare) >= SHORTEST else word
