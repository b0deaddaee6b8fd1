"""The encoder `auto`: the languages of the first articles choose it, once.

A stream in English gets MiniLM, which knows no other language and is the best for English here; any
other gets the multilingual encoder. Whoever knows the articles of the first day names their
languages (`runners/writer.py`); otherwise the first articles that are encoded together decide. A
saved state has the name of the encoder that was chosen, so a stream keeps it.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import product
from string import ascii_lowercase
from threading import Lock

from scstory.errors import UsageError
from scstory.types import Vectors
from scstory.vectors.encoder import Encoder

AUTO = "auto"
ENGLISH_SHARE = 0.9


EVERY_LANGUAGE = frozenset(map("".join, product(ascii_lowercase, repeat=2)))
"""What an encoder for all languages serves, or one of which nobody knows more."""


class AutoEncoder:
    """Not chosen yet, it is called `auto` and takes up no memory; then it is the chosen encoder.

    Parameters
    ----------
    make
        Makes the encoder of a name.
    english, other
        The names of the encoder for English, and of the one for all other streams.
    """

    def __init__(
        self, make: Callable[[str], Encoder], *, english: str, other: str, english_dim: int
    ) -> None:
        self._make, self._english, self._other = make, english, other
        self._english_dim = english_dim
        self._chosen: Encoder | None = None
        self._lock = Lock()
        self.english_share = ENGLISH_SHARE
        """The share of English articles among the first from which it is the one for English."""

    @property
    def name(self) -> str:
        """The name of the chosen encoder."""
        return self._chosen.name if self._chosen else AUTO

    @property
    def dim(self) -> int:
        """The length of a vector; before the choice, that of the encoder for English."""
        return self._chosen.dim if self._chosen else self._english_dim

    @property
    def fingerprint(self) -> str:
        """What distinguishes vectors beside the name."""
        return str(getattr(self._chosen, "fingerprint", ""))

    @property
    def languages(self) -> Collection[str] | None:
        """The languages that the chosen encoder serves."""
        return None if self._chosen is None else served_languages(self._chosen)

    def choose(self, languages: Sequence[str]) -> None:
        """Choose by the languages of the first articles, unless it is chosen already."""
        with self._lock:
            if self._chosen is None and languages:
                share = sum(language == "en" for language in languages) / len(languages)
                self._chosen = self._make(
                    self._english if share >= self.english_share else self._other
                )

    def go_back(self, name: str) -> None:
        """Be the encoder that a saved state was made with."""
        with self._lock:
            if name != self.name:
                self._chosen = None if name == AUTO else self._make(name)

    def encode(self, sentences: Sequence[str]) -> Vectors:
        """Return the vectors of the chosen encoder."""
        if self._chosen is None:
            raise UsageError("encoder auto: not chosen yet; it is chosen by articles")
        return self._chosen.encode(sentences)


def served_languages(encoder: Encoder) -> Collection[str] | None:
    """Return the languages that an encoder serves, as primary subtags; None if it does not say."""
    found: Collection[str] | None = getattr(encoder, "languages", None)
    return found


def unserved(languages: Iterable[str], served: Collection[str] | None) -> dict[str, int]:
    """Return how many articles are in each language that an encoder does not serve.

    >>> unserved(["en", "cs", "cs"], ["en"]), unserved(["cs"], None)
    ({'cs': 2}, {})
    """
    counted = Counter(languages)
    return {name: n for name, n in counted.items() if served is not None and name not in served}
