"""Correcting stories on their pages, and the list of what was corrected, with a way back."""

from typing import Annotated, Any, cast, get_args

from fastapi import APIRouter, HTTPException, Path, Query, Request
from fastapi.responses import HTMLResponse, Response
from starlette.concurrency import run_in_threadpool

from scstory.errors import BadCorrection, EditConflict
from scstory.serve.api import StoryId
from scstory.serve.corrections import make_correction
from scstory.serve.page import show
from scstory.serve.service import Service, service_of
from scstory.serve.sign_in import Editor, done
from scstory.store.correction_records import (
    MARKS,
    MAX_EDITOR,
    CorrectionKind,
    CorrectionRequest,
    CorrectionRow,
)
from scstory.store.records import MAX_ID, ArticleRow

SHOWN_ON_STORY, SHOWN_ON_LIST = 20, 100
"""The most corrections on a story's page, and on the page of all."""
NOBODY = "an editor"
"""Who corrects without giving a name."""

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)


@router.get("/corrections")
async def corrections_page(
    request: Request, before: Annotated[int, Query(ge=1, le=MAX_ID)] = MAX_ID
) -> Response:
    """What people have corrected, the latest first."""

    def values(service: Service) -> dict[str, Any]:
        rows = service.browser.corrections(before=before, limit=SHOWN_ON_LIST)
        more = rows[-1].number if len(rows) == SHOWN_ON_LIST else None
        return {"corrections": rows, "more": more}

    return await show(request, "corrections.html", values, key=("corrections", before))


@router.post("/stories/{story}/correct")
async def correct(request: Request, story: StoryId, editor: Editor) -> Response:
    """Correct a story: the button that was pressed says how."""
    form = await request.form()
    kind = str(form.get("kind", ""))
    if kind not in get_args(CorrectionKind):
        raise HTTPException(422, "nothing chosen; press one of the buttons")
    named, target = str(form.get("editor", "")).strip(), str(form.get("target", "")).strip()
    if kind in ("merge", "move") and not (target.isascii() and target.isdecimal()):
        raise HTTPException(422, f"story {target[:40]!r}: give the number of a story")
    title = str(form.get("title", ""))
    asked = CorrectionRequest(
        kind=cast(CorrectionKind, kind),
        story=None if kind == "move" else story,
        target=int(target[:19]) if kind in ("merge", "move") else None,
        articles=tuple(str(a) for a in form.getlist("article")) if kind in _OF_ARTICLES else (),
        title=title if kind == "rename" else None,
        editor=named[:MAX_EDITOR] or NOBODY,
        seen=_seen(str(form.get("seen", ""))),
    )
    row = await _made(service_of(request), asked)
    following = row.target if kind == "merge" else row.founded or story
    return done(request, f"/stories/{following}", _notice(row))


@router.post("/corrections/{number}/undo")
async def undo(
    request: Request, number: Annotated[int, Path(ge=1, le=MAX_ID)], editor: Editor
) -> Response:
    """Take a correction back."""
    form = await request.form()
    named = str(form.get("editor", "")).strip()[:MAX_EDITOR] or NOBODY
    row = await _made(
        service_of(request), CorrectionRequest(kind="undo", undoes=number, editor=named)
    )
    return done(request, str(form.get("next", "/corrections")), _notice(row))


_OF_ARTICLES = ("split", "move")


def desk_values(
    service: Service, story: int, articles: list[ArticleRow]
) -> dict[str, list[CorrectionRow] | dict[int, CorrectionRow]]:
    """Return what the page of a story shows of its corrections."""
    browser = service.browser
    numbers = {row.correction for row in articles if row.correction is not None}
    found = {number: browser.correction(number) for number in sorted(numbers)}
    return {
        "corrections": browser.corrections(story=story, limit=SHOWN_ON_STORY),
        "placed": {number: row for number, row in found.items() if row is not None},
    }


async def _made(service: Service, asked: CorrectionRequest) -> CorrectionRow:
    try:
        row = await run_in_threadpool(make_correction, service, asked)
    except EditConflict as error:
        raise HTTPException(409, str(error)) from None
    except BadCorrection as error:
        raise HTTPException(422, str(error)) from None
    if row.status == "refused":
        raise HTTPException(409, row.answer)
    return row


def _notice(row: CorrectionRow) -> str:
    if row.status == "waiting":
        return f"Correction {row.number} is stored and waits for the writer."
    said = row.answer[:1].upper() + row.answer[1:]
    return said if row.kind in (*MARKS, "undo") else f"{said}. It can be undone below."


def _seen(event: str) -> int | None:
    return int(event) if event.isascii() and event.isdecimal() and len(event) < 19 else None
