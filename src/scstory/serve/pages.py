"""The pages, made on the server; scripts only keep them up to date."""

from __future__ import annotations

import gzip
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from itertools import groupby
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from scstory.config import parse_duration
from scstory.serve.api import StoryId, decode_cursor, encode_cursor, found_article, make_query
from scstory.serve.guard import POLICY
from scstory.serve.render import render
from scstory.serve.service import Service, service_of
from scstory.store.views import ArticleRow, Cursor, StoryQuery, StoryRow, Timeline

HTML = "text/html; charset=utf-8"
LEADING, SINGLE, LATEST, OF_ONE, PIECES, COVERAGE, PAST = 24, 30, 12, 3, 60, 3, 12
VISIT = "visit"
MAP_POLICY = POLICY.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
"""Plotly sets styles as it draws; nothing else is let in."""
PAUSE = 30 * 60
"""Seconds without a page after which the next one is a new visit."""

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)


@router.get("/")
async def front(request: Request, fragment: bool = False) -> Response:
    """The stories of the moment."""
    service = service_of(request)
    seen, cookie = _visit(request, service.hub.version.event)

    def make() -> str:
        template = "front_part.html" if fragment else "front.html"
        return render(template, **_front(service, seen))

    response = await service.cache.respond(
        request, ("front", fragment, seen), make, media_type=HTML, patient=not fragment
    )
    if not fragment:
        response.set_cookie(
            VISIT, cookie, max_age=365 * 24 * 3600, httponly=True, samesite="lax", path="/"
        )
    return response


@router.get("/stories/{story}")
async def story(
    request: Request, story: StoryId, cursor: Annotated[str | None, Query(max_length=500)] = None
) -> Response:
    """One story."""
    service = service_of(request)
    if moved := await service.moved(story):
        return RedirectResponse(f"/stories/{moved}", 301)
    after = decode_cursor(cursor, "articles")
    return await service.cache.respond(
        request,
        ("story page", story, after),
        lambda: render("story.html", **_story(service, story, after)),
        media_type=HTML,
    )


@router.get("/articles/{article:path}")
async def article(request: Request, article: str) -> Response:
    """One article, and why it is where it is."""
    service = service_of(request)

    def make() -> str:
        row = found_article(service, article)
        found = service.browser.story(row.story) if row.story else None
        runners = [
            (other, runner.confidence)
            for runner in row.runners_up
            if (other := service.browser.story(runner.story))
        ]
        return render("article.html", **_common(service, ""), row=row, story=found, runners=runners)

    return await service.cache.respond(request, ("article page", article), make, media_type=HTML)


@router.get("/search")
async def search(request: Request) -> Response:
    """Stories by words, time and size."""
    service = service_of(request)
    given = {name: request.query_params.get(name, "") for name in _ASKED}
    key = ("search", tuple(given.items()))
    return await service.cache.respond(
        request, key, lambda: render("search.html", **_search(service, given)), media_type=HTML
    )


@router.get("/map")
async def story_map(request: Request) -> Response:
    """The window's stories in two dimensions."""
    service = service_of(request)
    shown, points = await run_in_threadpool(service.map.latest)

    def make() -> str:
        common = _common(service, "map")
        return render("map.html", **common, points=points, plotly=plotly_version())

    return await service.cache.respond(
        request,
        "map page",
        make,
        media_type=HTML,
        headers={"content-security-policy": MAP_POLICY},
        version=str(shown),
    )


@router.get("/about")
async def about(request: Request) -> Response:
    """How stories are formed, and the state of what forms them."""
    service = service_of(request)
    # The keeper's state changes without a commit: this page is made each time.
    page = await run_in_threadpool(lambda: render("about.html", **_about(service)))
    return HTMLResponse(page, headers={"cache-control": "no-store"})


@router.get("/api")
async def api_page(request: Request) -> Response:
    """The API, described for people; programs read /openapi.json."""
    service = service_of(request)

    def make() -> str:
        return render("api.html", **_common(service, ""), groups=_operations(request.app.openapi()))

    return await service.cache.respond(request, "api page", make, media_type=HTML)


@router.get("/static/plotly.min.js")
async def plotly_script() -> Response:
    """Plotly's script, out of the installed package, packed: it is large."""
    headers = {
        "cache-control": "public, max-age=31536000, immutable",
        "content-encoding": "gzip",
    }
    content = await run_in_threadpool(_packed_plotly)
    return Response(content, media_type="text/javascript", headers=headers)


@cache
def _packed_plotly() -> bytes:
    return gzip.compress((files("plotly") / "package_data" / "plotly.min.js").read_bytes(), 6)


_ASKED = ("q", "since", "until", "min_size", "sort", "cursor")


def _common(service: Service, here: str) -> dict[str, Any]:
    return {"here": here, "event": service.hub.version.event, "demo": service.demo}


def _about(service: Service) -> dict[str, Any]:
    browser = service.browser
    parameters = browser.engine().get("parameters", {})
    return {
        **_common(service, "about"),
        "counts": browser.counts(),
        "window": _length(parse_duration(parameters.get("window", "7d"))),
        "slide": _length(parse_duration(parameters.get("slide", "1d"))).removeprefix("1 "),
        "keeper": service.keeper_state(),
        "feeds": browser.feeds(),
    }


def _operations(schema: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return what OpenAPI says of each operation, by its tag."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            one = {
                "method": method.upper(),
                "path": path,
                "text": operation.get("description", ""),
                "parameters": operation.get("parameters", []),
                "token": bool(operation.get("security")),
            }
            groups.setdefault(operation.get("tags", ["more"])[0], []).append(one)
    return groups


def _front(service: Service, seen: int | None) -> dict[str, Any]:
    browser, event = service.browser, service.hub.version.event
    told = StoryQuery(active=True, min_size=2, sort="momentum")
    stories, more = browser.stories(told, limit=LEADING)
    once = StoryQuery(active=True, max_size=1, sort="momentum")
    single, _ = browser.stories(once, limit=SINGLE)
    coverage = browser.articles_of(stories[0].id, limit=COVERAGE + 1)[0] if stories else []
    past = [] if stories or single else browser.stories(StoryQuery(), limit=PAST)[0]
    return {
        **_common(service, "front"),
        "coverage": [row for row in coverage if row.title != stories[0].title][:COVERAGE],
        "now": browser.now(),
        "present": browser.present(),
        "waiting": browser.waiting(),
        "stories": stories,
        "single": single,
        "past": past,
        "latest": _varied(browser.latest(limit=5 * LATEST)),
        "more": more is not None,
        "fresh": {} if seen is None else browser.grown_between(seen, event),
    }


def _varied(latest: list[tuple[ArticleRow, str]]) -> list[tuple[ArticleRow, str]]:
    """Return the latest articles, at most a few of one story: none should drown the others."""
    told: Counter[int | None] = Counter()
    found = []
    for article, title in latest:
        told[article.story] += 1
        if told[article.story] <= OF_ONE:
            found.append((article, title))
    return found[:LATEST]


def _story(service: Service, story: int, after: Cursor | None) -> dict[str, Any]:
    browser = service.browser
    row = browser.story(story)
    if row is None:
        raise HTTPException(404, f"There is no story {story}.")
    pieces, more = browser.articles_of(story, after=after, limit=PIECES)
    life = browser.timeline(story)
    shown = {piece.id: piece for piece in pieces}
    days = [(date, list(rows)) for date, rows in groupby(pieces, key=lambda p: p.published.date())]
    return {
        **_common(service, ""),
        "story": row,
        "life": life,
        "ticks": _ticks(life),
        "step": _step(life.step),
        "days": days,
        "pieces_of": {
            key.article: shown.get(key.article) or browser.article(key.article)
            for key in row.key_sentences
        },
        "related": browser.related(story),
        "next": encode_cursor("articles", more),
    }


def _search(service: Service, given: dict[str, str]) -> dict[str, Any]:
    query, following, problem = StoryQuery(), None, None
    rows: list[StoryRow] = []
    try:
        sort = given["sort"] if given["sort"] in ("latest", "size") else None
        size = given["min_size"] or "1"
        if not (size.isascii() and size.isdecimal() and int(size[:10]) > 0 and len(size) < 10):
            raise HTTPException(422, f"at least {size[:40]} articles: give a number from 1 on")
        until = _date(given["until"], "to")
        query = make_query(
            given["q"][:200],
            "all",
            _date(given["since"], "from"),
            until + timedelta(days=1) if until else None,
            int(size),
            sort,  # type: ignore[arg-type]
        )
        after = decode_cursor(given["cursor"], query.sort)
        rows, more = service.browser.stories(query, after=after, limit=30)
        if more is not None:
            asked = {k: v for k, v in given.items() if v and k != "cursor"}
            following = urlencode({**asked, "cursor": encode_cursor(query.sort, more)})
    except HTTPException as error:
        problem = error.detail
    return {
        **_common(service, "search"),
        "query": query,
        "given": given,
        "stories": rows,
        "snippets": service.browser.snippets(query.text, [row.id for row in rows]),
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


def _visit(request: Request, event: int) -> tuple[int | None, str]:
    """Return the last event of the visit before this one, and the cookie that goes on from here.

    The cookie holds where this visit began, where it has got to, and when.
    """
    now = int(time.time())
    parts = request.cookies.get(VISIT, "").split(".")
    if len(parts) != 3 or not all(p.isascii() and p.isdecimal() and len(p) < 19 for p in parts):
        return None, f"{event}.{event}.{now}"
    began, reached, at = map(int, parts)
    if now - at > PAUSE:
        began = reached
    return min(began, event), f"{began}.{event}.{now}"


@cache
def plotly_version() -> str:
    """Return the installed plotly's version."""
    return version("plotly")


def _ticks(life: Timeline) -> list[str]:
    form = "{0.day} {0:%b} {0:%H:%M}" if life.step < timedelta(days=1) else "{0.day} {0:%b}"
    return [form.format(life.start + i * life.step) for i in range(len(life.counts))] or [""]


def _step(step: timedelta) -> str:
    words = {1: "an hour", 24: "a day", 168: "a week"}
    return words.get(int(step.total_seconds() // 3600)) or _length(step)


def _length(step: timedelta) -> str:
    """Return a length of time in words."""
    hours = step / timedelta(hours=1)
    number, noun = (hours / 24, "day") if hours >= 24 and hours % 24 == 0 else (hours, "hour")
    return f"{number:g} {noun}" if number == 1 else f"{number:g} {noun}s"
