"""Reference points: what a table must beat to say anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from scipy.sparse import csr_array

from scstory.baselines.base import Baseline, Range, article_terms, mean_vector
from scstory.baselines.view import View, single_pass
from scstory.text import term_counts


class Singletons(Baseline):
    """Every article a story of its own."""

    name = "singletons"

    def decide(self, first: int) -> None:
        """Found a story for each."""
        for i in range(first, len(self.members)):
            self.story[i] = self.new_story()


class One(Baseline):
    """All articles one story."""

    name = "one"

    def decide(self, first: int) -> None:
        """Put every article into the first story."""
        self._next_story = 2
        for i in range(first, len(self.members)):
            self.story[i] = 1


class SinglePass(Baseline):
    """Each article joins the most similar story of the window above a threshold, or founds one."""

    def decide(self, first: int) -> None:
        """Assign the new articles, in order, by cosine to the sum of each story's vectors."""
        vectors = self.vectors()
        ids, column = np.unique(np.array(self.story[:first], dtype=np.int64), return_inverse=True)
        belongs = csr_array(
            (np.ones(first), (column, np.arange(first))), shape=(len(ids), len(self.members))
        )
        view = View.of(vectors[first:], belongs @ vectors)
        numbers = ids.tolist()
        for i, story in enumerate(single_pass(view, threshold=self.parameters["threshold"])):
            if story == len(numbers):
                numbers.append(self.new_story())
            self.story[first + i] = numbers[story]

    def vectors(self) -> csr_array | np.ndarray:
        """Return the vectors of all members, one a row."""
        raise NotImplementedError


class Tfidf(SinglePass):
    """Single pass by TF-IDF, document frequencies of the past."""

    name = "tfidf"
    ranges: ClassVar[Mapping[str, Range]] = {
        "threshold": Range(0.2, tuple(round(0.05 * i, 2) for i in range(1, 11)))
    }

    def vectors(self) -> csr_array:
        """Return TF-IDF vectors."""
        return self.statistics.tfidf(term_counts([article_terms(m) for m in self.members]))


class MeanPse(SinglePass):
    """Single pass by the mean sentence vector."""

    name = "mean"
    ranges: ClassVar[Mapping[str, Range]] = {
        "threshold": Range(0.5, tuple(round(0.05 * i, 2) for i in range(6, 19)))
    }

    def vectors(self) -> np.ndarray:
        """Return mean sentence vectors."""
        return np.array([mean_vector(member) for member in self.members])
