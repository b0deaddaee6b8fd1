"""Feeds, in Atom and JSON Feed: the current stories, those of a query, the followed, one story."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from scstory.serve.api import NOT_FOUND, StoryId, found_story
from scstory.serve.models import Problem
from scstory.serve.render import in_path, render, safe_url
from scstory.serve.service import NO_CACHE, Service, service_of
from scstory.serve.story_query import make_query
from scstory.store.records import ArticleRow, StoryQuery, StoryRow
from scstory.store.search.query import MAX_CHARACTERS
from scstory.text.phrases import counted

FEED_STORIES, FEED_HEADLINES, FEED_ARTICLES = 50, 10, 50
"""The most stories of a feed, headlines of each, and articles of the feed of one story."""
MEDIA_TYPES = {"xml": "application/atom+xml; charset=utf-8", "json": "application/feed+json"}

Form = Literal["xml", "json"]
_FEED: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {"application/atom+xml": {}, "application/feed+json": {}},
        "description": "The feed.",
    },
    422: {"model": Problem},
}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

router = APIRouter(tags=["feeds"], responses={304: {"description": "Not modified."}})


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a feed."""

    id: str
    url: str
    title: str
    summary: str
    html: str
    published: datetime
    updated: datetime
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed: its id, its title, the path of the page that it is of, and its entries."""

    id: str
    title: str
    page: str
    entries: Sequence[Entry]


@router.get("/feed.{form}", response_class=Response, responses=_FEED)
async def current(request: Request, form: Form) -> Response:
    """Return the current stories as an Atom feed (xml) or a JSON Feed."""
    service, base = service_of(request), base_url(request)

    def make() -> Feed:
        query = StoryQuery(active=True, min_size=2, sort="latest")
        stories, _ = service.browser.story_page(query, limit=FEED_STORIES)
        return _of_stories(service, base, "stories", "Current stories", "/", stories)

    return await _respond(request, form, ("feed", base), make)


@router.get("/search/feed.{form}", response_class=Response, responses=_FEED)
async def of_query(
    request: Request,
    form: Form,
    q: Annotated[str, Query(max_length=MAX_CHARACTERS, description="As in /api/stories.")],
) -> Response:
    """Return the stories that a query finds as a feed, the latest news first."""
    service, base = service_of(request), base_url(request)
    query = make_query(q, "all", None, None, 1, "latest")

    def make() -> Feed:
        stories, _ = service.browser.story_page(query, limit=FEED_STORIES)
        page = f"/search?{urlencode({'q': query.text})}"
        title = f"Stories with {query.text}" if query.text else "All stories"
        name = f"search:{urlencode({'q': query.text})}"
        return _of_stories(service, base, name, title, page, stories)

    key = ("feed of query", base, query.text)
    return await _respond(request, form, key, make, query.text)


@router.get("/following/feed.{form}", response_class=Response, responses=_FEED)
async def of_followed(request: Request, form: Form) -> Response:
    """Return the stories that are followed and not muted as a feed, the latest news first."""
    service, base = service_of(request), base_url(request)
    follows = await run_in_threadpool(service.browser.follows)

    def make() -> Feed:
        found = service.browser.followed_stories(follows, limit=FEED_STORIES)
        stories = [one.story for one in found]
        return _of_stories(service, base, "following", "Followed stories", "/following", stories)

    version = service.version_with(follows)
    return await _respond(request, form, ("feed of followed", base), make, version=version)


@router.get(
    "/stories/{story}/feed.{form}",
    response_class=Response,
    responses=_FEED | NOT_FOUND | {301: {"description": "It became part of another story."}},
)
async def of_story(request: Request, story: StoryId, form: Form) -> Response:
    """Return the articles of a story as a feed, the latest first."""
    service, base = service_of(request), base_url(request)
    if moved := await service.moved(story):
        return RedirectResponse(f"/stories/{moved}/feed.{form}", 301, NO_CACHE)

    def make() -> Feed:
        row = found_story(service, story)
        articles, _ = service.browser.article_page(story, limit=FEED_ARTICLES)
        entries = [_of_article(base, article) for article in articles]
        return Feed(f"urn:scstory:story:{story}", row.title, f"/stories/{story}", entries)

    return await _respond(request, form, ("feed of story", base, story), make)


async def _respond(
    request: Request,
    form: Form,
    key: tuple[Any, ...],
    make: Callable[[], Feed],
    query: str = "",
    version: str | None = None,
) -> Response:
    """Answer with a feed in one of the forms, from the cache where it is there."""
    base = base_url(request)
    asked = f"?{urlencode({'q': query})}" if query else ""
    own = f"{base}{request.url.path}{asked}"

    def written() -> str:
        feed = make()
        if form == "json":
            return json.dumps(_json_feed(feed, base, own), ensure_ascii=False)
        updated = max((entry.updated for entry in feed.entries), default=_EPOCH)
        return render("feed.xml", base=base, own=own, feed=feed, updated=updated)

    return await service_of(request).cache.respond(
        request, (*key, form), written, media_type=MEDIA_TYPES[form], version=version
    )


def _json_feed(feed: Feed, base: str, own: str) -> dict[str, Any]:
    return {
        "version": "https://jsonfeed.org/version/1.1",
        "title": feed.title,
        "description": "Found in news articles, live and without labels",
        "home_page_url": f"{base}{feed.page}",
        "feed_url": own,
        "items": [
            {
                "id": entry.id,
                "url": entry.url,
                "title": entry.title,
                "summary": entry.summary,
                "content_html": entry.html,
                "date_published": entry.published.isoformat(),
                "date_modified": entry.updated.isoformat(),
                "tags": list(entry.tags),
            }
            for entry in feed.entries
        ],
    }


def base_url(request: Request) -> str:
    """Return the base URL of the request; the guard has checked its host."""
    return str(request.base_url).rstrip("/")


def _of_stories(
    service: Service, base: str, name: str, title: str, page: str, stories: Sequence[StoryRow]
) -> Feed:
    """Return a feed with an entry for each story."""
    entries = []
    for story in stories:
        rows, _ = service.browser.article_page(story.id, limit=FEED_HEADLINES)
        entries.append(
            Entry(
                id=f"urn:scstory:story:{story.id}",
                url=f"{base}/stories/{story.id}",
                title=story.title,
                summary=" ".join(quote.text for quote in story.summary) or _coverage(story),
                html=render("feed_entry.html", story=story, rows=rows),
                published=story.first_seen,
                updated=story.last_seen,
                tags=story.keywords,
            )
        )
    return Feed(f"urn:scstory:{name}", title, page, entries)


def _of_article(base: str, article: ArticleRow) -> Entry:
    """Return the entry of an article in the feed of its story."""
    own = f"{base}/articles/{in_path(article.id)}"
    summary = " ".join(article.text.split())
    shown = summary if len(summary) <= 300 else f"{summary[:300]} …"
    by = f"{article.source}: " if article.source else ""
    return Entry(
        id=f"urn:scstory:article:{in_path(article.id)}",
        url=safe_url(article.url) or own,
        title=f"{by}{article.title or '(no title)'}",
        summary=shown,
        html=render("feed_article.html", text=shown, own=own),
        published=article.published,
        updated=article.published,
    )


def _coverage(story: StoryRow) -> str:
    """Return a summary of a story that no sentence can be quoted for."""
    outlets = f" by {counted(len(story.sources), 'outlet')}" if story.sources else ""
    return f"{counted(story.size, 'article')}{outlets}: {', '.join(story.keywords)}"
