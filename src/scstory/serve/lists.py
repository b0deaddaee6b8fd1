"""Whole lists to take away, as CSV, JSON or Markdown: read page by page, sent as they are read."""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool

from scstory.serve.api import NOT_FOUND, StoryId, found_story
from scstory.serve.filters import ArticleFilter, StoryFilter
from scstory.serve.following import FOLLOWED_STORIES
from scstory.serve.models import Problem
from scstory.serve.service import Service, service_of
from scstory.serve.syndicate import base_url
from scstory.serve.tables import MEDIA_TYPES, Form, article_record, story_record, table_lines
from scstory.store.article_list import ArticleQuery
from scstory.store.records import ArticleRow, Cursor, StoryQuery, StoryRow

PAGE = 200
"""How many rows are read at a time."""

T = TypeVar("T")
router = APIRouter(prefix="/api", tags=["take away"])
_LIST: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {"text/csv": {}, "application/json": {}, "text/markdown": {}},
        "description": "The whole list.",
    },
    422: {"model": Problem},
}


@router.get("/stories.{form}", response_class=StreamingResponse, responses=_LIST)
async def stories(request: Request, form: Form, query: StoryFilter) -> StreamingResponse:
    """Return all stories that fit, as CSV, JSON or Markdown (md)."""
    base, rows = base_url(request), stories_of(service_of(request), query)
    return _sent(
        form, "stories", table_lines("stories", form, (story_record(r, base) for r in rows))
    )


@router.get("/articles.{form}", response_class=StreamingResponse, responses=_LIST)
async def articles(request: Request, form: Form, query: ArticleFilter) -> StreamingResponse:
    """Return all articles that fit, without their texts, as CSV, JSON or Markdown (md)."""
    base, rows = base_url(request), articles_of(service_of(request), query)
    lines = table_lines("articles", form, (article_record(row, base) for row in rows))
    return _sent(form, "articles", lines)


@router.get(
    "/stories/{story}/articles.{form}",
    response_class=StreamingResponse,
    responses=_LIST | NOT_FOUND,
)
async def articles_of_story(request: Request, story: StoryId, form: Form) -> StreamingResponse:
    """Return all articles of a story, without their texts, as CSV, JSON or Markdown (md)."""
    service, base = service_of(request), base_url(request)
    found = await run_in_threadpool(found_story, service, story)
    rows = articles_of(service, ArticleQuery(story=found.id))
    lines = table_lines("articles", form, (article_record(row, base) for row in rows))
    return _sent(form, f"story-{found.id}", lines)


@router.get("/following.{form}", response_class=StreamingResponse, responses=_LIST)
async def followed(request: Request, form: Form) -> StreamingResponse:
    """Return the stories on the page of what is followed, as CSV, JSON or Markdown (md)."""
    browser, base = service_of(request).browser, base_url(request)

    def rows() -> Iterator[dict[str, Any]]:
        for one in browser.followed_stories(browser.follows(), limit=FOLLOWED_STORIES):
            yield story_record(one.story, base)

    return _sent(form, "following", table_lines("stories", form, rows()))


def stories_of(service: Service, query: StoryQuery) -> Iterator[StoryRow]:
    """Yield all stories of a query."""
    return _all(lambda after: service.browser.story_page(query, after=after, limit=PAGE))


def articles_of(service: Service, query: ArticleQuery) -> Iterator[ArticleRow]:
    """Yield all articles of a query."""
    return _all(lambda after: service.browser.article_list(query, after=after, limit=PAGE))


def _all(page: Callable[[Cursor | None], tuple[list[T], Cursor | None]]) -> Iterator[T]:
    after: Cursor | None = None
    while True:
        rows, after = page(after)
        yield from rows
        if after is None:
            return


def _sent(form: Form, name: str, lines: Iterator[str]) -> StreamingResponse:
    headers = {
        "content-disposition": f'attachment; filename="{name}.{form}"',
        "cache-control": "no-cache",
    }
    return StreamingResponse(lines, media_type=MEDIA_TYPES[form], headers=headers)
