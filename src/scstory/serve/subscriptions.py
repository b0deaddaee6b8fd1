"""The feeds that are followed, listed and changed over the API."""

from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from scstory.config import FeedSettings
from scstory.errors import BadItem, FetchError, SourceError
from scstory.feeds.opml import Outline, read_opml, write_opml
from scstory.feeds.reader import Reader, find_feed
from scstory.feeds.registry import check_web, is_web, with_scheme
from scstory.serve.following_models import FeedIn, FeedList, FeedMade, FeedsImported
from scstory.serve.intake import DENIED, may_write
from scstory.serve.models import Problem
from scstory.serve.service import Service, service_of
from scstory.store import Store

MAX_FOLLOWED_FEEDS = 10_000
MAX_PROBLEMS = 20
"""The most unusable entries of a list that an answer names."""
OPML_TYPE = "text/x-opml"
_OPML = {"required": True, "content": {OPML_TYPE: {"schema": {"type": "string"}}}}

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
    made = await add_feed(service_of(request), feed)
    response.status_code = 201 if made.added else 200
    return made


@router.delete("", status_code=204, responses={404: {"model": Problem}})
async def unfollow(
    request: Request,
    url: Annotated[
        str, Query(max_length=2_000, description="The address as in the list of feeds.")
    ],
) -> Response:
    """Stop following a feed. Its articles stay."""
    await remove_feed(service_of(request), url)
    return Response(status_code=204)


@router.get(
    "/opml",
    response_class=Response,
    responses={200: {"content": {OPML_TYPE: {}}, "description": "The list, with its sections."}},
)
async def exported(request: Request) -> Response:
    """Return the feeds as OPML, the format in which feed readers exchange them."""
    return await opml_of(service_of(request))


@router.post("/opml", response_model=FeedsImported, openapi_extra={"requestBody": _OPML})
async def imported(request: Request) -> FeedsImported:
    """Follow the feeds of a list in OPML. Its folders become sections; nothing is fetched."""
    return await import_opml(service_of(request), await request.body())


async def add_feed(service: Service, feed: FeedIn) -> FeedMade:
    """Follow a feed after it has been fetched; answer 422 with the reason if that cannot be."""
    store, settings = _store_and_settings(service)
    if not is_web(with_scheme(feed.url)):
        raise HTTPException(422, "url: not a web address; write it like https://example.com/feed")
    if len(await run_in_threadpool(store.subscriptions)) >= MAX_FOLLOWED_FEEDS:
        raise _too_many()
    title, items = "", None
    try:
        url = check_web(with_scheme(feed.url))
        if not feed.unchecked:
            url, reading = await find_feed(Reader(settings), feed.url)
            assert reading.listing is not None
            title, items = reading.listing.title, len(reading.listing.entries)
    except (SourceError, FetchError, BadItem) as error:
        raise HTTPException(422, f"url: {error}") from None
    section = " ".join(feed.section.split())
    added = await run_in_threadpool(store.subscribe, url, title, section)
    return FeedMade(url=url, title=title, added=added, items=items)


async def remove_feed(service: Service, url: str) -> None:
    """Stop following a feed; answer 404 if it is not followed."""
    store, _ = _store_and_settings(service)
    if not await run_in_threadpool(store.unsubscribe, url):
        raise HTTPException(
            404, f"{url[:200]}: is not followed; GET /api/feeds lists those that are"
        )


async def opml_of(service: Service) -> Response:
    """Return the feeds as a file in OPML."""
    feeds = await run_in_threadpool(service.browser.subscriptions)
    text = write_opml(Outline(feed.url, feed.title, feed.section) for feed in feeds)
    headers = {"content-disposition": 'attachment; filename="feeds.opml"'}
    return Response(text, media_type=OPML_TYPE, headers=headers)


async def import_opml(service: Service, body: bytes) -> FeedsImported:
    """Follow the feeds of a list; answer 422 if there are none in it, or too many."""
    store, _ = _store_and_settings(service)

    def subscribe() -> FeedsImported:
        outlines, problems = read_opml(body, "the list")
        if not outlines:
            raise HTTPException(422, f"the list: {problems[0].problem}")
        known = {feed.url for feed in store.subscriptions()}
        if len(known | {outline.url for outline in outlines}) > MAX_FOLLOWED_FEEDS:
            raise _too_many()
        added = sum(store.subscribe(one.url, one.title, one.section) for one in outlines)
        reasons = [f"{item.place}: {item.problem}" for item in problems[:MAX_PROBLEMS]]
        return FeedsImported(added=added, known=len(outlines) - added, problems=reasons)

    return await run_in_threadpool(subscribe)


def _too_many() -> HTTPException:
    return HTTPException(
        422, f"{MAX_FOLLOWED_FEEDS:,} feeds can be followed at most; remove some first"
    )


def _store_and_settings(service: Service) -> tuple[Store, FeedSettings]:
    """Return the store of feeds and their settings; answer 403 where none are followed."""
    if service.inbox is None or service.feeds is None:
        raise HTTPException(403, "this service follows no feeds")
    return service.inbox, service.feeds
