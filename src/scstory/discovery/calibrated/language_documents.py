"""How many articles of each language there were, for the weights of terms.

A term is telling if few of the articles have it that could have it, and a term of one language
cannot be in articles of another. By the number of all articles, even the commonest words of a
language with few articles would look rare.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scstory.discovery.calibrated.languages import CODES
from scstory.discovery.window import Floats, Ints


class LanguageDocuments:
    """The articles of past slides by language, each counting as in the document frequencies."""

    def __init__(self) -> None:
        self._counts: Floats = np.zeros(CODES)

    def add(self, languages: Ints, weights: Floats) -> None:
        """Count articles."""
        self._counts += np.bincount(languages, weights, minlength=CODES)

    def of(self, languages: Ints) -> Floats | None:
        """Return how many articles there were in some languages; None if in no other ones."""
        others = self._counts > 0
        others[languages] = False
        if not others.any() and len(np.unique(languages)) <= 1:
            return None
        return np.asarray(self._counts[languages])

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the counts."""
        codes = np.flatnonzero(self._counts)
        return {"languages": codes, "counts": self._counts[codes]}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go back to what `state` returned."""
        self._counts[:] = 0
        self._counts[state["languages"]] = state["counts"]
