"""Late articles: their time has left the window, so they go with what the store remembers of it.

The window is not touched. An article is compared, by its terms, with the stories of the articles
published around its own time; if none fits well it is a past story of its own.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.sparse import csr_array, vstack

from scstory.discovery import StoryDiscovery
from scstory.store import ArticleRecord, Store
from scstory.text import keywords, split_article, term_counts, terms
from scstory.types import Article, Assignment, KeySentence, RunnerUp, Story

FITS = 0.35
"""The cosine of terms from which an article and a story fit."""
REMEMBERED = 20_000
"""Articles whose terms are kept at hand: late ones tend to come many at a time."""


class LatePlacer:
    """Finds a place for articles that are older than the window."""

    def __init__(self, engine: StoryDiscovery, store: Store) -> None:
        self._engine, self._store = engine, store
        self._counts = lru_cache(REMEMBERED)(_counts)

    def place(self, article: Article) -> tuple[Assignment, Story]:
        """Return the decision on a late article, and its story with the article in it."""
        found, runners_up = self._nearest(article)
        before = self._store.story(found.story) if found else None
        if found is None or before is None:
            return self._alone(article, runners_up)
        self._engine.admit_late(article.published, before.id)
        told = Story(
            before.id,
            before.title,
            before.keywords,
            before.key_sentences,
            min(before.first_seen, article.published),
            max(before.last_seen, article.published),
            (*before.articles, article.id),
            before.size + 1,
            before.confidence,
            before.active,
        )
        decision = Assignment(article.id, told.id, found.confidence, False, runners_up=runners_up)
        return decision, told

    def _alone(
        self, article: Article, runners_up: tuple[RunnerUp, ...]
    ) -> tuple[Assignment, Story]:
        """Return a past story of this one article."""
        number = self._engine.admit_late(article.published)
        sentences = split_article(article, max_sentences=self._engine.parameters.max_sentences)
        told = Story(
            id=number,
            title=article.title or sentences[0],
            keywords=keywords([f"{article.title}. {article.text}"], self._engine.statistics),
            key_sentences=tuple(KeySentence(text, article.id, 1.0) for text in sentences[1:2]),
            first_seen=article.published,
            last_seen=article.published,
            articles=(article.id,),
            size=1,
            confidence=1.0,
            active=False,
        )
        return Assignment(article.id, number, 1.0, True, runners_up=runners_up), told

    def _nearest(self, article: Article) -> tuple[RunnerUp | None, tuple[RunnerUp, ...]]:
        """Return the story that fits, if one does, and the next best."""
        around = self._engine.parameters.window_length
        records = [
            record
            for record in self._store.articles_between(
                article.published - around, article.published + around
            )
            if record.assignment is not None and record.article.text
        ]
        if not records:
            return None, ()
        weigh = self._engine.statistics.tfidf
        own = weigh(self._counts(article))
        others = weigh(csr_array(vstack([self._counts(record.article) for record in records])))
        stories, column = np.unique([_story(record) for record in records], return_inverse=True)
        belongs = csr_array((np.ones(len(records)), (column, np.arange(len(records)))))
        sums = belongs @ others
        lengths = np.sqrt(np.asarray((sums * sums).sum(axis=1)).ravel())
        cosines = (sums @ own.T).toarray().ravel() / np.maximum(lengths, 1e-12)
        best = np.argsort(-cosines, kind="stable")[:4]
        ranked = [RunnerUp(int(stories[k]), float(cosines[k])) for k in best]
        if ranked[0].confidence < FITS:
            return None, tuple(ranked[:3])
        return ranked[0], tuple(ranked[1:])


def _counts(article: Article) -> csr_array:
    return term_counts([terms(f"{article.title}\n{article.text}")])


def _story(record: ArticleRecord) -> int:
    assert record.assignment is not None
    return record.assignment.story
