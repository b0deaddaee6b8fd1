"""The pages, rendered on the server; scripts only keep them up to date."""

import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from scstory.config import parse_duration
from scstory.serve.api import StoryId, found_article
from scstory.serve.api_page import examples
from scstory.serve.archive import archive_values, day_values
from scstory.serve.front import VISIT_COOKIE, front_values, visit
from scstory.serve.map import Places
from scstory.serve.map_layout import FRAMES, arrange
from scstory.serve.page import show
from scstory.serve.search_page import SEARCH_FIELDS, search_values
from scstory.serve.service import NO_CACHE, Service, service_of
from scstory.serve.story_page import story_values
from scstory.serve.story_query import decode_cursor
from scstory.serve.syndicate import base_url

ARCHIVE_SECONDS = 60
"""How old a calendar may be."""

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)


@router.get("/")
async def front(request: Request, fragment: bool = False) -> Response:
    """The current stories."""
    seen, cookie = visit(request, service_of(request).hub.version.event)
    template = "front_part.html" if fragment else "front.html"
    response = await show(
        request,
        template,
        lambda service: front_values(service, seen),
        key=("front", fragment, seen),
        here="front",
        stale_ok=not fragment,
    )
    if not fragment:
        response.set_cookie(
            VISIT_COOKIE, cookie, max_age=365 * 24 * 3600, httponly=True, samesite="lax", path="/"
        )
    return response


@router.get("/stories/{story}")
async def story(
    request: Request, story: StoryId, cursor: Annotated[str | None, Query(max_length=500)] = None
) -> Response:
    """One story."""
    if moved := await service_of(request).moved(story):
        return RedirectResponse(f"/stories/{moved}", 301, NO_CACHE)
    after = decode_cursor(cursor, "articles")
    key = ("story page", story, after)
    return await show(
        request, "story.html", lambda service: story_values(service, story, after), key=key
    )


@router.get("/articles/{article:path}")
async def article(request: Request, article: str) -> Response:
    """One article, and why it is in its story."""

    def values(service: Service) -> dict[str, Any]:
        row = found_article(service, article)
        found = service.browser.story(row.story) if row.story else None
        runners = [
            (other, runner.confidence)
            for runner in row.runners_up
            if (other := service.browser.story(runner.story))
        ]
        also = service.browser.also_about(row.id)
        return {"row": row, "story": found, "runners": runners, "also_about": also}

    return await show(request, "article.html", values, key=("article page", article))


@router.get("/search")
async def search(request: Request) -> Response:
    """Stories by words, time and size."""
    given = {name: request.query_params.get(name, "") for name in SEARCH_FIELDS}
    return await show(
        request,
        "search.html",
        lambda service: search_values(service, given),
        key=("search", tuple(given.items())),
        here="search",
    )


@router.get("/archive")
async def archive(
    request: Request, year: Annotated[int | None, Query(ge=2, le=9997)] = None
) -> Response:
    """All days with articles, as a calendar."""
    # Counting a year of a busy stream takes a second, which not every commit is worth.
    version = f"{int(time.time()) // ARCHIVE_SECONDS}"
    return await show(
        request,
        "archive.html",
        lambda service: archive_values(service, year),
        key=("archive", year),
        here="archive",
        version=version,
    )


@router.get("/day/{day}")
async def day(request: Request, day: str) -> Response:
    """The stories of one day."""
    return await show(
        request,
        "day.html",
        lambda service: day_values(service, day),
        key=("day", day),
        here="archive",
    )


@router.get("/map")
async def story_map(request: Request) -> Response:
    """The stories of the window in two dimensions."""
    shown, points = await run_in_threadpool(service_of(request).map.latest)
    return await show(
        request,
        "map.html",
        lambda service: _map(points, service.browser.reader_languages),
        key="map page",
        here="map",
        version=str(shown),
    )


@router.get("/about")
async def about(request: Request) -> Response:
    """How stories are formed, and the state of the writer and the feeds."""
    # The writer's state changes without a commit, so this page is not cached.
    return await show(request, "about.html", _about, here="about")


@router.get("/api")
async def api_page(request: Request) -> Response:
    """The API, described for people; programs read /openapi.json."""
    base = base_url(request)
    groups = _operations(request.app.openapi())
    # The examples are real answers, so they are asked before the page is made.
    made = await examples(request.app, service_of(request), base)
    values = {"groups": groups, "examples": made}
    return await show(request, "api.html", lambda _: values, key=("api page", base))


def _map(points: Places, languages: Sequence[str]) -> dict[str, Any]:
    points = [(row.told_in(languages), x, y) for row, x, y in points]
    listed = [row for place, (row, _, _) in enumerate(points) if row.size > 1 or place < 9]
    pictures = [(frame, arrange(points, frame)) for frame in FRAMES]
    return {"listed": listed, "pictures": pictures, "number": len(points)}


def _about(service: Service) -> dict[str, Any]:
    browser = service.browser
    parameters = browser.engine().get("parameters", {})
    return {
        "counts": browser.counts(),
        "window": _length(parse_duration(parameters.get("window", "7d"))),
        "slide": _length(parse_duration(parameters.get("slide", "1d"))).removeprefix("1 "),
        "writer": service.writer_state(),
        "program": service.program,
        "database": browser.name,
        "feeds": browser.subscriptions(),
    }


def _operations(schema: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return the operations of an OpenAPI description by their tags."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            described = {
                "method": method.upper(),
                "path": path,
                "text": operation.get("description", ""),
                "parameters": operation.get("parameters", []),
                "token": bool(operation.get("security")),
            }
            groups.setdefault(operation.get("tags", ["more"])[0], []).append(described)
    return groups


def _length(step: timedelta) -> str:
    """Return a duration in words."""
    hours = step / timedelta(hours=1)
    number, noun = (hours / 24, "day") if hours >= 24 and hours % 24 == 0 else (hours, "hour")
    return f"{number:g} {noun}" if number == 1 else f"{number:g} {noun}s"
