"""NewsLens (Laban and Hearst, 2017): communities of articles that share keywords.

In every window, two articles that share at least k keywords have an edge, as heavy as they share
keywords, and Louvain finds communities. A community continues the story that most of its articles
seen before are in; those of other stories move over, and so stories merge. A community of new
articles alone resumes the lapsed story with the most similar keywords, if that is similar enough,
or is a new story.
"""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_array, vstack

from scstory.baselines.baseline import Baseline, Range, article_terms
from scstory.baselines.lapsed import LapsedStories, belongs
from scstory.baselines.louvain import louvain
from scstory.baselines.sparse_sums import combine, mean_rows, pack, unpack
from scstory.discovery.method import Arrays, Scope, prefixed, unprefixed
from scstory.discovery.window import Ints, Window
from scstory.text import TermStatistics, names_in, term_counts, terms
from scstory.text.languages import letters_in
from scstory.types import EncodedArticle

TERMS, NAMES = 10, 10
"""At most so many terms and so many names are an article's keywords."""
LAPSED = 1000
"""Stories whose keywords are kept after their articles left the window, the latest to leave."""


class NewsLens(Baseline):
    """Louvain communities of articles by shared keywords, continued from window to window.

    The authors have no variant on sentence vectors; ours replaces k by the least cosine of an edge,
    which is as heavy as the cosine. Vectors of unrelated articles are far from orthogonal, so both
    thresholds are higher there.
    """

    name = "newslens"
    library = "igraph"
    ranges: ClassVar[Mapping[str, Range]] = {
        "k": Range(3, (1, 2, 3, 4, 5, 6), (1, math.inf)),
        "T": Range(0.5, (0.0, 0.25, 0.5, 0.75, 1.0), (0, 1)),
    }
    pse_ranges: ClassVar[Mapping[str, Range]] = {
        "edge": Range(0.7, (0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.9), (0, 1)),
        "T": Range(0.75, (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0), (0, 1)),
    }

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.rows = term_counts([])
        """The keywords of each member, chosen when it came, or its mean sentence vector."""
        self.left = LapsedStories()

    def decide(self, scope: Scope, new: Ints) -> None:
        """Find the communities of the window, and the story of each."""
        window = scope.window
        self.rows = vstack([self.rows, self._features(scope, new)], format="csr")
        communities = louvain(len(window), *self._edges(len(window)))
        owner = owners(communities, window.story[: new[0]].tolist())
        unowned = [community for community, story in enumerate(owner) if story is None]
        lapsed = self._lapsed(communities, unowned, set(window.story.tolist()))
        resumed = dict(zip(unowned, lapsed, strict=True))
        stories = [
            story or resumed[community] or scope.new_story()
            for community, story in enumerate(owner)
        ]
        window.story[:] = [stories[community] for community in communities]

    def evict(self, scope: Scope, gone: Window) -> None:
        """Add the keywords of what left to those of its stories."""
        if not len(gone):
            return
        self.left.add(gone.story.tolist(), self.rows[: len(gone)], gone.times)
        self.left.keep(latest=LAPSED)
        self.rows = self.rows[len(gone) :]

    def resumable(self) -> Collection[int]:
        """Return the lapsed stories."""
        return self.left.stories

    def remember(self) -> tuple[dict[str, Any], Arrays]:
        """Return the keywords of members and of stories."""
        stories, left = self.left.state()
        return {"left": stories}, {**prefixed("rows", pack(self.rows)), **prefixed("left", left)}

    def recall(self, scope: Scope, meta: Mapping[str, Any], arrays: Arrays) -> None:
        """Take the keywords back."""
        self.rows = unpack(unprefixed("rows", arrays))
        self.left.restore(meta["left"], unprefixed("left", arrays))

    def _features(self, scope: Scope, new: Ints) -> csr_array:
        articles = [scope.window.members[i] for i in new]
        if self.pse:
            return mean_rows(articles)
        return term_counts([article_keywords(member, scope.statistics) for member in articles])

    def _edges(self, count: int) -> tuple[list[tuple[int, int]], list[float]]:
        if self.pse:
            vectors = self.rows.data.reshape(count, -1)  # no row has gaps
            alike, least = vectors @ vectors.T, self.parameters["edge"]
        else:
            alike, least = (self.rows @ self.rows.T).toarray(), self.parameters["k"]
        one, other = np.nonzero(np.triu(alike >= least, k=1))
        pairs = list(zip(one.tolist(), other.tolist(), strict=True))
        return pairs, alike[one, other].tolist()

    def _lapsed(
        self, communities: list[int], chosen: list[int], active: Collection[int]
    ) -> list[int | None]:
        """Return the lapsed story that each of the chosen communities resumes, None for none."""
        now = combine(belongs(communities, chosen), [self.rows])
        stories, cosines = self.left.cosines(now, active)
        if not stories:
            return [None] * len(chosen)
        best = cosines.argmax(axis=1)
        return [
            stories[j] if cosines[i, j] > self.parameters["T"] else None
            for i, j in enumerate(best.tolist())
        ]


def owners(communities: Sequence[int], stories: Sequence[int]) -> list[int | None]:
    """Return the story that owns most of each community, the older of two that own as much.

    The stories are those of the articles seen before, who come first.

    >>> owners([0, 0, 0, 1, 1, 2], [4, 7, 7, 4])
    [7, 4, None]
    """
    found: list[Counter[int]] = [Counter() for _ in range(max(communities) + 1)]
    for community, story in zip(communities, stories, strict=False):
        found[community][story] += 1
    return [min(seen, key=lambda s: (-seen[s], s)) if seen else None for seen in found]


def article_keywords(member: EncodedArticle, statistics: TermStatistics) -> list[str]:
    """Return the terms with the highest TF-IDF and the most telling names of an article.

    A name is as rare as its rarest word. Names come from the body only: a title may be capitalised
    all through.
    """
    words = Counter(w for w in article_terms(member) if letters_in(w) > 2 and not w[0].isdecimal())
    language = member.reading.language
    body = member.sentences[1:] if member.article.title.strip() else member.sentences
    named = chain.from_iterable(names_in(member.article.title, body, language).body)
    found = (terms(name, language) for name in named)
    names = Counter(" ".join(name) for name in found if name)  # initials are not names
    rarity = {name: max(map(statistics.idf, name.split())) for name in names}
    best = _best(
        {word: (1 + math.log(n)) * statistics.idf(word) for word, n in words.items()}, TERMS
    )
    return list(
        dict.fromkeys(best + _best({n: (1 + math.log(names[n])) * rarity[n] for n in names}, NAMES))
    )


def _best(scores: Mapping[str, float], count: int) -> list[str]:
    """Return the keys with the highest scores; of equal ones those that came first."""
    return sorted(scores, key=lambda key: -scores[key])[:count]
