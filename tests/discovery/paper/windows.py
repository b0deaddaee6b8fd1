"""Windows of a method that has M."""

from __future__ import annotations

from scstory.discovery.paper.embedding import model_columns
from scstory.discovery.window import Window
from scstory.vectors import encode_articles
from tests.conftest import START, make_article


def empty_window(dim) -> Window:
    return Window(model_columns(dim))


def make_window(encoder, count=6, topics=("flood", "trial")) -> Window:
    """Return a window of articles in their right stories, which are numbered as the topics."""
    window = empty_window(encoder.dim)
    articles = [make_article(n, topic) for n in range(count) for topic in topics]
    window.append(encode_articles(articles, encoder), not_before=START.timestamp())
    window.story[:] = [topics.index(article.id.split("-")[0]) for article in articles]
    window.confidence[:] = 1
    return window


def at(centre):
    """Return what is subtracted from sentences, wherever they stand."""
    return None if centre is None else lambda rows: centre
