"""The routes of the daily digest: as a page, to be mailed, and as JSON."""

from datetime import date
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Path, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from scstory.serve.archive import parse_day
from scstory.serve.digest import as_html, as_markdown, make_digest
from scstory.serve.digest_models import DigestOut
from scstory.serve.models import Problem
from scstory.serve.page import show
from scstory.serve.service import Service, service_of
from scstory.serve.syndicate import base_url

MAIL_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"
)
"""A mail has its styles in its elements; it has no scripts and loads nothing."""

router = APIRouter()


@router.get("/digest", include_in_schema=False)
async def latest(request: Request) -> Response:
    """Lead to the digest of the latest day."""
    now = await run_in_threadpool(service_of(request).browser.now)
    if now is None:
        raise HTTPException(404, "digest: there are no articles yet")
    return RedirectResponse(f"/digest/{now.date()}", 307)


@router.get("/digest/{name}", include_in_schema=False, response_class=HTMLResponse)
async def digest_page(request: Request, name: str) -> Response:
    """The digest of a day: `2026-03-03`, or with `.md` or `.html` to be mailed."""
    text, _, form = name.partition(".")
    day, base = parse_day(text), base_url(request)
    service = service_of(request)
    follows = tuple(await run_in_threadpool(service.browser.follows))
    key = ("digest", name, base)
    version = service.version_with(follows)
    if form in ("md", "html"):
        write = as_markdown if form == "md" else as_html
        media_type = "text/markdown" if form == "md" else "text/html"
        return await service.cache.respond(
            request,
            key,
            lambda: write(make_digest(service.browser, day), base),
            media_type=f"{media_type}; charset=utf-8",
            headers={"content-security-policy": MAIL_POLICY} if form == "html" else None,
            version=version,
        )
    if form:
        raise HTTPException(404, f"digest {name[:40]}: there are .md and .html")

    return await show(
        request,
        "digest.html",
        lambda service: _values(service, day),
        key=key,
        here="archive",
        version=version,
    )


@router.get(
    "/api/digest/{day}",
    response_model=DigestOut,
    responses={404: {"model": Problem}, 422: {"model": Problem}},
    tags=["stories"],
)
async def digest(
    request: Request, day: Annotated[str, Path(description="A day of UTC, as in 2026-03-03.")]
) -> DigestOut:
    """Return the digest of a day: the stories that are followed, and the largest others."""
    asked = parse_day(day)
    made = await run_in_threadpool(make_digest, service_of(request).browser, asked)
    return DigestOut.from_row(made, articles=made.count.articles, stories=made.count.stories)


def _values(service: Service, day: date) -> dict[str, Any]:
    before, after = service.browser.neighbours(day)
    return {"digest": make_digest(service.browser, day), "before": before, "after": after}
