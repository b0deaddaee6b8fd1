"""A reference point: river's TextClust (Carnein, Assenmacher and Trautmann, 2017).

Micro-clusters of faded term counts, compared by TF-IDF over the micro-clusters there are. A text
joins the nearest one within a radius or opens one; from time to time, micro-clusters that faded
away are dropped, and those within the radius of each other merge. A micro-cluster is a story.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from functools import cache
from typing import Any, ClassVar

from scstory.baselines.baseline import DAY, Baseline, Range, article_terms
from scstory.discovery.method import Arrays, Scope
from scstory.discovery.window import Ints
from scstory.extras import load_extra

FADING_HALF_LIFE = 7.0
"""Days in which a micro-cluster and its terms fade to a half."""
CLEANUP = 7.0
"""Days between clean-ups. River drops what has faded as far as one text does in this time, so a
text that stays alone lives for one to two of them."""

_MODEL = ("t", "last_cleanup", "n", "_cluster_id", "_dist_mean", "_num_merged_obs")
_MICRO = ("id", "weight", "time", "oldweight", "deltaweight", "n")


@cache
def _model_class() -> Any:
    """Return river's TextClust, extended to report which micro-cluster the last text joined."""
    river: Any = load_extra("river.cluster", extra="research", purpose="the system textclust")

    class Model(river.TextClust):  # type: ignore[misc]
        joined: int | None = None

        def _get_closest_mc(self, mc: Any, idf: Any, distance: Any) -> Any:
            self.joined, nearest = super()._get_closest_mc(mc, idf, distance)
            return self.joined, nearest

    return Model


class TextClust(Baseline):
    """River's TextClust, fading by publication time.

    It only knows text, so `+pse` equals the native one. The untuned radius is the distance at the
    untuned similarity of the TF-IDF single pass; it and the times of fading are ours.
    """

    name = "textclust"
    library = "river"
    ranges: ClassVar[Mapping[str, Range]] = {
        "radius": Range(0.8, (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95), (0, 1))
    }

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.model = _model_class()(
            radius=self.parameters["radius"], fading_factor=1 / FADING_HALF_LIFE, tgap=CLEANUP
        )
        self.stories_of: dict[int, int] = {}
        """The story of each micro-cluster."""

    def decide(self, scope: Scope, new: Ints) -> None:
        """Learn each article: that is when it joins a micro-cluster."""
        story = scope.window.story
        for i in new.tolist():
            counts = Counter(article_terms(scope.window.members[i]))
            opened, self.model.joined = self.model._cluster_id, None
            self.model.learn_one(counts, t=float(scope.window.times[i]) / DAY)
            micro = opened if self.model.joined is None else self.model.joined
            if micro not in self.stories_of:
                self.stories_of[micro] = scope.new_story()
            story[i] = self.stories_of[micro]
            if not counts:  # river skips it, and gives its number to the next
                del self.stories_of[micro]
            self._follow_merges(story)

    def resumable(self) -> Collection[int]:
        """Return the stories of the micro-clusters."""
        return self.stories_of.values()

    def remember(self) -> tuple[dict[str, Any], Arrays]:
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

    def recall(self, scope: Scope, meta: Mapping[str, Any], arrays: Arrays) -> None:
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

    def _follow_merges(self, story: Ints) -> None:
        """Move the articles of merged micro-clusters, and forget the ones that are gone."""
        for number, micro in self.model.micro_clusters.items():
            for merged in micro.merged_ids:
                gone, stays = self.stories_of.pop(merged), self.stories_of[number]
                story[story == gone] = stays
            micro.merged_ids.clear()
        if len(self.stories_of) > len(self.model.micro_clusters):
            alive = self.model.micro_clusters
            self.stories_of = {m: s for m, s in self.stories_of.items() if m in alive}
