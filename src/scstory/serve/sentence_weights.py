"""The sentences of an article with their weights."""

from scstory.store.records import ArticleRow
from scstory.text import split_article


def weighted_sentences(row: ArticleRow) -> list[tuple[str, float]]:
    """Return the sentences with their weights, which are equal until the article is decided."""
    if not row.weights:
        sentences = split_article(row.article)
        return [(sentence, 1 / len(sentences)) for sentence in sentences]
    sentences = split_article(row.article, max_sentences=len(row.weights))
    return list(zip(sentences, row.weights, strict=False))
