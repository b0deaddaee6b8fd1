"""Also about: the other stories that some sentences of an article are about.

Sentences in a row that fit another story better than the article's own are a block. The article is
also about the other story if the block is like it, and both the block and the story are unlike the
rest of the article: otherwise the two stories are merely similar.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import log1p

import numpy as np

from scstory.discovery.overview.closing import NewArticle
from scstory.discovery.overview.outline import KEYED, USED, Outline, likeness
from scstory.discovery.overview.settings import OverviewSettings
from scstory.discovery.window import Floats, Ints
from scstory.text import BUCKETS
from scstory.text.quotable import quotable


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """What all vectors have in common, and how alike two articles of one story are on average."""

    centre: Floats
    scale: float


@dataclass(frozen=True, slots=True)
class Mention:
    """A story that an article is also about, and the sentences that say so, in their order."""

    article: str
    story: int
    likeness: float
    sentences: tuple[str, ...]


def rare_terms(article: NewArticle, seen: float, settings: OverviewSettings) -> list[int]:
    """Return the rarest terms and names of an article, by which other stories are looked up.

    Those of this article alone find none. `seen` is how many articles the stream has had.
    """
    columns = article.member.reading.columns
    alone = log1p(seen) + 1 - log1p(settings.fewest_articles_with_term)
    keyed = np.flatnonzero(np.isin(columns // BUCKETS, KEYED) & (article.idf <= alone))
    best = keyed[np.lexsort((columns[keyed], -article.idf[keyed]))][: settings.rarest]
    return [int(column) for column in columns[best]]


def find_mentions(
    article: NewArticle,
    own: Outline | None,
    others: Mapping[int, Outline],
    basis: Basis,
    settings: OverviewSettings,
) -> Iterator[Mention]:
    """Yield the stories that an article is also about; `own` is the outline of its story."""
    count = len(article.member.sentences)
    if count < settings.fewest_sentences or not others:
        return
    centre, scale = basis.centre, basis.scale
    sentences = _Sentences(article, centre, settings)
    language = article.member.reading.language
    quoted = {
        place: text
        for place, sentence in enumerate(article.member.sentences)
        if (text := quotable(sentence, language))
    }
    fit_own = sentences.fit(own or sentences.outline(np.arange(count)))
    for story, other in others.items():
        gain = sentences.fit(other) - fit_own - settings.sentence
        block = best_block(gain)
        if len(block) < settings.block or len(block) == count:
            continue
        rest = np.setdiff1d(np.arange(count), block)
        said, left = sentences.outline(block), sentences.outline(rest)
        alike = likeness(said, other, centre)
        foreign = max(likeness(said, left, centre), likeness(left, other, centre))
        if alike < settings.mentioned * scale or alike < foreign + settings.rest * scale:
            continue
        # Credits and links say nothing of a story, however often one outlet repeats them.
        telling = [i for i in block[np.lexsort((block, -gain[block]))].tolist() if i in quoted]
        if telling:
            texts = tuple(quoted[i] for i in sorted(telling[: settings.shown]))
            yield Mention(article.member.article.id, story, alike, texts)


def best_block(gain: Floats) -> Ints:
    """Return the places in a row whose gains have the largest sum."""
    sums = np.concatenate([[0.0], np.cumsum(gain)])
    lowest = np.minimum.accumulate(sums[:-1])
    end = int(np.argmax(sums[1:] - lowest))
    start = int(np.argmin(sums[: end + 1]))
    return np.arange(start, end + 1)


class _Sentences:
    """The sentences of an article, by their vectors and terms."""

    def __init__(self, article: NewArticle, centre: Floats, settings: OverviewSettings) -> None:
        reading = article.member.reading
        self._vectors = article.member.vectors.astype(np.float64)
        rest = self._vectors - centre
        norms = np.sqrt((rest**2).sum(axis=1, keepdims=True))
        self._centred, self._centre = rest / np.maximum(norms, 1e-12), centre
        self._columns, self._idf = reading.columns, article.idf
        self._uses, self._used_in = reading.uses, reading.used_in
        self._kept = settings.terms

    def fit(self, story: Outline) -> Floats:
        """Return how well each sentence fits a story, by its vector and by its terms."""
        by_vector = self._centred @ story.centred(self._centre)
        weights = story.weigh(self._columns)
        pairs = np.unique(np.stack([self._used_in, self._uses]), axis=1)
        by_terms = np.bincount(pairs[0], weights[pairs[1]], minlength=len(self._vectors))
        return np.asarray(by_vector + by_terms)

    def outline(self, chosen: Ints) -> Outline:
        """Return the outline of some sentences."""
        here = np.isin(self._used_in, chosen)
        counts = np.bincount(self._uses[here], minlength=len(self._columns))
        weights = np.where(counts > 0, (1 + np.log(np.maximum(counts, 1))) * self._idf, 0.0)
        kept = []
        for field in USED:
            own = np.flatnonzero((self._columns // BUCKETS == field) & (counts > 0))
            best = np.sort(own[np.lexsort((self._columns[own], -weights[own]))][: self._kept])
            weights[best] /= max(float(np.sqrt((weights[best] ** 2).sum())), 1e-12)
            kept.append(best)
        places = np.sort(np.concatenate(kept))
        return Outline(
            self._vectors[chosen].mean(axis=0).astype(np.float32),
            self._columns[places],
            weights[places].astype(np.float32),
        )
