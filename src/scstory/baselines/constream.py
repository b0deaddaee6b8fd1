"""ConStream (Aggarwal and Yu, 2010): micro-clusters, "droplets", of decayed term counts.

    s_i = cos(d, D_i);   join the nearest droplet if s >= mean - r * deviation of its past s

A droplet keeps the sum of its articles' counts, the moments of the similarities with which they
joined, and when it was last touched. Touching it after Δt days first multiplies all of it by
2^(-λΔt). The stalest droplets beyond a cap are removed. One droplet is one story.
"""

import math
from collections.abc import Collection, Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from scstory.baselines.baseline import DAY, Baseline, Range, term_table
from scstory.baselines.inner_products import InnerProducts
from scstory.baselines.sparse_sums import combine, mean_rows, pack, unpack
from scstory.discovery.method import Arrays, Scope
from scstory.discovery.window import Floats, Ints
from scstory.text import term_counts

DROPLET_HALF_LIFE = 7.0
"""Days, 1/λ: the first day of a story of a week still counts half on the last."""
CAP = 500
"""Droplets kept, about as many as the stories of some months."""
FAINT = 1e-3
"""Counts that decayed to this, in ten half-lives, are removed: memory must not grow for ever."""

EXPECTED = {"native": (0.4, 0.1), "pse": (0.7, 0.1)}
"""Mean and deviation of the similarities a droplet expects before it has seen any. Two deviations
below lie 0.2 and 0.5, the untuned thresholds of the single passes by terms and by vectors."""
EXPECTED_WEIGHT = 4.0
"""How many articles the expectation counts for beside the similarities seen."""


class ConStream(Baseline):
    """Each article joins the nearest droplet unless its similarity is an outlier there.

    The paper says how a droplet judges by the similarities it has seen, not how before it has seen
    any: the similarities a young droplet expects are ours, for terms and for sentence vectors.
    Look-alike stories are more similar than that, so tuning also tries negative r, which asks for
    more than the mean; the SCStory paper tunes r from 0 to 3.
    """

    name = "constream"
    ranges: ClassVar[Mapping[str, Range]] = {
        "r": Range(
            2.0, (-3.0, -2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0), (-math.inf, math.inf)
        )
    }

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.sums = term_counts([])
        """Decayed counts, a row per droplet."""
        self.past: Floats = np.empty((0, 3))
        """Decayed weight, sum and sum of squares of the similarities, a row per droplet."""
        self.touched: Floats = np.empty(0)
        """Days from the epoch to when each droplet was last touched."""
        self.numbers: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        """The story of each droplet."""

    def decide(self, scope: Scope, new: Ints) -> None:
        """Assign the new articles one by one; products follow the droplets as they change."""
        features = self._features(scope, new)
        view = InnerProducts.of(features, self.sums)
        count, known = view.with_stories.shape
        products = np.hstack([view.with_stories, np.zeros((count, count))])
        norms = np.concatenate([view.story_norms, np.zeros(count)])
        past = np.vstack([self.past, np.tile(self._founding_past(), (count, 1))])
        touched = np.concatenate([self.touched, np.zeros(count)])
        numbers = np.concatenate([self.numbers, np.zeros(count, dtype=np.int64)])
        # How much of each old droplet, then of each new article, is in each droplet.
        parts = np.hstack([np.eye(known + count, known), np.zeros((known + count, count))])

        droplets = known
        for i in range(count):
            now = float(scope.window.times[new[i]]) / DAY
            own = view.with_articles[i, i]
            similarities = _cosines(products[i, :droplets], norms[:droplets] * own)
            nearest = int(np.argmax(similarities)) if droplets else 0
            if droplets and self._within(similarities[nearest], past[nearest]):
                decay = 2 ** (-(now - touched[nearest]) / DROPLET_HALF_LIFE)
                past[nearest] *= decay
                past[nearest] += similarities[nearest] ** np.arange(3)
            else:
                nearest, decay = droplets, 0.0
                numbers[nearest] = scope.new_story()
                droplets += 1
            norms[nearest] = decay * (decay * norms[nearest] + 2 * products[i, nearest]) + own
            products[:, nearest] = decay * products[:, nearest] + view.with_articles[:, i]
            parts[nearest] *= decay
            parts[nearest, known + i] += 1
            touched[nearest] = now
            scope.window.story[new[i]] = numbers[nearest]

        stay = np.sort(np.argsort(-touched[:droplets], kind="stable")[:CAP])
        self.past, self.touched, self.numbers = past[stay], touched[stay], numbers[stay]
        self.sums = combine(parts[stay], [self.sums, features])
        if not self.pse:
            self.sums.data[self.sums.data < FAINT] = 0
            self.sums.eliminate_zeros()

    def resumable(self) -> Collection[int]:
        """Return the stories of the droplets."""
        return set(self.numbers.tolist())

    def remember(self) -> tuple[dict[str, Any], Arrays]:
        """Return the droplets."""
        own = {"past": self.past, "touched": self.touched, "numbers": self.numbers}
        return {}, {**own, **pack(self.sums)}

    def recall(self, scope: Scope, meta: Mapping[str, Any], arrays: Arrays) -> None:
        """Take the droplets back."""
        self.past, self.touched = arrays["past"], arrays["touched"]
        self.numbers, self.sums = arrays["numbers"], unpack(arrays)

    def _features(self, scope: Scope, new: Ints) -> csr_array:
        if self.pse:
            return mean_rows([scope.window.members[i] for i in new])
        return term_table(scope, new)

    def _within(self, similarity: float, past: Floats) -> bool:
        return 0 < similarity >= limit(past, self.parameters["r"])

    def _founding_past(self) -> Floats:
        mean, deviation = EXPECTED["pse" if self.pse else "native"]
        return EXPECTED_WEIGHT * np.array([1.0, mean, mean**2 + deviation**2])


def limit(past: Floats, r: float) -> float:
    """Return the least similarity whose standard score against the past ones is within r."""
    weight, total, squares = past
    mean = total / weight
    return float(mean - r * np.sqrt(max(squares / weight - mean**2, 0.0)))


def _cosines(products: Floats, squared_lengths: Floats) -> Floats:
    """Return cosines; an article or droplet without any term is similar to nothing."""
    usable = squared_lengths > 1e-24
    lengths = np.sqrt(squared_lengths, out=np.ones_like(products), where=usable)
    return np.where(usable, products / lengths, -1.0)
