"""Eq. 6: the confidence of an article in a story, and the decision to join or to found one.

    conf(d, S) = cos(R_d, R_S);   join the best story if conf ≥ δ, else found a story

A cosine is the same for the sum of a story's vectors as for their mean (Eq. 5), so sums are kept.
"""

import numpy as np
from numpy.typing import NDArray

from scstory.discovery.paper.story_vectors import membership
from scstory.discovery.window import Floats, Ints
from scstory.types import RunnerUp

RUNNERS_UP = 3
"""How many of the next best stories are reported."""


class ActiveStories:
    """The stories of a window, which grow as articles join them."""

    def __init__(self, story: Ints, vectors: NDArray[np.float32]) -> None:
        ids, members = membership(story)
        self.ids: list[int] = ids.tolist()
        self._column = {number: column for column, number in enumerate(self.ids)}
        self._sums: Floats = members @ vectors.astype(np.float64)
        self._squares: Floats = np.einsum("kd,kd->k", self._sums, self._sums)

    def confidences(self, vector: Floats) -> Floats:
        """Return the confidence of an article in every story."""
        count = len(self.ids)
        products = np.matmul(self._sums[:count], vector[:, None])[:, 0]
        return cosines(products, float(vector @ vector), self._squares[:count])

    def join(self, story: int, vector: Floats) -> None:
        """Add an article to a story, which may be a new one."""
        column = self._column.setdefault(story, len(self.ids))
        if column == len(self.ids):
            self.ids.append(story)
            if column == len(self._sums):
                room = max(16, column)
                self._sums = np.pad(self._sums, ((0, room), (0, 0)))
                self._squares = np.pad(self._squares, (0, room))
        self._sums[column] += vector
        self._squares[column] = np.einsum("d,d->", self._sums[column], self._sums[column])


def choose(
    ids: list[int], confidences: Floats, delta: float
) -> tuple[int | None, float, tuple[RunnerUp, ...]]:
    """Return the story to join, None to found one, with the confidence and the runners-up."""
    order = np.argsort(-confidences, kind="stable")[: RUNNERS_UP + 1]
    new = not len(order) or bool(confidences[order[0]] < delta)
    rest = order[:RUNNERS_UP] if new else order[1:]
    runners_up = tuple(RunnerUp(ids[k], float(confidences[k])) for k in rest)
    if new:
        return None, 1.0, runners_up
    return ids[order[0]], float(confidences[order[0]]), runners_up


def own_confidences(vectors: NDArray[np.float32], story: Ints) -> Floats:
    """Return the confidence of every article in its own story."""
    ids, members = membership(story)
    own = vectors.astype(np.float64)
    sums = members @ own
    column = np.searchsorted(ids, story)
    products = np.einsum("nd,nd->n", own, sums[column])
    squares = np.einsum("nd,nd->n", own, own)
    others = np.bincount(column, products).astype(np.float64)[column]
    return cosines(products, squares, others)


def cosines(
    products: Floats, squares: Floats | float, others: Floats, least: Floats | float = 0.0
) -> Floats:
    """Return cosines from inner products and squared lengths; 0 for a vector of no length.

    The squared lengths of the others count as `least` where they are less.
    """
    lengths = np.sqrt(squares * np.maximum(others, least))
    usable = lengths > 1e-12
    return np.clip(np.divide(products, lengths, out=np.zeros_like(products), where=usable), -1, 1)
