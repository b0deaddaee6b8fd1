"""What articles are measured by: means of vectors and counts of articles, for each language.

A term is telling if few of the articles have it that could have it, and a term of one language
cannot be in articles of another. By the number of all articles, even the commonest words of a
language with few articles would look rare. `centring.py` says why vectors are centred.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from scstory.discovery.calibrated.centring import RunningMeans
from scstory.discovery.calibrated.languages import CODES, Languages
from scstory.discovery.method import prefixed, unprefixed
from scstory.discovery.paper.embedding import Centre
from scstory.discovery.window import Floats, Ints, Window
from scstory.types import EncodedArticle, Vectors


class Norms(NamedTuple):
    """What an article's sentences are measured by: that of its language."""

    centre: Vectors
    """It is subtracted from the vectors of sentences."""
    documents: float | None
    """How many articles there were that could have its terms; all if None."""


class LanguageNorms:
    """Running means of sentence vectors and numbers of articles, for each language."""

    def __init__(self, dim: int, prior: int, languages: Languages) -> None:
        self.languages = languages
        self.means = RunningMeans(dim, prior)
        self.documents = LanguageDocuments()

    def of(self, member: EncodedArticle) -> Norms:
        """Return what an article is measured by."""
        language = self.languages.code(member)
        documents = self.documents.of(np.array([language]))
        centre = self.means.value(language)
        return Norms(centre, None if documents is None else float(documents[0]))

    def centre(self, window: Window) -> Centre:
        """Return what is subtracted from the sentences of a window, by their languages."""
        languages = window["language"]
        if len(np.unique(languages)) > 1:
            languages = np.repeat(languages, window.lengths)
            return lambda rows: torch.from_numpy(self.means.values(languages[rows]))
        one = torch.from_numpy(self.means.values(languages))
        return lambda rows: one

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the means and the counts."""
        return prefixed("mean", self.means.state()) | prefixed("documents", self.documents.state())

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go back to what `state` returned."""
        self.means.restore(unprefixed("mean", state))
        self.documents.restore(unprefixed("documents", state))


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
