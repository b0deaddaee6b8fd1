"""What is followed and muted, over the API: stories, queries, outlets."""

from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Path, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from scstory.errors import UsageError
from scstory.serve.following_models import (
    FollowedStories,
    FollowedStoryOut,
    FollowIn,
    FollowList,
    FollowOut,
)
from scstory.serve.intake import DENIED, may_write
from scstory.serve.models import Problem, StoryOut
from scstory.serve.service import Service, service_of
from scstory.store import Store
from scstory.store.follows import Follow
from scstory.store.records import MAX_ID

FOLLOWED_STORIES = 60
"""The most stories on the page of what is followed."""

router = APIRouter(prefix="/api", tags=["following"])
Number = Annotated[int, Path(ge=1, le=MAX_ID, description="The number of the follow.")]


@router.get("/follows", response_model=FollowList)
async def follows(request: Request) -> FollowList:
    """List what is followed and what is muted. Both are of the whole database."""
    rows = await run_in_threadpool(service_of(request).browser.follows)
    return FollowList.model_validate({"follows": rows})


@router.post(
    "/follows",
    status_code=201,
    response_model=FollowOut,
    dependencies=[Depends(may_write)],
    responses=DENIED,
)
async def follow(request: Request, wanted: FollowIn) -> FollowOut:
    """Follow a story, a query or an outlet, or mute it; what is known already is changed."""
    service = service_of(request)
    return FollowOut.model_validate(
        await run_in_threadpool(change_follow, service, wanted.kind, wanted.target, wanted.muted)
    )


@router.delete(
    "/follows/{number}",
    status_code=204,
    dependencies=[Depends(may_write)],
    responses=DENIED | {404: {"model": Problem}},
)
async def unfollow(request: Request, number: Number) -> Response:
    """Neither follow nor mute something any longer."""
    await run_in_threadpool(remove_follow, service_of(request), number)
    return Response(status_code=204)


@router.get("/following", response_model=FollowedStories, responses={422: {"model": Problem}})
async def following(
    request: Request,
    limit: Annotated[int, Query(ge=1, le=200, description="The most stories.")] = 50,
) -> FollowedStories:
    """Return the stories that are followed and not muted, the latest news first."""
    browser = service_of(request).browser

    def found() -> FollowedStories:
        rows = browser.followed_stories(browser.follows(), limit=limit)
        return FollowedStories(
            stories=[
                FollowedStoryOut(
                    story=StoryOut.model_validate(row.story),
                    because=[follow.number for follow in row.because],
                )
                for row in rows
            ]
        )

    return await run_in_threadpool(found)


def change_follow(service: Service, kind: str, target: str, muted: bool) -> Follow:
    """Follow or mute something; answer 422 with the reason if that cannot be."""
    try:
        return _store(service).follow(kind, target, muted=muted)  # type: ignore[arg-type]
    except UsageError as error:
        raise HTTPException(422, str(error)) from None


def remove_follow(service: Service, number: int) -> None:
    """Remove a follow; answer 404 if there is none of that number."""
    if not _store(service).unfollow(number):
        raise HTTPException(404, f"follow {number}: does not exist; GET /api/follows lists all")


def _store(service: Service) -> Store:
    if service.inbox is None:
        raise HTTPException(403, "this service is read-only")
    return service.inbox
