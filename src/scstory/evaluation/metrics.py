"""B³ precision, recall and F1, AMI and ARI of found groups against true ones."""

from collections import Counter
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
    from sklearn.metrics import adjusted_mutual_info_score

    precision, recall, f1 = b_cubed(truth, found)
    ami = adjusted_mutual_info_score(numbered(truth), numbered(found))
    return Scores(precision, recall, f1, float(ami), adjusted_rand(truth, found))


def adjusted_rand(truth: Sequence[Hashable], found: Sequence[Hashable]) -> float:
    """Return the Rand index adjusted for chance, from the numbers of ordered pairs of items.

    The same as scikit-learn's, whose checks take longer than this does for a small window.

    >>> adjusted_rand("AABB", "xxyy"), adjusted_rand("AABB", "xyxy")
    (1.0, -0.5)
    """
    n, together = len(truth), Counter(zip(truth, found, strict=True))
    both = sum(count * count for count in together.values()) - n
    only_truth = sum(count * count for count in Counter(truth).values()) - n - both
    only_found = sum(count * count for count in Counter(found).values()) - n - both
    neither = n * (n - 1) - both - only_truth - only_found
    if only_truth == only_found == 0:
        return 1.0
    expected = (both + only_truth) * (only_truth + neither)
    expected += (both + only_found) * (only_found + neither)
    return 2 * (both * neither - only_truth * only_found) / expected


def numbered(labels: Sequence[Hashable]) -> NDArray[np.int64]:
    """Return labels as numbers, in the order of their first appearance."""
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.int64)
