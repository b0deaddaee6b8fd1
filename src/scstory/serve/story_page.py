"""What the page of a story shows."""

from itertools import groupby
from typing import Any

from scstory.serve.api import found_story
from scstory.serve.service import Service
from scstory.serve.story_query import encode_cursor
from scstory.store.records import Cursor

STORY_ARTICLES = 60
"""The most articles on a story's page."""


def story_values(service: Service, story: int, after: Cursor | None) -> dict[str, Any]:
    """Return a story with a page of its articles by day."""
    browser = service.browser
    row = found_story(service, story)
    articles, more = browser.article_page(story, after=after, limit=STORY_ARTICLES)
    shown = {article.id: article for article in articles}
    days = groupby(articles, key=lambda article: article.published.date())
    return {
        "story": row,
        "counts": browser.timeline(story),
        "days": [(day, list(rows)) for day, rows in days],
        "origins": {
            key.article: shown.get(key.article) or browser.article(key.article)
            for key in row.key_sentences
        },
        "related": browser.related(story),
        "next": encode_cursor("articles", more),
    }
