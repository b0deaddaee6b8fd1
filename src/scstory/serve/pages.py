"""The pages, rendered on the server; scripts only keep them up to date."""

import time
from collections.abc import Callable, Hashable
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from scstory.config import parse_duration
from scstory.serve.api import StoryId, found_article
from scstory.serve.archive import archive_values, day_values
from scstory.serve.front import VISIT_COOKIE, front_values, visit
from scstory.serve.map import Places
from scstory.serve.map_layout import FRAMES, arrange
from scstory.serve.render import render
from scstory.serve.service import Service, service_of
from scstory.serve.story_page import story_values
from scstory.serve.story_query import decode_cursor, encode_cursor, make_query
from scstory.store.records import StoryQuery, StoryRow
from scstory.store.search.suggestions import Advice

SEARCH_STORIES = 30
"""The most stories on a page of search results."""
ARCHIVE_SECONDS = 60
"""How old a calendar may be."""
SEARCH_FIELDS = ("q", "since", "until", "min_size", "sort", "cursor")

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)


async def _respond(
    request: Request,
    key: Hashable,
    template: str,
    values: Callable[[Service], dict[str, Any]],
    **options: Any,
) -> Response:
    """Answer with a rendered template, from the cache where it is there."""
    service = service_of(request)
    return await service.cache.respond(
        request,
        key,
        lambda: render(template, **values(service)),
        media_type="text/html; charset=utf-8",
        **options,
    )


@router.get("/")
async def front(request: Request, fragment: bool = False) -> Response:
    """The current stories."""
    seen, cookie = visit(request, service_of(request).hub.version.event)
    template = "front_part.html" if fragment else "front.html"
    response = await _respond(
        request,
        ("front", fragment, seen),
        template,
        lambda s: {**_common(s, "front"), **front_values(s, seen)},
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
        return RedirectResponse(f"/stories/{moved}", 301)
    after = decode_cursor(cursor, "articles")
    key = ("story page", story, after)

    def values(service: Service) -> dict[str, Any]:
        return {**_common(service), **story_values(service, story, after)}

    return await _respond(request, key, "story.html", values)


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
        return {**_common(service), "row": row, "story": found, "runners": runners}

    return await _respond(request, ("article page", article), "article.html", values)


@router.get("/search")
async def search(request: Request) -> Response:
    """Stories by words, time and size."""
    given = {name: request.query_params.get(name, "") for name in SEARCH_FIELDS}
    key = ("search", tuple(given.items()))
    return await _respond(request, key, "search.html", lambda service: _search(service, given))


@router.get("/archive")
async def archive(
    request: Request, year: Annotated[int | None, Query(ge=2, le=9997)] = None
) -> Response:
    """All days with articles, as a calendar."""

    def values(service: Service) -> dict[str, Any]:
        return {**_common(service, "archive"), **archive_values(service, year)}

    # Counting a year of a busy stream takes a second, which not every commit is worth.
    version = f"{int(time.time()) // ARCHIVE_SECONDS}"
    return await _respond(request, ("archive", year), "archive.html", values, version=version)


@router.get("/day/{day}")
async def day(request: Request, day: str) -> Response:
    """The stories of one day."""

    def values(service: Service) -> dict[str, Any]:
        return {**_common(service, "archive"), **day_values(service, day)}

    return await _respond(request, ("day", day), "day.html", values)


@router.get("/map")
async def story_map(request: Request) -> Response:
    """The stories of the window in two dimensions."""
    shown, points = await run_in_threadpool(service_of(request).map.latest)
    return await _respond(
        request,
        "map page",
        "map.html",
        lambda s: {**_common(s, "map"), **_map(points)},
        version=str(shown),
    )


@router.get("/about")
async def about(request: Request) -> Response:
    """How stories are formed, and the state of the writer and the feeds."""
    service = service_of(request)
    # The writer's state changes without a commit, so this page is not cached.
    page = await run_in_threadpool(lambda: render("about.html", **_about(service)))
    return HTMLResponse(page, headers={"cache-control": "no-store"})


@router.get("/api")
async def api_page(request: Request) -> Response:
    """The API, described for people; programs read /openapi.json."""

    def values(service: Service) -> dict[str, Any]:
        return {**_common(service), "groups": _operations(request.app.openapi())}

    return await _respond(request, "api page", "api.html", values)


def _common(service: Service, here: str = "") -> dict[str, Any]:
    return {
        "here": here,
        "event": service.hub.version.event,
        "stream": service.stream_state(),
        "now": service.browser.now(),
    }


def _map(points: Places) -> dict[str, Any]:
    listed = [row for place, (row, _, _) in enumerate(points) if row.size > 1 or place < 9]
    pictures = [(frame, arrange(points, frame)) for frame in FRAMES]
    return {"listed": listed, "pictures": pictures, "number": len(points)}


def _about(service: Service) -> dict[str, Any]:
    browser = service.browser
    parameters = browser.engine().get("parameters", {})
    return {
        **_common(service, "about"),
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


def _search(service: Service, given: dict[str, str]) -> dict[str, Any]:
    query, following, problem, advice = StoryQuery(), None, None, Advice()
    rows: list[StoryRow] = []
    asked = {name: value for name, value in given.items() if value and name != "cursor"}
    try:
        sort = given["sort"] if given["sort"] in ("latest", "size") else None
        size = given["min_size"] or "1"
        if not (size.isascii() and size.isdecimal() and int(size[:10]) > 0 and len(size) < 10):
            raise HTTPException(422, f"at least {size[:40]} articles: give a number of 1 or more")
        until = _date(given["until"], "to")
        query = make_query(
            given["q"],
            "all",
            _date(given["since"], "from"),
            until + timedelta(days=1) if until else None,
            int(size),
            sort,  # type: ignore[arg-type]
        )
        after = decode_cursor(given["cursor"], query.sort)
        rows, more = service.browser.story_page(query, after=after, limit=SEARCH_STORIES)
        if more is not None:
            following = urlencode({**asked, "cursor": encode_cursor(query.sort, more)})
        if not rows and after is None:
            advice = service.browser.advice(query)
    except HTTPException as error:
        problem = error.detail
    return {
        **_common(service, "search"),
        "query": query,
        "given": given,
        "stories": rows,
        "snippets": service.browser.snippets(query, rows),
        "advice": advice,
        "suggested": urlencode({**asked, "q": advice.suggestion or ""}),
        "next": following,
        "problem": problem,
    }


def _date(value: str, what: str) -> datetime | None:
    if not value:
        return None
    try:
        date = datetime.strptime(value, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        date = None
    if date is None or not 1 < date.year < 9998:
        raise HTTPException(422, f"{what} {value[:40]}: write a date like 2026-03-03")
    return date


def _length(step: timedelta) -> str:
    """Return a duration in words."""
    hours = step / timedelta(hours=1)
    number, noun = (hours / 24, "day") if hours >= 24 and hours % 24 == 0 else (hours, "hour")
    return f"{number:g} {noun}" if number == 1 else f"{number:g} {noun}s"
