"""The feeds that are followed, seen and changed over the API."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from scstory.config import FeedSettings
from scstory.errors import BadItem, FetchError, SourceError
from scstory.feeds.opening import check_web, is_web
from scstory.feeds.reader import Reader, find_feed
from scstory.serve.intake import DENIED, may_write
from scstory.serve.models import FeedIn, FeedList, FeedMade, FeedOut, Problem
from scstory.serve.service import service_of
from scstory.store import Store

AT_MOST = 10_000
"""Feeds that may be followed."""

router = APIRouter(
    prefix="/api/feeds", tags=["following"], dependencies=[Depends(may_write)], responses=DENIED
)


@router.get("", response_model=FeedList)
async def followed(request: Request) -> FeedList:
    """List the feeds that are followed and how they fare.

    This needs the token too: addresses of feeds may hold secrets.
    """
    rows = await run_in_threadpool(service_of(request).browser.feeds)
    return FeedList(
        feeds=[
            FeedOut(
                url=row.url,
                title=row.title,
                fetched=row.fetched,
                found=row.found,
                failures=row.errors,
                problem=row.error,
            )
            for row in rows
        ]
    )


@router.post(
    "",
    status_code=201,
    response_model=FeedMade,
    responses={200: {"model": FeedMade, "description": "It was followed already."}},
)
async def follow(request: Request, response: Response, feed: FeedIn) -> FeedMade:
    """Follow a feed from now on; of a page, the feed it names. It is fetched first, to be sure.

    `newsapi:QUERY` is a feed too. What cannot be fetched or read is refused with the reason.
    """
    store, settings = _kept(request)
    if not is_web(feed.url):
        raise HTTPException(422, "url: no web address; write it like https://example.com/feed")
    if len(await run_in_threadpool(store.subscriptions)) >= AT_MOST:
        raise HTTPException(422, f"{AT_MOST:,} feeds are followed; remove one first")
    title, items = "", None
    try:
        url = check_web(feed.url)
        if not feed.unchecked:
            url, reading = await find_feed(Reader(settings), url)
            assert reading.listing is not None
            title, items = reading.listing.title, len(reading.listing.entries)
    except (SourceError, FetchError, BadItem) as error:
        raise HTTPException(422, f"url: {error}") from None
    added = await run_in_threadpool(store.subscribe, url, title)
    response.status_code = 201 if added else 200
    return FeedMade(url=url, title=title, added=added, items=items)


@router.delete("", status_code=204, responses={404: {"model": Problem}})
async def unfollow(
    request: Request,
    url: Annotated[str, Query(max_length=2_000, description="As the list of feeds has it.")],
) -> Response:
    """Follow a feed no longer. Its articles stay."""
    store, _ = _kept(request)
    if not await run_in_threadpool(store.unsubscribe, url):
        raise HTTPException(404, f"{url[:200]}: not followed; GET /api/feeds lists those that are")
    return Response(status_code=204)


def _kept(request: Request) -> tuple[Store, FeedSettings]:
    """Return where feeds are written down and how they are read, if they are followed here."""
    service = service_of(request)
    if service.inbox is None or service.feeds is None:
        raise HTTPException(403, "no feeds are followed here")
    return service.inbox, service.feeds
