"""The pages of threads and sections."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from scstory.serve.api import StoryId
from scstory.serve.overview import found_section, found_thread
from scstory.serve.page import show
from scstory.serve.service import NO_CACHE, Service, service_of
from scstory.serve.story_query import decode_cursor, encode_cursor
from scstory.store.records import Cursor, StoryQuery

SECTION_STORIES, STORIES_OF_SECTION = 5, 40
"""The most stories of a section on the page of all, and on a page of its own."""
THREADS = 40
"""The most threads on a page."""
CursorText = Annotated[str | None, Query(max_length=500)]

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)


@router.get("/threads")
async def threads_page(request: Request, cursor: CursorText = None) -> Response:
    """The threads, the latest news first."""
    after = decode_cursor(cursor, "articles")

    def values(service: Service) -> dict[str, Any]:
        rows, more = service.browser.threads(after=after, limit=THREADS)
        latest = {row.id: service.browser.thread_stories(row.id, limit=4) for row in rows}
        return {"threads": rows, "stories": latest, "next": encode_cursor("articles", more)}

    return await show(request, "threads.html", values, key=("threads page", after), here="threads")


@router.get("/threads/{thread}")
async def thread_page(request: Request, thread: StoryId) -> Response:
    """One thread: its timeline, and its stories."""
    found = await run_in_threadpool(found_thread, service_of(request), thread)
    if found.id != thread:
        return RedirectResponse(f"/threads/{found.id}", 303, NO_CACHE)

    def values(service: Service) -> dict[str, Any]:
        row = found_thread(service, thread)
        return {
            "thread": row,
            "stories": service.browser.thread_stories(row.id),
            "counts": service.browser.thread_timeline(row.id),
        }

    return await show(request, "thread.html", values, key=("thread page", thread), here="threads")


@router.get("/sections")
async def sections_page(request: Request) -> Response:
    """The sections, each with some of its stories."""

    def values(service: Service) -> dict[str, Any]:
        rows = service.browser.sections()
        return {"sections": [(row, _first(service, row.id, row.active)) for row in rows]}

    return await show(request, "sections.html", values, key="sections page", here="sections")


@router.get("/sections/{section}")
async def section_page(request: Request, section: StoryId, cursor: CursorText = None) -> Response:
    """The stories of one section, the latest news first."""
    after = decode_cursor(cursor, "latest")
    return await show(
        request,
        "section.html",
        lambda service: _section(service, section, after),
        key=("section page", section, after),
        here="sections",
    )


def _first(service: Service, section: int, active: int) -> list[Any]:
    """Return the stories of a section that have most momentum, or else the latest."""
    query = StoryQuery(
        active=True if active else None, sort="momentum" if active else "latest", section=section
    )
    return service.browser.story_page(query, limit=SECTION_STORIES)[0]


def _section(service: Service, section: int, after: Cursor | None) -> dict[str, Any]:
    row = found_section(service, section)
    query = StoryQuery(section=section)
    stories, more = service.browser.story_page(query, after=after, limit=STORIES_OF_SECTION)
    return {"section": row, "stories": stories, "next": encode_cursor("latest", more)}
