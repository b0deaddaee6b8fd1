"""An article's sentences, each with what it counted."""

from __future__ import annotations

from scstory.store.views import ArticleRow
from scstory.text import split_article
from scstory.types import Article


def weighted(row: ArticleRow) -> list[tuple[str, float]]:
    """Return an article's sentences with their weights; evenly weighted if not decided yet."""
    article = Article(row.id, row.published, row.title, row.text, language=row.language)
    if not row.weights:
        sentences = split_article(article)
        return [(sentence, 1 / len(sentences)) for sentence in sentences]
    sentences = split_article(article, max_sentences=len(row.weights))
    return list(zip(sentences, row.weights, strict=False))
