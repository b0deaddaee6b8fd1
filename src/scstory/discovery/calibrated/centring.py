"""The running means of the stream's sentence vectors, which are subtracted from each of them.

Sentence vectors of one language share a large common component that tells nothing of the story, so
each language has a mean of its own. It counts as if a number of sentences had been seen first: of
the other languages, as far as there are any, and of zero vectors, so that the first few articles
are not compared by what little differs between them. In a stream of one language this is

    mean = total / (count + prior),

and in a stream of several, m standing for the languages other than l,

    mean(l) = (total(l) + prior · mean') / (count(l) + prior),
    mean' = Σ total(m) / (Σ count(m) + prior).

So a language with few articles is centred like the others, and one with many by itself.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scstory.discovery.window import Ints
from scstory.types import Vectors


class RunningMeans:
    """Means of all sentence vectors so far, by the code of their language."""

    def __init__(self, dim: int, prior: int) -> None:
        self._dim, self._prior = dim, prior
        self._totals: dict[int, NDArray[np.float64]] = {}
        self._counts: dict[int, int] = {}
        self._known: dict[int, Vectors] = {}

    def update(self, vectors: Vectors, language: int = 0) -> None:
        """Count the sentences of an article."""
        self._add(language)
        self._totals[language] += vectors.sum(axis=0, dtype=np.float64)
        self._counts[language] += len(vectors)
        self._known.clear()

    def value(self, language: int = 0) -> Vectors:
        """Return the mean of a language."""
        if language not in self._known:
            self._known[language] = self._mean(language)
        return self._known[language]

    def values(self, languages: Ints) -> Vectors:
        """Return one mean if all languages are the same, else a row for each of them."""
        codes, places = np.unique(languages, return_inverse=True)
        if len(codes) <= 1:
            return self.value(int(codes[0]) if len(codes) else 0)
        return np.stack([self.value(code) for code in codes.tolist()])[places]

    def _mean(self, language: int) -> Vectors:
        others = [code for code in self._totals if code != language]
        total, count = (
            self._totals.get(language, np.zeros(self._dim)),
            self._counts.get(language, 0),
        )
        if others:
            seen = sum(self._counts[code] for code in others) + self._prior
            shared = sum(self._totals[code] for code in others) / max(seen, 1)
            total = total + self._prior * shared
        return (total / max(count + self._prior, 1)).astype(np.float32)

    def _add(self, language: int) -> None:
        self._totals.setdefault(language, np.zeros(self._dim))
        self._counts.setdefault(language, 0)

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the totals, in the order in which the languages came."""
        codes = [*self._totals]
        return {
            "languages": np.array(codes, dtype=np.int64),
            "total": np.array([self._totals[code] for code in codes]).reshape(-1, self._dim),
            "count": np.array([self._counts[code] for code in codes], dtype=np.int64),
        }

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go back to what `state` returned."""
        codes = state["languages"].tolist()
        self._totals = {code: row.copy() for code, row in zip(codes, state["total"], strict=True)}
        self._counts = dict(zip(codes, state["count"].tolist(), strict=True))
        self._known.clear()
