"""The feeds that are followed, listed and changed over the API."""

from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from scstory.config import FeedSettings
from scstory.errors import BadItem, FetchError, SourceError
from scstory.feeds.reader import Reader, find_feed
from scstory.feeds.registry import check_web, is_web
from scstory.serve.intake import DENIED, may_write
from scstory.serve.models import FeedIn, FeedList, FeedMade, Problem
from scstory.serve.service import service_of
from scstory.store import Store

MAX_FOLLOWED_FEEDS = 10_000

router = APIRouter(
    prefix="/api/feeds", tags=["following"], dependencies=[Depends(may_write)], responses=DENIED
)


@router.get("", response_model=FeedList)
async def followed(request: Request) -> FeedList:
    """List the feeds that are followed and the state of their polling.

    This needs the token too: the address of a feed may contain a secret.
    """
    rows = await run_in_threadpool(service_of(request).browser.feeds)
    return FeedList.model_validate({"feeds": rows})


@router.post(
    "",
    status_code=201,
    response_model=FeedMade,
    responses={200: {"model": FeedMade, "description": "It was followed already."}},
)
async def follow(request: Request, response: Response, feed: FeedIn) -> FeedMade:
    """Follow a feed, or the feed that a page links to. It is fetched first.

    `newsapi:QUERY` is a feed too. An address without a readable feed is refused with the reason.
    """
    store, settings = _store_and_settings(request)
    if not is_web(feed.url):
        raise HTTPException(422, "url: not a web address; write it like https://example.com/feed")
    if len(await run_in_threadpool(store.subscriptions)) >= MAX_FOLLOWED_FEEDS:
        raise HTTPException(
            422, f"{MAX_FOLLOWED_FEEDS:,} feeds are followed, which is the limit; remove one first"
        )
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
    url: Annotated[
        str, Query(max_length=2_000, description="The address as in the list of feeds.")
    ],
) -> Response:
    """Stop following a feed. Its articles stay."""
    store, _ = _store_and_settings(request)
    if not await run_in_threadpool(store.unsubscribe, url):
        raise HTTPException(
            404, f"{url[:200]}: is not followed; GET /api/feeds lists those that are"
        )
    return Response(status_code=204)


def _store_and_settings(request: Request) -> tuple[Store, FeedSettings]:
    """Return the store of feeds and their settings; answer 403 where none are followed."""
    service = service_of(request)
    if service.inbox is None or service.feeds is None:
        raise HTTPException(403, "this service follows no feeds")
    return service.inbox, service.feeds
