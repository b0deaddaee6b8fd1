"""Reference points: what a table must beat to say anything."""

import math
from abc import abstractmethod
from collections.abc import Collection, Mapping
from typing import ClassVar

import numpy as np
from scipy.sparse import csr_array

from scstory.baselines.baseline import DAY, Baseline, Range, mean_vector, term_table
from scstory.baselines.inner_products import Decay, InnerProducts, single_pass
from scstory.discovery.method import Scope
from scstory.discovery.paper.story_vectors import membership
from scstory.discovery.window import Ints


class Singletons(Baseline):
    """Every article a story of its own."""

    name = "singletons"

    def decide(self, scope: Scope, new: Ints) -> None:
        """Found a story for each."""
        scope.window.story[new] = [scope.new_story() for _ in new]


class One(Baseline):
    """All articles one story."""

    name = "one"

    def decide(self, scope: Scope, new: Ints) -> None:
        """Put every article into the first story."""
        scope.next_story = 2
        scope.window.story[new] = 1

    def resumable(self) -> Collection[int]:
        """Return the only story."""
        return (1,)


class SinglePass(Baseline):
    """Each article joins the most similar story of the window above a threshold, or founds one."""

    def decide(self, scope: Scope, new: Ints) -> None:
        """Assign the new articles, in order, by cosine to the sum of each story's vectors."""
        vectors = self.vectors(scope)
        ids, members = membership(scope.window.story)
        products = InnerProducts.of(vectors[new], members @ vectors)
        numbers = ids.tolist()
        threshold = self.parameters["threshold"]
        joined = single_pass(products, threshold=threshold, decay=self.decay(scope, new, members))
        for i, story in zip(new.tolist(), joined, strict=True):
            if story == len(numbers):
                numbers.append(scope.new_story())
            scope.window.story[i] = numbers[story]

    def decay(self, scope: Scope, new: Ints, members: csr_array) -> Decay | None:
        """Return how similarity fades with time; it does not unless a subclass says so.

        `members` says which article of the window is in which story, a row per story.
        """
        return None

    @abstractmethod
    def vectors(self, scope: Scope) -> csr_array | np.ndarray:
        """Return the vectors of all articles of the window, one per row."""


class Tfidf(SinglePass):
    """Single pass by TF-IDF, document frequencies of the past."""

    name = "tfidf"
    ranges: ClassVar[Mapping[str, Range]] = {
        "threshold": Range(0.2, tuple(round(0.05 * i, 2) for i in range(1, 11)), (0, 1))
    }

    def vectors(self, scope: Scope) -> csr_array:
        """Return TF-IDF vectors."""
        return scope.statistics.tfidf(term_table(scope, slice(None)))


class TfidfTime(Tfidf):
    """Single pass by TF-IDF times a Gaussian in the days since the story's newest article.

    The untuned threshold is that of the TF-IDF single pass, the untuned deviation the one that
    BatClus has for its time features.
    """

    name = "tfidf-time"
    ranges: ClassVar[Mapping[str, Range]] = {
        "threshold": Range(0.2, (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4), (0, 1)),
        "sigma": Range(3.0, (0.5, 1.0, 2.0, 3.0, 7.0, 30.0), (0.01, math.inf)),
    }

    def decay(self, scope: Scope, new: Ints, members: csr_array) -> Decay:
        """Return a decay by publication times."""
        days = scope.window.times / DAY
        # Only articles that have a story have a column in a row; those of the slide have none yet.
        ends = members.indptr[:-1]
        newest = np.maximum.reduceat(days[members.indices], ends) if len(ends) else np.empty(0)
        return Decay(days[new], newest, self.parameters["sigma"])


class MeanPse(SinglePass):
    """Single pass by the mean sentence vector."""

    name = "mean"
    ranges: ClassVar[Mapping[str, Range]] = {
        "threshold": Range(0.5, tuple(round(0.05 * i, 2) for i in range(6, 20)), (0, 1))
    }

    def vectors(self, scope: Scope) -> np.ndarray:
        """Return mean sentence vectors."""
        return np.array([mean_vector(member) for member in scope.window.members])


REFERENCES = (Tfidf, TfidfTime, MeanPse, Singletons, One)
