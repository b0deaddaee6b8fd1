"""The reading half of the JSON API."""

from collections.abc import Callable, Hashable
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Path, Query, Request
from fastapi.responses import RedirectResponse, Response, StreamingResponse
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool

from scstory.serve.events import MAX_LISTENERS
from scstory.serve.filters import ArticleFilter, StoryFilter
from scstory.serve.models import (
    ArticleDetail,
    ArticleList,
    ArticlePage,
    ExplanationOut,
    MapOut,
    PointOut,
    Problem,
    RunnerUpOut,
    SentenceOut,
    StoryDetail,
    StoryPage,
)
from scstory.serve.reader_language import Language, asked_for
from scstory.serve.sentence_weights import weighted_sentences
from scstory.serve.service import NO_CACHE, Service, service_of
from scstory.serve.story_query import decode_cursor, encode_cursor
from scstory.store.records import MAX_ID, ArticleRow, StoryRow
from scstory.store.search.suggestions import Advice
from scstory.types import Assignment

NOT_FOUND: dict[int | str, dict[str, Any]] = {404: {"model": Problem}}
MOVED: dict[int | str, dict[str, Any]] = {301: {"description": "It became part of another story."}}
StoryId = Annotated[int, Path(ge=1, le=MAX_ID, description="The story's number.")]
ArticleId = Annotated[str, Path(description="The article's id, percent-encoded.")]
Limit = Annotated[int, Query(ge=1, le=200, description="The most items of a page.")]
CursorText = Annotated[
    str | None, Query(max_length=500, description="`next` of the page before, for the one after.")
]

router = APIRouter(
    prefix="/api",
    responses={
        304: {"description": "Not modified."},
        422: {"model": Problem},
        503: {"model": Problem, "description": "The store cannot be read at the moment."},
    },
)


async def respond(
    request: Request, key: Hashable, make: Callable[[], BaseModel], **options: Any
) -> Response:
    """Answer with a model as JSON, from the cache where it is there."""
    cache = service_of(request).cache
    return await cache.respond(
        request, key, lambda: make().model_dump_json(), media_type="application/json", **options
    )


@router.get("/stories", response_model=StoryPage, tags=["stories"])
async def stories(
    request: Request,
    query: StoryFilter,
    cursor: CursorText = None,
    limit: Limit = 50,
    language: Language = None,
) -> Response:
    """List stories: the current ones, or by words, time and size.

    The list may be a second old while a new one is made; `Cache-Control: no-cache` waits for it.
    """
    service, languages = service_of(request), asked_for(language)
    after, browser = decode_cursor(cursor, query.sort), service.browser.told_in(languages)

    def make() -> StoryPage:
        rows, more = browser.story_page(query, after=after, limit=limit)
        advice = Advice() if rows or after else browser.advice(query)
        following = encode_cursor(query.sort, more)
        return StoryPage.model_validate({"stories": rows, "next": following, **advice._asdict()})

    key = ("stories", query, after, limit, languages)
    return await respond(request, key, make, stale_ok=True)


@router.get(
    "/stories/{story}", response_model=StoryDetail, responses=NOT_FOUND | MOVED, tags=["stories"]
)
async def story(request: Request, story: StoryId, language: Language = None) -> Response:
    """Return a story with a timeline of its whole life and the stories similar to it."""
    languages = asked_for(language)
    service = service_of(request).told_in(languages)
    if moved := await service.moved(story):
        query = f"?language={languages[0]}" if languages else ""
        return RedirectResponse(f"/api/stories/{moved}{query}", 301, NO_CACHE)

    def make() -> StoryDetail:
        row = found_story(service, story)
        timeline, related = service.browser.timeline(story), service.browser.related(story)
        rewritten = service.browser.rewritten(row)
        return StoryDetail.from_row(
            row,
            timeline=timeline,
            related=related,
            rewritten=rewritten,
            thread=service.browser.thread(row.id),
            section=service.browser.section_of(row.id),
            also_in=service.browser.also_in(row.id),
        )

    return await respond(request, ("story", story, languages), make)


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
        return RedirectResponse(f"/api/stories/{moved}/articles", 301, NO_CACHE)
    after = decode_cursor(cursor, "articles")

    def make() -> ArticlePage:
        found_story(service, story)
        rows, more = service.browser.article_page(story, after=after, limit=limit)
        return ArticlePage.model_validate(
            {"articles": rows, "next": encode_cursor("articles", more)}
        )

    return await respond(request, ("story articles", story, after, limit), make)


@router.get(
    "/articles/{article:path}/explanation",
    response_model=ExplanationOut,
    responses=NOT_FOUND,
    tags=["articles"],
)
async def explanation(request: Request, article: ArticleId) -> Response:
    """Explain why an article is in its story: sentence weights, confidence and evidence."""
    service = service_of(request)

    def make() -> ExplanationOut:
        row = found_article(service, article)
        if row.story is None or row.confidence is None:
            raise HTTPException(404, f"article {article}: not decided yet")
        sentences = [SentenceOut(text=text, weight=w) for text, w in weighted_sentences(row)]
        runners = runners_up(service, row)
        return ExplanationOut.from_row(row, article=row.id, sentences=sentences, runners_up=runners)

    return await respond(request, ("explanation", article), make)


@router.get(
    "/articles/{article:path}", response_model=ArticleDetail, responses=NOT_FOUND, tags=["articles"]
)
async def article(request: Request, article: ArticleId) -> Response:
    """Return an article and its story; for the id of a copy, the article that it copies."""
    service = service_of(request)

    def make() -> ArticleDetail:
        row = found_article(service, article)
        also = service.browser.also_about(row.id)
        return ArticleDetail.from_row(row, date=row.published, also_about=also)

    return await respond(request, ("article", article), make)


@router.get("/articles", response_model=ArticleList, tags=["articles"])
async def articles(
    request: Request, query: ArticleFilter, cursor: CursorText = None, limit: Limit = 50
) -> Response:
    """List articles, the latest first: all, or by words, story, outlet, language and time."""
    browser = service_of(request).browser
    after = decode_cursor(cursor, "articles")

    def make() -> ArticleList:
        rows, more = browser.article_list(query, after=after, limit=limit)
        total = browser.article_count(query)
        following = encode_cursor("articles", more)
        return ArticleList.model_validate({"articles": rows, "next": following, "total": total})

    return await respond(request, ("articles", query, after, limit), make)


@router.get("/map", response_model=MapOut, tags=["stories"])
async def story_map(request: Request) -> Response:
    """Return the stories of the window in two dimensions: similar ones are near each other.

    The map is computed again when stories change, but at most every few seconds.
    """
    version, placed = await run_in_threadpool(service_of(request).map.latest)

    def make() -> MapOut:
        return MapOut(points=[PointOut.from_row(row, x=x, y=y) for row, x, y in placed])

    return await respond(request, "map", make, version=str(version))


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
        Query(ge=0, le=MAX_ID, description="Events after this number, as with Last-Event-ID."),
    ] = None,
) -> Response:
    """Stream the events of stories: new, grew, moved, ended, merged, corrected.

    Without a number the stream starts now. A `reset` event means that missed events are lost.
    """
    last = request.headers.get("last-event-id", "")
    if last.isascii() and last.isdecimal() and len(last) < 19:
        after = int(last)
    hub = service_of(request).hub
    if hub.listeners >= MAX_LISTENERS:
        raise HTTPException(
            503,
            f"{MAX_LISTENERS:,} event streams are open, which is the limit",
            {"Retry-After": "60"},
        )
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(hub.stream(after), media_type="text/event-stream", headers=headers)


def found_story(service: Service, story: int) -> StoryRow:
    """Return a story; answer 404 if there is none."""
    row = service.browser.story(story)
    if row is None:
        raise HTTPException(404, f"story {story}: does not exist; /api/stories lists all")
    return row


def runners_up(service: Service, decision: ArticleRow | Assignment) -> list[RunnerUpOut]:
    """Return the stories that an article could have joined, with their titles."""
    found = ((runner, service.browser.story(runner.story)) for runner in decision.runners_up)
    return [RunnerUpOut.from_row(runner, title=story and story.title) for runner, story in found]


def found_article(service: Service, article: str) -> ArticleRow:
    """Return an article; answer 404 if there is none."""
    row = service.browser.article(article)
    if row is None:
        raise HTTPException(404, f"article {article[:200]}: does not exist")
    return row
