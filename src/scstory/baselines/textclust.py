"""A reference point: river's TextClust (Carnein, Assenmacher and Trautmann, 2017).

Micro-clusters of faded term counts, compared by TF-IDF over the micro-clusters there are. A text
joins the nearest one within a radius or opens one; from time to time, micro-clusters that faded
away are dropped, and those within the radius of each other merge. A micro-cluster is a story.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, ClassVar

from numpy.typing import NDArray
from river.cluster import TextClust as RiverTextClust

from scstory.baselines.base import Baseline, Range, article_terms, days
from scstory.discovery.window import EPOCH

HALF_LIFE = 7.0
"""Days in which a micro-cluster and its terms fade to a half."""
CLEANUP = 7.0
"""Days between clean-ups. River drops what has faded as far as one text does in this time, so a
text that stays alone lives for one to two of them."""

_MODEL = ("t", "last_cleanup", "n", "_cluster_id", "_dist_mean", "_num_merged_obs")
_MICRO = ("id", "weight", "time", "oldweight", "deltaweight", "n")


class _Model(RiverTextClust):  # type: ignore[misc]
    """TextClust that tells which micro-cluster the last text joined."""

    joined: int | None = None

    def _get_closest_mc(self, mc: Any, idf: Any, distance: Any) -> Any:
        self.joined, nearest = super()._get_closest_mc(mc, idf, distance)
        return self.joined, nearest


class TextClust(Baseline):
    """River's TextClust, fading by publication time.

    It only knows text, so `+pse` equals the native one. The untuned radius is the distance at the
    untuned similarity of the TF-IDF single pass.
    """

    name = "textclust"
    ranges: ClassVar[Mapping[str, Range]] = {"radius": Range(0.8, (0.5, 0.6, 0.7, 0.8, 0.9))}

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.model = _Model(
            radius=self.parameters["radius"], fading_factor=1 / HALF_LIFE, tgap=CLEANUP
        )
        self.stories_of: dict[int, int] = {}
        """The story of each micro-cluster."""

    def decide(self, first: int) -> None:
        """Have each article learnt: that is when it joins a micro-cluster."""
        for i in range(first, len(self.members)):
            counts = Counter(article_terms(self.members[i]))
            opened, self.model.joined = self.model._cluster_id, None
            self.model.learn_one(counts, t=days(self.time_of(i), EPOCH))
            micro = opened if self.model.joined is None else self.model.joined
            if micro not in self.stories_of:
                self.stories_of[micro] = self.new_story()
            self.story[i] = self.stories_of[micro]
            if not counts:  # river skips it, and gives its number to the next
                del self.stories_of[micro]
            self._follow_merges()

    def remember(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return the micro-clusters, in order: sums and ties depend on it."""
        micros = [
            {
                **{name: getattr(micro, name) for name in _MICRO},
                "tf": [[term, value["tf"]] for term, value in micro.tf.items()],
            }
            for micro in self.model.micro_clusters.values()
        ]
        model = {name: getattr(self.model, name) for name in _MODEL}
        return {"model": model, "micros": micros, "stories": list(self.stories_of.items())}, {}

    def recall(self, meta: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Build the micro-clusters again."""
        for name in _MODEL:
            setattr(self.model, name, meta["model"][name])
        self.model.micro_clusters = {}
        for saved in meta["micros"]:
            micro = self.model.MicroCluster({}, saved["time"], saved["weight"], None, saved["id"])
            for name in _MICRO:
                setattr(micro, name, saved[name])
            micro.tf = {term: {"tf": value} for term, value in saved["tf"]}
            self.model.micro_clusters[micro.id] = micro
        self.stories_of = dict(meta["stories"])

    def _follow_merges(self) -> None:
        """Move the articles of merged micro-clusters, and forget the ones that are gone."""
        for number, micro in self.model.micro_clusters.items():
            for merged in micro.merged_ids:
                gone, stays = self.stories_of.pop(merged), self.stories_of[number]
                self.story[:] = [stays if story == gone else story for story in self.story]
            micro.merged_ids.clear()
        if len(self.stories_of) > len(self.model.micro_clusters):
            alive = self.model.micro_clusters
            self.stories_of = {m: s for m, s in self.stories_of.items() if m in alive}
