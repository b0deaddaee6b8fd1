"""What the page of a story shows. No sentence stands on it twice."""

from collections.abc import Iterable
from itertools import groupby
from typing import Any, NamedTuple

from scstory.serve.api import found_story
from scstory.serve.desk_page import desk_values
from scstory.serve.front import pictured
from scstory.serve.service import Service
from scstory.serve.story_query import encode_cursor
from scstory.store.records import Cursor, StoryRow
from scstory.store.rewritten import Rewritten
from scstory.text.phrases import plain
from scstory.types import Headline, KeySentence, Milestone, Quote

STORY_ARTICLES = 60
"""The most articles on a story's page."""
STRAND, ALSO_IN = 5, 8
"""The most other stories of its thread, and of articles that are also about it."""


MIN_MILESTONES = 2
"""With fewer, nothing has developed."""


class Sentences(NamedTuple):
    """What a story says: below its title, day by day, and, without a summary, what is typical."""

    standfirst: list[Quote]
    milestones: list[Milestone]
    key: list[KeySentence]


def story_values(service: Service, story: int, after: Cursor | None) -> dict[str, Any]:
    """Return a story with a page of its articles by day."""
    browser = service.browser
    row = found_story(service, story)
    articles, more = browser.article_page(story, after=after, limit=STORY_ARTICLES)
    shown = {article.id: article for article in articles}
    days = groupby(articles, key=lambda article: article.published.date())
    said = sentences(row)
    rewritten = browser.rewritten(row)
    quoted = {quote.article for part in said for quote in part}
    titled = row.title_article and (
        shown.get(row.title_article) or browser.article(row.title_article)
    )
    return {
        "story": row,
        "said": said,
        "pictured": pictured(service, [row]),
        "rewritten": rewritten,
        "cited": _numbered(rewritten),
        "standfirst": {plain(quote.text) for quote in said.standfirst},
        "earlier": _earlier(row),
        "origins": {id_: shown.get(id_) or browser.article(id_) for id_ in quoted},
        "language": titled.language if titled else None,
        "counts": browser.timeline(story),
        "days": [(day, list(rows)) for day, rows in days],
        "reports": browser.outlets(story),
        "related": browser.related(story),
        "next": encode_cursor("articles", more),
        **_overview_of(service, row),
        **desk_values(service, story, articles),
    }


def _overview_of(service: Service, story: StoryRow) -> dict[str, Any]:
    """Return the section of a story, its thread, and the articles that are also about it."""
    browser = service.browser
    thread = browser.thread(story.id)
    strand = browser.thread_stories(thread.id, limit=STRAND + 1) if thread else []
    return {
        "section": browser.section_of(story.id),
        "thread": thread,
        "strand": [other for other in strand if other.id != story.id][:STRAND],
        "also_in": browser.also_in(story.id, limit=ALSO_IN),
    }


def _numbered(rewritten: Rewritten | None) -> dict[str, int]:
    """Return the articles that a rewritten summary cites, numbered."""
    cited = (
        [article for said in rewritten.sentences for article in said.articles] if rewritten else []
    )
    return {article: number for number, article in enumerate(dict.fromkeys(cited), 1)}


def sentences(story: StoryRow) -> Sentences:
    """Return the sentences of a story for its page, each of them once.

    A milestone whose sentence is in the standfirst stays, for its day; the page shows the headline
    of its article instead.
    """
    said = {plain(story.title)}
    standfirst = _new(story.summary, said)
    milestones = [m for m in story.milestones if plain(m.text) != plain(story.title)]
    if len(milestones) < MIN_MILESTONES:
        milestones = []
    said |= {plain(milestone.text) for milestone in milestones}
    key = [] if story.summary else _new(story.key_sentences, said)
    return Sentences(standfirst, milestones, key)


def _earlier(story: StoryRow) -> list[Headline]:
    """Return the earlier titles, the latest first, each once and without the present one."""
    return _new(reversed(story.headlines), {plain(story.title)})


def _new(quotes: Iterable[Any], said: set[str]) -> list[Any]:
    """Return the quotes that have not been said, and remember them."""
    found = []
    for quote in quotes:
        if plain(quote.text) not in said:
            said.add(plain(quote.text))
            found.append(quote)
    return found
