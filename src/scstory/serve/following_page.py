"""The page of what is followed, and its forms."""

from typing import Any, get_args

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import HTMLResponse, Response
from starlette.concurrency import run_in_threadpool

from scstory.serve.following import FOLLOWED_STORIES, change_follow, remove_follow
from scstory.serve.page import show
from scstory.serve.service import Service, service_of
from scstory.serve.sign_in import Editor, done
from scstory.store.follows import Follow, FollowKind
from scstory.store.records import MAX_ID

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)


@router.get("/following")
async def following_page(request: Request) -> Response:
    """The stories that are followed, and what is followed and muted."""
    follows = await run_in_threadpool(service_of(request).browser.follows)
    return await show(
        request,
        "following.html",
        lambda service: _values(service, follows),
        key="following",
        here="following",
        version=service_of(request).version_with(follows),
    )


@router.post("/following")
async def follow(request: Request, editor: Editor) -> Response:
    """Follow or mute something."""
    form = await request.form()
    kind, target = str(form.get("kind", "")), str(form.get("target", ""))
    if kind not in get_args(FollowKind):
        raise HTTPException(422, f"kind {kind[:40]!r}: follow a story, a query or an outlet")
    muted = form.get("muted") == "yes"
    service = service_of(request)
    made = await run_in_threadpool(change_follow, service, kind, target, muted)
    said = "Muted" if muted else "Following"
    return done(request, str(form.get("next", "/following")), f"{said}: {_name(made)}.")


@router.post("/following/remove")
async def unfollow(request: Request, editor: Editor) -> Response:
    """Neither follow nor mute something any longer."""
    form = await request.form()
    number = str(form.get("number", ""))
    if not (number.isascii() and number.isdecimal() and int(number[:20]) <= MAX_ID):
        raise HTTPException(422, f"number {number[:40]!r}: not that of a follow")
    await run_in_threadpool(remove_follow, service_of(request), int(number))
    return done(request, str(form.get("next", "/following")), "Removed.")


def _name(follow: Follow) -> str:
    return f"{follow.kind} {follow.target}"


def _values(service: Service, follows: list[Follow]) -> dict[str, Any]:
    browser = service.browser
    stories = [int(follow.target) for follow in follows if follow.kind == "story"]
    titles = {number: story.title for number in stories if (story := browser.story(number))}
    shown = [
        (follow, titles.get(int(follow.target)) if follow.kind == "story" else None)
        for follow in follows
    ]
    return {
        "followed": [pair for pair in shown if not pair[0].muted],
        "muted": [pair for pair in shown if pair[0].muted],
        "stories": browser.followed_stories(follows, limit=FOLLOWED_STORIES),
        "most": FOLLOWED_STORIES,
    }
