"""B³ precision, recall and F1, AMI and ARI of found groups against true ones."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of a grouping, each 1 if it is perfect."""

    b3_precision: float
    b3_recall: float
    b3_f1: float
    ami: float
    ari: float


def b_cubed(truth: Sequence[Hashable], found: Sequence[Hashable]) -> tuple[float, float, float]:
    """Return B³ precision, recall and F1.

    An item's precision is the share of its found group that is also in its true group; its recall
    is the share of its true group that is also in its found group. Both are averaged over the
    items. With n_ij items of true group i in found group j, precision is Σ n_ij² / n_j / n.

    >>> b_cubed("AAAB", "xxyy")
    (0.75, 0.6666666666666666, 0.7058823529411765)
    """
    if len(truth) != len(found):
        raise ValueError(f"{len(truth)} true labels but {len(found)} found ones")
    if not len(truth):
        raise ValueError("no items to score")
    i, j = numbered(truth), numbered(found)
    pairs, counts = np.unique(np.stack([i, j]), axis=1, return_counts=True)
    squares = counts.astype(np.float64) ** 2
    precision = float((squares / np.bincount(j)[pairs[1]]).sum() / len(i))
    recall = float((squares / np.bincount(i)[pairs[0]]).sum() / len(i))
    return precision, recall, 2 * precision * recall / (precision + recall)


def score(truth: Sequence[Hashable], found: Sequence[Hashable]) -> Scores:
    """Return all scores of a grouping."""
    from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

    i, j = numbered(truth), numbered(found)
    precision, recall, f1 = b_cubed(truth, found)
    return Scores(
        precision,
        recall,
        f1,
        float(adjusted_mutual_info_score(i, j)),
        float(adjusted_rand_score(i, j)),
    )


def numbered(labels: Sequence[Hashable]) -> NDArray[np.int64]:
    """Return labels as numbers, in the order of their first appearance."""
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.int64)
