"""Late articles: their time has left the window, so they are compared with what the store has.

The window is not changed. An article is compared, by its terms, with the stories of the articles
published around its own time, up to the open slide; if none is similar enough, the article is a
past story of its own.
"""

from dataclasses import replace
from functools import lru_cache

import numpy as np
from scipy.sparse import csr_array, vstack

from scstory.discovery import Engine
from scstory.discovery.slides import slide_start
from scstory.runners.past_story import past_story
from scstory.store import Store
from scstory.text import term_counts, terms
from scstory.text.language import language_of
from scstory.types import Article, Assignment, RunnerUp, Story

SIMILAR = 0.3
"""The smallest cosine of terms with which an article joins a story."""
CACHED_ARTICLES = 20_000
"""Articles whose terms are cached: late ones tend to come many at a time."""


class LatePlacer:
    """Finds a place for articles that are older than the window."""

    def __init__(self, engine: Engine, store: Store) -> None:
        self._engine, self._store = engine, store
        self._counts = lru_cache(CACHED_ARTICLES)(self._counts_of)

    def place(self, article: Article) -> tuple[Assignment, Story]:
        """Return the decision on a late article, and its story with the article, as a past one."""
        found, runners_up = self._nearest(article)
        before = self._store.story(found.story) if found else None
        if found is None or before is None:
            return self._alone(article, runners_up)
        self._engine.admit_late(article.published, before.id)
        story = replace(
            before,
            first_seen=min(before.first_seen, article.published),
            last_seen=max(before.last_seen, article.published),
            articles=(*before.articles, article.id),
            size=before.size + 1,
            active=False,
        )
        decision = Assignment(article.id, story.id, found.confidence, False, runners_up=runners_up)
        return decision, story

    def _alone(
        self, article: Article, runners_up: tuple[RunnerUp, ...]
    ) -> tuple[Assignment, Story]:
        """Return a past story of this one article."""
        number = self._engine.admit_late(article.published)
        story = past_story(self._engine, number, [article])
        return Assignment(article.id, number, 1.0, True, runners_up=runners_up), story

    def _counts_of(self, article: str) -> csr_array:
        """Return the terms of a stored article, only those of its title if its text was dropped."""
        row = self._store.article(article)
        assert row is not None
        return _counts(row.article)

    def _nearest(self, article: Article) -> tuple[RunnerUp | None, tuple[RunnerUp, ...]]:
        """Return the most similar story, if it is similar enough, and the next ones."""
        settings, current = self._engine.settings, self._engine.current_slide
        assert current is not None
        around, open_from = settings.window_length, slide_start(current, settings.slide_length)
        decided = self._store.decided_between(
            article.published - around, min(article.published + around, open_from)
        )
        if not decided:
            return None, ()
        weigh = self._engine.statistics.tfidf
        own = weigh(_counts(article))
        others = weigh(vstack([self._counts(other) for other, _ in decided], format="csr"))
        stories, column = np.unique([story for _, story in decided], return_inverse=True)
        belongs = csr_array((np.ones(len(decided)), (column, np.arange(len(decided)))))
        sums = belongs @ others
        lengths = np.sqrt(np.asarray((sums * sums).sum(axis=1)).ravel())
        cosines = (sums @ own.T).toarray().ravel() / np.maximum(lengths, 1e-12)
        best = np.argsort(-cosines, kind="stable")[:4]
        ranked = [RunnerUp(int(stories[k]), float(cosines[k])) for k in best]
        if ranked[0].confidence < SIMILAR:
            return None, tuple(ranked[:3])
        return ranked[0], tuple(ranked[1:])


def _counts(article: Article) -> csr_array:
    return term_counts([terms(f"{article.title}\n{article.text}", language_of(article))])
