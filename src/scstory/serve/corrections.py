"""Corrections over the API: made, listed, undone."""

import time
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Path, Query, Request
from fastapi.responses import JSONResponse, Response
from starlette.concurrency import run_in_threadpool

from scstory.errors import BadCorrection, EditConflict
from scstory.serve.correction_models import Conflict, CorrectionIn, CorrectionList, CorrectionOut
from scstory.serve.intake import DENIED, may_write
from scstory.serve.models import Problem
from scstory.serve.service import Service, service_of
from scstory.store.correction_records import CorrectionRequest, CorrectionRow
from scstory.store.records import MAX_ID

ANSWER_SECONDS = 10.0
"""Seconds that a request waits for the writer."""
POLL_SECONDS = 0.05

router = APIRouter(
    prefix="/api/corrections",
    tags=["corrections"],
    responses={
        422: {"model": Problem},
        503: {"model": Problem, "description": "The store cannot be read at the moment."},
    },
)


@router.get("", response_model=CorrectionList)
async def corrections(
    request: Request,
    story: Annotated[int | None, Query(ge=1, le=MAX_ID, description="About this story.")] = None,
    before: Annotated[
        int, Query(ge=1, le=MAX_ID, description="Those with a smaller number, for the next page.")
    ] = MAX_ID,
    limit: Annotated[int, Query(ge=1, le=200, description="The most corrections.")] = 50,
) -> CorrectionList:
    """List corrections, the latest first."""
    browser = service_of(request).browser
    rows = await run_in_threadpool(
        lambda: browser.corrections(story=story, before=before, limit=limit)
    )
    return CorrectionList.model_validate({"corrections": rows}, from_attributes=True)


@router.get("/{number}", response_model=CorrectionOut, responses={404: {"model": Problem}})
async def correction(
    request: Request, number: Annotated[int, Path(ge=1, le=MAX_ID)]
) -> CorrectionOut:
    """Return a correction, and what became of it."""
    row = await run_in_threadpool(service_of(request).browser.correction, number)
    if row is None:
        raise HTTPException(404, f"correction {number}: there is none")
    return CorrectionOut.model_validate(row)


@router.post(
    "",
    response_model=CorrectionOut,
    responses={
        **DENIED,
        202: {"model": CorrectionOut, "description": "It is safe, and waits for the writer."},
        409: {"model": Conflict, "description": "Somebody else corrected the same meanwhile."},
    },
    dependencies=[Depends(may_write)],
)
async def correct(request: Request, given: CorrectionIn) -> Response:
    """Correct stories: merge, split, rename, pin, hide, move articles, or undo a correction.

    It holds for good: the engine respects it, and learns from it. Each correction can be undone.
    """
    asked = CorrectionRequest(**{**given.model_dump(), "articles": tuple(given.articles)})
    try:
        row = await run_in_threadpool(make_correction, service_of(request), asked)
    except EditConflict as error:
        return _conflict(str(error), error.changes)
    except BadCorrection as error:
        raise HTTPException(422, str(error)) from None
    if row.status == "refused":
        return _conflict(row.answer, [row.answer])
    content = CorrectionOut.model_validate(row).model_dump(mode="json")
    return JSONResponse(content, 202 if row.status == "waiting" else 200)


def make_correction(service: Service, asked: CorrectionRequest) -> CorrectionRow:
    """Store a correction, and return it with the writer's answer, or still waiting."""
    if service.inbox is None:
        raise HTTPException(403, "this service is read-only")
    number = service.inbox.ask(asked).number
    until = time.monotonic() + ANSWER_SECONDS
    while True:
        row = service.browser.correction(number)
        assert row is not None
        late = time.monotonic() > until
        if late or (row.status != "waiting" and _is_visible(service)):
            return row
        time.sleep(POLL_SECONDS)


def _is_visible(service: Service) -> bool:
    """Say whether responses are already made of what was committed last."""
    return service.hub.version.commits >= service.browser.version().commits


def _conflict(detail: str, changes: list[str]) -> Response:
    return JSONResponse(Conflict(detail=detail, changes=changes).model_dump(), 409)
