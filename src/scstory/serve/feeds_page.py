"""The page of feeds: their health at a glance, and forms to add, remove, import and export them."""

from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import HTMLResponse, Response
from pydantic import ValidationError
from starlette.datastructures import UploadFile

from scstory.feeds.schedule import Subscription
from scstory.serve.following_models import FeedIn
from scstory.serve.imports import start_imports
from scstory.serve.page import show
from scstory.serve.service import Service, service_of
from scstory.serve.sign_in import Editor, done
from scstory.serve.subscriptions import add_feed, import_opml, opml_of, remove_feed
from scstory.text.phrases import counted

SILENT_DAYS = 14
"""A feed without news for so long is shown as silent."""

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)


@router.get("/feeds")
async def feeds_page(request: Request, editor: Editor) -> Response:
    """The feeds that are followed, for editors: addresses may hold secrets."""
    return await show(request, "feeds.html", _values, here="feeds")


@router.post("/feeds")
async def add(request: Request, editor: Editor) -> Response:
    """Follow a feed."""
    form = await request.form()
    try:
        given = {name: str(form.get(name, "")).strip() for name in ("url", "section")}
        feed = FeedIn.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        raise HTTPException(422, f"{first['loc'][0]}: {first['msg']}") from None
    made = await add_feed(service_of(request), feed)
    what = f"{made.title or made.url} ({made.url})" if made.title else made.url
    if not made.added:
        return done(request, "/feeds", f"{what} is followed already.")
    return done(request, "/feeds", f"Following {what}: {counted(made.items or 0, 'item')}.")


@router.post("/feeds/remove")
async def remove(request: Request, editor: Editor) -> Response:
    """Stop following a feed."""
    url = str((await request.form()).get("url", ""))
    await remove_feed(service_of(request), url)
    return done(request, "/feeds", f"{url} is followed no longer. Its articles stay.")


@router.get("/feeds.opml")
async def export(request: Request, editor: Editor) -> Response:
    """Return the list of feeds as a file."""
    return await opml_of(service_of(request))


@router.post("/feeds/opml")
async def import_list(request: Request, editor: Editor) -> Response:
    """Follow the feeds of a list."""
    given = (await request.form()).get("file")
    if not isinstance(given, UploadFile) or not given.filename:
        raise HTTPException(422, "no file; choose a list of feeds in OPML")
    result = await import_opml(service_of(request), await given.read())
    known = f", {result.known:,} already followed" if result.known else ""
    bad = f"; not usable: {'; '.join(result.problems)}" if result.problems else ""
    return done(request, "/feeds", f"{counted(result.added, 'feed')} added{known}{bad}.")


@router.post("/import")
async def import_articles(request: Request, editor: Editor) -> Response:
    """Read files of articles: they go through the inbox, as everything does."""
    imports = service_of(request).imports
    if imports is None:
        raise HTTPException(403, "this service is read-only")
    names = await start_imports(imports, await request.form())
    return done(request, "/feeds#imports", f"Reading {', '.join(names)}.")


def health(feed: Subscription, now: datetime) -> tuple[str, str]:
    """Return the state of a feed in one word, and the reason.

    >>> health(Subscription("https://x.example/", errors=3, error="answered 404"), datetime.max)
    ('failing', 'answered 404; 3 failures in a row')
    """
    if feed.errors:
        failures = f"{counted(feed.errors, 'failure')} in a row"
        return "failing", f"{feed.error or 'no response'}; {failures}"
    if feed.fetched is None:
        return "new", "not fetched yet"
    if feed.found is None:
        return "silent", "nothing new so far"
    days = (now - feed.found).days
    return ("silent", f"no news for {days} days") if days >= SILENT_DAYS else ("working", "")


def _values(service: Service) -> dict[str, Any]:
    now = datetime.now(UTC)
    rows = [(feed, *health(feed, now)) for feed in service.browser.feeds()]
    rows.sort(key=lambda row: (not row[0].section, row[0].section.casefold(), row[0].section))
    states = [state for _, state, _ in rows]
    return {
        "sections": [
            (name, list(some)) for name, some in groupby(rows, lambda row: row[0].section)
        ],
        "number": len(rows),
        "health": [
            (state, states.count(state))
            for state in ("working", "failing", "silent", "new")
            if state in states
        ],
        "imports": service.imports.latest() if service.imports else [],
        "follows": service.feeds is not None,
        "program": service.program,
    }
