"""Threads and sections over the API."""

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import Response

from scstory.serve.api import NOT_FOUND, CursorText, Limit, StoryId, respond
from scstory.serve.overview_models import SectionList, ThreadDetail, ThreadPage
from scstory.serve.service import Service, service_of
from scstory.serve.story_query import decode_cursor, encode_cursor
from scstory.store.overview_queries import SectionRow, ThreadRow

router = APIRouter(prefix="/api", tags=["overview"])


@router.get("/threads", response_model=ThreadPage)
async def threads(request: Request, cursor: CursorText = None, limit: Limit = 50) -> Response:
    """List the threads, the latest news first: stories that belong to one longer affair."""
    browser, after = service_of(request).browser, decode_cursor(cursor, "articles")

    def make() -> ThreadPage:
        rows, more = browser.threads(after=after, limit=limit)
        return ThreadPage.model_validate({"threads": rows, "next": encode_cursor("articles", more)})

    return await respond(request, ("threads", after, limit), make)


@router.get("/threads/{thread}", response_model=ThreadDetail, responses=NOT_FOUND)
async def thread(request: Request, thread: StoryId) -> Response:
    """Return a thread with its stories. Any story's number leads to its thread."""
    service = service_of(request)

    def make() -> ThreadDetail:
        row = found_thread(service, thread)
        members = service.browser.thread_stories(row.id)
        timeline = service.browser.thread_timeline(row.id)
        return ThreadDetail.from_row(row, members=members, timeline=timeline)

    return await respond(request, ("thread", thread), make)


@router.get("/sections", response_model=SectionList)
async def sections(request: Request) -> Response:
    """List the sections: topics found in the stream. `/api/stories?section=1` has the stories."""
    browser = service_of(request).browser
    return await respond(
        request,
        "sections",
        lambda: SectionList.model_validate({"sections": browser.sections()}),
    )


def found_thread(service: Service, number: int) -> ThreadRow:
    """Return the thread of a story; answer 404 if it belongs to none."""
    row = service.browser.thread(number)
    if row is None:
        raise HTTPException(404, f"thread {number}: does not exist; /api/threads lists all")
    return row


def found_section(service: Service, number: int) -> SectionRow:
    """Return a section; answer 404 if there is none."""
    row = next((one for one in service.browser.sections() if one.id == number), None)
    if row is None:
        raise HTTPException(404, f"section {number}: does not exist; /api/sections lists all")
    return row
