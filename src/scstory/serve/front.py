"""What the front page shows, and since when a reader has not seen it."""

import time
from collections import Counter
from datetime import UTC, datetime
from textwrap import shorten
from typing import Any

from fastapi import Request

from scstory.serve.service import Service
from scstory.store.records import ArticleRow, StoryQuery, StoryRow
from scstory.text.phrases import plain

FRONT_STORIES, FRONT_SINGLES, FRONT_ENDED, FRONT_LATEST = 24, 30, 12, 12
"""The most stories, stories of one article, ended stories and latest articles on the front page."""
LATEST_PER_STORY, LEAD_HEADLINES = 3, 3
"""The most latest articles of one story, and further headlines of the first story."""
LEAD_DECK, DECK = 320, 190
"""The most characters below the headline of the first story, and of others."""
DECKS = 5
"""How many stories of the front page have a sentence below their headline."""
VISIT_COOKIE = "visit"
VISIT_PAUSE = 30 * 60
"""Seconds without a request after which the next one begins a new visit."""


def front_values(service: Service, seen: int | None) -> dict[str, Any]:
    """Return what the front page shows to a reader whose last visit saw that event."""
    browser, event = service.browser, service.hub.version.event
    of_several = StoryQuery(active=True, min_size=2, sort="momentum")
    stories, more = browser.story_page(of_several, limit=FRONT_STORIES)
    stories = [*browser.pinned(limit=FRONT_STORIES), *(s for s in stories if not s.pinned)]
    of_one = StoryQuery(active=True, max_size=1, sort="momentum")
    single, _ = browser.story_page(of_one, limit=FRONT_SINGLES)
    single = [story for story in single if not story.pinned]
    coverage = browser.article_page(stories[0].id, limit=LEAD_HEADLINES + 1)[0] if stories else []
    ended = [] if stories or single else browser.story_page(StoryQuery(), limit=FRONT_ENDED)[0]
    return {
        "coverage": [row for row in coverage if row.title != stories[0].title][:LEAD_HEADLINES],
        "present": browser.present(),
        "waiting": browser.waiting(),
        "stories": stories,
        "single": single,
        "ended": ended,
        "latest": _varied(browser.latest(limit=5 * FRONT_LATEST)),
        "more": more is not None,
        "pictured": pictured(service, stories[:DECKS]),
        "fresh": {} if seen is None else browser.grown_between(seen, event),
        "decks": _decks(stories[:DECKS], {plain(row.title) for row in coverage}),
        "today": datetime.now(UTC).date(),
        "program": service.program,
        "database": browser.name,
        "reads_only": service.writer is None,
    }


def pictured(service: Service, stories: list[StoryRow]) -> frozenset[str]:
    """Return the articles of the titles of stories, as far as they have an image to be shown."""
    if service.images is None:
        return frozenset()
    return service.browser.with_images([s.title_article for s in stories if s.title_article])


def _decks(stories: list[StoryRow], said: set[str]) -> dict[int, str]:
    """Return for each story what to say below its headline, which stands nowhere else here."""
    decks = {}
    for number, story in enumerate(stories):
        said = said | {plain(story.title)}
        quotes = story.summary or story.key_sentences
        if said_here := next((q.text for q in quotes if plain(q.text) not in said), None):
            room = DECK if number else LEAD_DECK
            decks[story.id] = shortened(said_here, room)
    return decks


def shortened(text: str, room: int) -> str:
    """Return text of so many characters at most, cut where a word ends if spaces divide words.

    >>> shortened("The river rose overnight", 12), shortened("河水一夜之间上涨了一米", 5)
    ('The river …', '河水一夜…')
    """
    found = shorten(text, room, placeholder=" …")
    return found if len(found) > room // 2 or len(text) <= room else f"{text[: room - 1]}…"


def _varied(latest: list[tuple[ArticleRow, str]]) -> list[tuple[ArticleRow, str]]:
    """Return the latest articles, but only a few of each story, so that none fills the list."""
    shown: Counter[int | None] = Counter()
    found = []
    for article, title in latest:
        shown[article.story] += 1
        if shown[article.story] <= LATEST_PER_STORY:
            found.append((article, title))
    return found[:FRONT_LATEST]


def visit(request: Request, event: int) -> tuple[int | None, str]:
    """Return the last event of the previous visit, and the new value of the cookie.

    The cookie holds three numbers: the last event before this visit, the last event shown, and the
    time of the last request.
    """
    now = int(time.time())
    parts = request.cookies.get(VISIT_COOKIE, "").split(".")
    if len(parts) != 3 or not all(p.isascii() and p.isdecimal() and len(p) < 19 for p in parts):
        return None, f"{event}.{event}.{now}"
    began, reached, at = map(int, parts)
    if now - at > VISIT_PAUSE:
        began = reached
    return min(began, event), f"{began}.{event}.{now}"
