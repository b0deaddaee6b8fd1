"""The JSON API's reading half."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, HTTPException, Path, Query, Request
from fastapi.responses import RedirectResponse, Response, StreamingResponse
from pydantic import AwareDatetime, BaseModel
from starlette.concurrency import run_in_threadpool

from scstory.serve.live import MAX_LISTENERS
from scstory.serve.models import (
    ArticleDetail,
    ArticlePage,
    ExplanationOut,
    MapOut,
    PointOut,
    Problem,
    RunnerUpOut,
    SentenceOut,
    StoryDetail,
    StoryPage,
    article_out,
    story_detail,
    story_out,
)
from scstory.serve.service import Service, service_of
from scstory.serve.words import weighted
from scstory.store.ranking import MAX_ID
from scstory.store.views import ArticleRow, Cursor, Sort, StoryQuery

JSON = "application/json"
NOT_FOUND: dict[int | str, dict[str, Any]] = {404: {"model": Problem}}
MOVED: dict[int | str, dict[str, Any]] = {301: {"description": "It became part of another story."}}
StoryId = Annotated[int, Path(ge=1, le=MAX_ID, description="The story's number.")]
ArticleId = Annotated[str, Path(description="The article's id, percent-encoded.")]
Limit = Annotated[int, Query(ge=1, le=200, description="How many at most.")]
CursorText = Annotated[
    str | None, Query(max_length=500, description="`next` of the page before, for the one after.")
]

router = APIRouter(
    prefix="/api",
    responses={
        304: {"description": "Not modified."},
        422: {"model": Problem},
        503: {"model": Problem, "description": "The store cannot be read just now."},
    },
)


@router.get("/stories", response_model=StoryPage, tags=["stories"])
async def stories(
    request: Request,
    q: Annotated[
        str, Query(max_length=200, description="Words that articles of the story hold.")
    ] = "",
    state: Annotated[
        Literal["active", "past", "all"] | None,
        Query(description="Default: active; all where words or times are given."),
    ] = None,
    since: Annotated[
        AwareDatetime | None, Query(description="Stories with an article at this time or later.")
    ] = None,
    until: Annotated[
        AwareDatetime | None, Query(description="Stories that began before this time.")
    ] = None,
    min_size: Annotated[int, Query(ge=1, le=MAX_ID, description="Articles at least.")] = 1,
    max_size: Annotated[int | None, Query(ge=1, le=MAX_ID, description="Articles at most.")] = None,
    sort: Annotated[
        Sort | None,
        Query(
            description="Default: relevance where words are given, momentum for active stories, "
            "else latest. Only active stories have momentum."
        ),
    ] = None,
    cursor: CursorText = None,
    limit: Limit = 50,
) -> Response:
    """List stories: those of the moment, or by words, time and size.

    While the list is being made anew it may be a second old; `Cache-Control: no-cache` waits.
    """
    service = service_of(request)
    query = replace(make_query(q, state, since, until, min_size, sort), max_size=max_size)
    after = decode_cursor(cursor, query.sort)

    def make() -> str:
        rows, more = service.browser.stories(query, after=after, limit=limit)
        page = StoryPage(
            stories=[story_out(row) for row in rows],
            next=encode_cursor(query.sort, more),
        )
        return page.model_dump_json()

    key = ("stories", query, after, limit)
    return await service.cache.respond(request, key, make, media_type=JSON, patient=True)


@router.get(
    "/stories/{story}", response_model=StoryDetail, responses=NOT_FOUND | MOVED, tags=["stories"]
)
async def story(request: Request, story: StoryId) -> Response:
    """Return a story, with its whole life as timeline and the stories near it."""
    service = service_of(request)
    if moved := await service.moved(story):
        return RedirectResponse(f"/api/stories/{moved}", 301)

    def make() -> str:
        row = found_story(service, story)
        life, related = service.browser.timeline(story), service.browser.related(story)
        return story_detail(row, life, related).model_dump_json()

    return await service.cache.respond(request, ("story", story), make, media_type=JSON)


@router.get(
    "/stories/{story}/articles",
    response_model=ArticlePage,
    responses=NOT_FOUND | MOVED,
    tags=["stories"],
)
async def story_articles(
    request: Request, story: StoryId, cursor: CursorText = None, limit: Limit = 50
) -> Response:
    """Return a story's articles, the latest first."""
    service = service_of(request)
    if moved := await service.moved(story):
        return RedirectResponse(f"/api/stories/{moved}/articles", 301)
    after = decode_cursor(cursor, "articles")

    def make() -> str:
        found_story(service, story)
        rows, more = service.browser.articles_of(story, after=after, limit=limit)
        page = ArticlePage(
            articles=[article_out(row) for row in rows], next=encode_cursor("articles", more)
        )
        return page.model_dump_json()

    key = ("story articles", story, after, limit)
    return await service.cache.respond(request, key, make, media_type=JSON)


@router.get(
    "/articles/{article:path}/explanation",
    response_model=ExplanationOut,
    responses=NOT_FOUND,
    tags=["articles"],
)
async def explanation(request: Request, article: ArticleId) -> Response:
    """Say why an article is in its story: sentence weights, confidence and its parts."""
    service = service_of(request)

    def make() -> str:
        row = found_article(service, article)
        if row.story is None or row.confidence is None:
            raise HTTPException(404, f"article {article}: not decided yet")
        return ExplanationOut(
            article=row.id,
            story=row.story,
            confidence=round(row.confidence, 6),
            new=row.new,
            parts={name: round(part, 6) for name, part in row.parts.items()},
            sentences=[SentenceOut(text=text, weight=w) for text, w in weighted(row)],
            runners_up=[
                RunnerUpOut(
                    story=runner.story,
                    title=other.title if (other := service.browser.story(runner.story)) else None,
                    confidence=round(runner.confidence, 6),
                )
                for runner in row.runners_up
            ],
        ).model_dump_json()

    key = ("explanation", article)
    return await service.cache.respond(request, key, make, media_type=JSON)


@router.get(
    "/articles/{article:path}",
    response_model=ArticleDetail,
    responses=NOT_FOUND,
    tags=["articles"],
)
async def article(request: Request, article: ArticleId) -> Response:
    """Return an article and where it went; by the id of a copy, the article it is a copy of."""
    service = service_of(request)

    def make() -> str:
        row = found_article(service, article)
        values = article_out(row).model_dump()
        return ArticleDetail(**values, text=row.text).model_dump_json()

    return await service.cache.respond(request, ("article", article), make, media_type=JSON)


@router.get("/map", response_model=MapOut, tags=["stories"])
async def story_map(request: Request) -> Response:
    """Return the window's stories in two dimensions: near means alike.

    It is drawn anew when stories change, at most every few seconds; until then it is the last one.
    """
    service = service_of(request)
    version, placed = await run_in_threadpool(service.map.latest)

    def make() -> str:
        points = [
            PointOut(
                id=row.id,
                url=f"/stories/{row.id}",
                title=row.title,
                size=row.size,
                momentum=round(row.momentum, 6),
                last_seen=row.last_seen,
                x=x,
                y=y,
            )
            for row, x, y in placed
        ]
        return MapOut(points=points).model_dump_json()

    return await service.cache.respond(request, "map", make, media_type=JSON, version=str(version))


@router.get(
    "/events",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}, "description": "Events as they come."}},
    tags=["live"],
)
async def events(
    request: Request,
    after: Annotated[
        int | None,
        Query(ge=0, le=MAX_ID, description="From this number on; Last-Event-ID says the same."),
    ] = None,
) -> Response:
    """Stream what happens to stories, as server-sent events: new, grew, moved, ended, merged.

    Without a number it starts now. A `reset` says that what was missed is no longer kept.
    """
    last = request.headers.get("last-event-id", "")
    if last.isascii() and last.isdecimal() and len(last) < 19:
        after = int(last)
    hub = service_of(request).hub
    if hub.listeners >= MAX_LISTENERS:
        raise HTTPException(503, f"{MAX_LISTENERS:,} listen already", {"Retry-After": "60"})
    stream = hub.stream(after)
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(stream, media_type="text/event-stream", headers=headers)


class _Cursor(BaseModel):
    sort: str
    key: float | str
    id: int


def make_query(
    text: str,
    state: Literal["active", "past", "all"] | None,
    since: datetime | None,
    until: datetime | None,
    min_size: int,
    sort: Sort | None,
) -> StoryQuery:
    """Return the query that parameters ask for, with what they leave open filled in."""
    text = " ".join(text.replace("\0", " ").split())
    if state is None:
        state = "all" if text or since or until else "active"
    if sort is None:
        sort = "relevance" if text else "momentum" if state == "active" else "latest"
    if sort == "relevance" and not text:
        raise HTTPException(422, "sort relevance: needs words to be relevant to; give q")
    if sort == "momentum" and state != "active":
        raise HTTPException(422, f"sort momentum: state {state} has none; only active stories do")
    for name, time in (("since", since), ("until", until)):
        if time is not None and not 1 < time.year < 9999:
            raise HTTPException(422, f"{name} {time}: out of range; give a year from 2 to 9998")
    active = {"active": True, "past": False, "all": None}[state]
    return StoryQuery(text, active, since, until, min_size, sort=sort)


def encode_cursor(sort: str, cursor: Cursor | None) -> str | None:
    """Return a cursor as text that says nothing to anyone but us."""
    if cursor is None:
        return None
    value = json.dumps([sort, *cursor]).encode()
    return base64.urlsafe_b64encode(value).decode().rstrip("=")


def decode_cursor(text: str | None, sort: str) -> Cursor | None:
    """Return the cursor that `encode_cursor` made text of, for the same order."""
    if not text:
        return None
    try:
        padded = text + "=" * (-len(text) % 4)
        made_for, key, number = json.loads(base64.urlsafe_b64decode(padded.encode("ascii")))
        checked = _Cursor(sort=made_for, key=key, id=number)
    except (ValueError, TypeError, RecursionError):
        checked = None
    text_key = sort in ("latest", "articles")
    if (
        checked is None
        or checked.sort != sort
        or isinstance(checked.key, str) != text_key
        or abs(checked.id) > MAX_ID
    ):
        raise HTTPException(422, "cursor: not one of this list; leave it out to begin again")
    return Cursor(checked.key, checked.id)


def found_story(service: Service, story: int) -> Any:
    """Return a story, or answer that there is none."""
    row = service.browser.story(story)
    if row is None:
        raise HTTPException(404, f"story {story}: there is none; /api/stories lists them")
    return row


def found_article(service: Service, article: str) -> ArticleRow:
    """Return an article, or answer that there is none."""
    row = service.browser.article(article)
    if row is None:
        raise HTTPException(404, f"article {article[:200]}: there is none")
    return row
