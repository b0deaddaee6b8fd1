"""The pages, rendered on the server; scripts only keep them up to date."""

import gzip
import time
from collections import Counter
from collections.abc import Callable, Hashable
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
from scstory.serve.api import StoryId, found_article, found_story
from scstory.serve.guard import POLICY
from scstory.serve.render import render
from scstory.serve.service import Service, service_of
from scstory.serve.story_query import decode_cursor, encode_cursor, make_query
from scstory.store.records import ArticleRow, Cursor, StoryQuery, StoryRow
from scstory.store.search.suggestions import Advice
from scstory.store.timeline import Timeline

FRONT_STORIES, FRONT_SINGLES, FRONT_ENDED, FRONT_LATEST = 24, 30, 12, 12
"""The most stories, stories of one article, ended stories and latest articles on the front page."""
LATEST_PER_STORY, LEAD_HEADLINES = 3, 3
"""The most latest articles of one story, and further headlines of the first story."""
STORY_ARTICLES, SEARCH_STORIES = 60, 30
"""The most articles on a story's page, and stories on a page of search results."""
SEARCH_FIELDS = ("q", "since", "until", "min_size", "sort", "cursor")
VISIT_COOKIE = "visit"
VISIT_PAUSE = 30 * 60
"""Seconds without a request after which the next one begins a new visit."""
MAP_POLICY = POLICY.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
"""Plotly sets styles as it draws; nothing else is allowed."""

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
    seen, cookie = _visit(request, service_of(request).hub.version.event)
    template = "front_part.html" if fragment else "front.html"
    response = await _respond(
        request,
        ("front", fragment, seen),
        template,
        lambda service: _front(service, seen),
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
    return await _respond(request, key, "story.html", lambda s: _story(s, story, after))


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


@router.get("/map")
async def story_map(request: Request) -> Response:
    """The stories of the window in two dimensions."""
    shown, points = await run_in_threadpool(service_of(request).map.latest)
    return await _respond(
        request,
        "map page",
        "map.html",
        lambda s: {**_common(s, "map"), "points": points, "plotly": version("plotly")},
        headers={"content-security-policy": MAP_POLICY},
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


@router.get("/static/plotly.min.js")
async def plotly_script() -> Response:
    """Plotly's script from the installed package, compressed because it is large."""
    headers = {"cache-control": "public, max-age=31536000, immutable", "content-encoding": "gzip"}
    content = await run_in_threadpool(_compressed_plotly)
    return Response(content, media_type="text/javascript", headers=headers)


@cache
def _compressed_plotly() -> bytes:
    return gzip.compress((files("plotly") / "package_data" / "plotly.min.js").read_bytes(), 6)


def _common(service: Service, here: str = "") -> dict[str, Any]:
    return {"here": here, "event": service.hub.version.event, "demo": service.demo}


def _about(service: Service) -> dict[str, Any]:
    browser = service.browser
    parameters = browser.engine().get("parameters", {})
    return {
        **_common(service, "about"),
        "counts": browser.counts(),
        "window": _length(parse_duration(parameters.get("window", "7d"))),
        "slide": _length(parse_duration(parameters.get("slide", "1d"))).removeprefix("1 "),
        "writer": service.writer_state(),
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


def _front(service: Service, seen: int | None) -> dict[str, Any]:
    browser, event = service.browser, service.hub.version.event
    of_several = StoryQuery(active=True, min_size=2, sort="momentum")
    stories, more = browser.story_page(of_several, limit=FRONT_STORIES)
    of_one = StoryQuery(active=True, max_size=1, sort="momentum")
    single, _ = browser.story_page(of_one, limit=FRONT_SINGLES)
    coverage = browser.article_page(stories[0].id, limit=LEAD_HEADLINES + 1)[0] if stories else []
    ended = [] if stories or single else browser.story_page(StoryQuery(), limit=FRONT_ENDED)[0]
    return {
        **_common(service, "front"),
        "coverage": [row for row in coverage if row.title != stories[0].title][:LEAD_HEADLINES],
        "now": browser.now(),
        "present": browser.present(),
        "waiting": browser.waiting(),
        "stories": stories,
        "single": single,
        "ended": ended,
        "latest": _varied(browser.latest(limit=5 * FRONT_LATEST)),
        "more": more is not None,
        "fresh": {} if seen is None else browser.grown_between(seen, event),
    }


def _varied(latest: list[tuple[ArticleRow, str]]) -> list[tuple[ArticleRow, str]]:
    """Return the latest articles, but only a few of each story, so that none fills the list."""
    shown: Counter[int | None] = Counter()
    found = []
    for article, title in latest:
        shown[article.story] += 1
        if shown[article.story] <= LATEST_PER_STORY:
            found.append((article, title))
    return found[:FRONT_LATEST]


def _story(service: Service, story: int, after: Cursor | None) -> dict[str, Any]:
    browser = service.browser
    row = found_story(service, story)
    articles, more = browser.article_page(story, after=after, limit=STORY_ARTICLES)
    timeline = browser.timeline(story)
    shown = {article.id: article for article in articles}
    days = [
        (date, list(rows)) for date, rows in groupby(articles, key=lambda a: a.published.date())
    ]
    return {
        **_common(service),
        "story": row,
        "timeline": timeline,
        "ticks": _ticks(timeline),
        "step": _step(timeline.step),
        "days": days,
        "key_articles": {
            key.article: shown.get(key.article) or browser.article(key.article)
            for key in row.key_sentences
        },
        "related": browser.related(story),
        "next": encode_cursor("articles", more),
    }


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


def _visit(request: Request, event: int) -> tuple[int | None, str]:
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


def _ticks(timeline: Timeline) -> list[str]:
    start, step = timeline.start, timeline.step
    form = "{0.day} {0:%b} {0:%H:%M}" if step < timedelta(days=1) else "{0.day} {0:%b}"
    return [form.format(start + i * step) for i in range(len(timeline.counts))] or [""]


def _step(step: timedelta) -> str:
    words = {1: "an hour", 24: "a day", 168: "a week"}
    return words.get(int(step.total_seconds() // 3600)) or _length(step)


def _length(step: timedelta) -> str:
    """Return a duration in words."""
    hours = step / timedelta(hours=1)
    number, noun = (hours / 24, "day") if hours >= 24 and hours % 24 == 0 else (hours, "hour")
    return f"{number:g} {noun}" if number == 1 else f"{number:g} {noun}s"
