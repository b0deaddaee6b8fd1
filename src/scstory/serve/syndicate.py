"""The current stories as feeds: Atom and JSON Feed."""

import json
from datetime import UTC, datetime
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from scstory.serve.render import render
from scstory.serve.service import Service, service_of
from scstory.store.records import StoryQuery, StoryRow
from scstory.text.phrases import counted

FEED_STORIES, FEED_HEADLINES = 50, 10


def _responses(media_type: str) -> dict[int | str, dict[str, Any]]:
    return {200: {"content": {media_type: {}}, "description": "The feed."}}


router = APIRouter(tags=["feeds"], responses={304: {"description": "Not modified."}})


@router.get("/feed.xml", response_class=Response, responses=_responses("application/atom+xml"))
async def atom(request: Request) -> Response:
    """Return the current stories as an Atom feed."""
    service, base = service_of(request), base_url(request)

    def make() -> str:
        items = _items(service)
        updated = max((item["story"].last_seen for item in items), default=_EPOCH)
        return render("feed.xml", base=base, items=items, updated=updated)

    return await service.cache.respond(
        request, ("feed.xml", base), make, media_type="application/atom+xml; charset=utf-8"
    )


@router.get("/feed.json", response_class=Response, responses=_responses("application/feed+json"))
async def json_feed(request: Request) -> Response:
    """Return the current stories as a JSON Feed."""
    service, base = service_of(request), base_url(request)

    def make() -> str:
        feed = {
            "version": "https://jsonfeed.org/version/1.1",
            "title": "Current stories",
            "description": "Found in news articles, live and without labels",
            "home_page_url": f"{base}/",
            "feed_url": f"{base}/feed.json",
            "items": [
                {
                    "id": f"urn:scstory:story:{item['story'].id}",
                    "url": f"{base}/stories/{item['story'].id}",
                    "title": item["story"].title,
                    "summary": item["summary"],
                    "content_html": item["html"],
                    "date_published": item["story"].first_seen.isoformat(),
                    "date_modified": item["story"].last_seen.isoformat(),
                    "tags": list(item["story"].keywords),
                }
                for item in _items(service)
            ],
        }
        return json.dumps(feed, ensure_ascii=False)

    return await service.cache.respond(
        request, ("feed.json", base), make, media_type="application/feed+json"
    )


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def base_url(request: Request) -> str:
    """Return the base URL of the request; the guard has checked its host."""
    return str(request.base_url).rstrip("/")


def _coverage(story: StoryRow) -> str:
    """Return a summary of a story that no sentence can be quoted for."""
    outlets = f" by {counted(len(story.sources), 'outlet')}" if story.sources else ""
    return f"{counted(story.size, 'article')}{outlets}: {', '.join(story.keywords)}"


def _items(service: Service) -> list[dict[str, Any]]:
    query = StoryQuery(active=True, min_size=2, sort="latest")
    stories, _ = service.browser.story_page(query, limit=FEED_STORIES)
    items = []
    for story in stories:
        rows, _ = service.browser.article_page(story.id, limit=FEED_HEADLINES)
        items.append(
            {
                "story": story,
                "summary": " ".join(quote.text for quote in story.summary) or _coverage(story),
                "html": render("feed_entry.html", story=story, rows=rows),
            }
        )
    return items
