"""Webhooks: registered over the API, signed, delivered in order, and retried until they succeed."""

import asyncio
import hashlib
import hmac
import json
import random
import secrets
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Annotated

import httpx2
from fastapi import APIRouter, Depends, HTTPException, Path, Request, Response
from starlette.concurrency import run_in_threadpool

from scstory.errors import BadQuery, FetchError, StoreError
from scstory.feeds.public_address import addresses_of, parse_url, resolve
from scstory.serve.api import found_story
from scstory.serve.events import Hub, as_json
from scstory.serve.following_models import WebhookIn, WebhookList, WebhookMade
from scstory.serve.intake import DENIED, may_write
from scstory.serve.models import Problem
from scstory.serve.service import Service, service_of
from scstory.store.records import MAX_ID, Event
from scstory.store.search.query import parse
from scstory.store.store_reader import SharedReader
from scstory.store.webhooks import Webhook, Webhooks

MAX_WEBHOOKS = 100
EVENTS_PER_DELIVERY = 100
DELIVERY_TIMEOUT = 10.0
FIRST_RETRY, LAST_RETRY = 5.0, 3600.0
"""Seconds until the first retry, and the longest wait for a later one."""
DELIVERY_INTERVAL = 0.5
"""Seconds between two checks for webhooks that are behind."""

router = APIRouter(
    prefix="/api/webhooks", dependencies=[Depends(may_write)], responses=DENIED, tags=["webhooks"]
)


@router.post("", status_code=201, response_model=WebhookMade)
async def register(request: Request, hook: WebhookIn) -> WebhookMade:
    """Register an address to which events are delivered from now on.

    A delivery is a POST of `{"events": [...]}` with the headers `Scstory-Timestamp` and
    `Scstory-Signature`: `sha256=` and the HMAC-SHA256, in hex, of timestamp, a dot and the body,
    with the secret. It succeeds with any 2xx response and is retried after any other.
    """
    return WebhookMade.model_validate(await add_webhook(service_of(request), hook))


@router.get("", response_model=WebhookList)
async def registered(request: Request) -> WebhookList:
    """List the webhooks and the state of their deliveries. Secrets are not shown again."""
    hooks = await run_in_threadpool(webhooks_of, service_of(request))
    return WebhookList.model_validate({"webhooks": hooks})


@router.delete("/{number}", status_code=204, responses={404: {"model": Problem}})
async def forget(request: Request, number: Annotated[int, Path(ge=1, le=MAX_ID)]) -> Response:
    """Delete a webhook."""
    await run_in_threadpool(remove_webhook, service_of(request), number)
    return Response(status_code=204)


def webhooks_of(service: Service) -> list[Webhook]:
    """Return the webhooks, none where none are delivered."""
    return service.courier.hooks.all() if service.courier else []


async def add_webhook(service: Service, hook: WebhookIn) -> Webhook:
    """Register a webhook; answer 422 with the reason if that cannot be."""
    courier = service.courier
    if courier is None:
        raise HTTPException(503, "this service delivers no webhooks")
    try:
        url = str(parse_url(hook.url))
    except FetchError as error:
        raise HTTPException(422, f"url: {error}") from None
    if len(await run_in_threadpool(courier.hooks.all)) >= MAX_WEBHOOKS:
        raise HTTPException(422, f"{MAX_WEBHOOKS} webhooks are registered; delete one first")
    secret = hook.secret or secrets.token_urlsafe(32)
    kinds = list(dict.fromkeys(hook.kinds))
    now = service.hub.version.event

    def add() -> Webhook:
        if hook.story is not None:
            found_story(service, hook.story)
        query = None if hook.query is None else " ".join(hook.query.replace("\0", " ").split())
        if query is not None and parse(query) is None:
            raise BadQuery("query: empty; leave it out for the events of all stories")
        return courier.hooks.add(url, secret, kinds, after=now, story=hook.story, query=query)

    try:
        return await run_in_threadpool(add)
    except BadQuery as error:
        raise HTTPException(422, str(error)) from None


def remove_webhook(service: Service, number: int) -> None:
    """Delete a webhook; answer 404 if there is none of that number."""
    if service.courier is None or not service.courier.hooks.remove(number):
        raise HTTPException(404, f"webhook {number}: does not exist; GET /api/webhooks lists all")


class Courier:
    """Delivers events to each registered address, in order and independently of the others.

    Of several services over one store, only the one with the writer delivers.
    """

    def __init__(
        self,
        hooks: Webhooks,
        browser: SharedReader,
        hub: Hub,
        *,
        active: Callable[[], bool] = lambda: True,
        allow_private: bool = False,
    ) -> None:
        self.hooks, self._browser, self._hub = hooks, browser, hub
        self._active, self._allow_private = active, allow_private
        self._task: asyncio.Task[None] | None = None
        self._deliveries: dict[int, asyncio.Task[None]] = {}

    def start(self) -> None:
        """Start to deliver."""
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Stop; unfinished deliveries are repeated after the next start."""
        tasks = [*self._deliveries.values(), *([self._task] if self._task else [])]
        for task in tasks:
            task.cancel()
        for task in tasks:
            with suppress(asyncio.CancelledError):
                await task
        self.hooks.close()

    async def _run(self) -> None:
        while True:
            with suppress(StoreError):  # retried at the next interval
                now = datetime.now(UTC)
                for hook in await run_in_threadpool(self.hooks.all) if self._active() else ():
                    due = hook.next_try is None or hook.next_try <= now
                    behind = hook.delivered < self._hub.version.event
                    if due and behind and hook.number not in self._deliveries:
                        task = asyncio.create_task(self._serve(hook))
                        self._deliveries[hook.number] = task
            await asyncio.sleep(DELIVERY_INTERVAL)

    async def _serve(self, hook: Webhook) -> None:
        try:
            while hook.delivered < self._hub.version.event:
                events = await run_in_threadpool(
                    self._browser.events, hook.delivered, limit=EVENTS_PER_DELIVERY
                )
                if not events:
                    return
                last = events[-1].number
                wanted = await run_in_threadpool(self._wanted, hook, events)
                if wanted:
                    await self._post(hook, json.dumps({"events": wanted}).encode())
                await run_in_threadpool(self.hooks.delivered, hook.number, last)
                hook = replace(hook, delivered=last, failures=0)
        except (FetchError, httpx2.HTTPError, OSError, ValueError) as error:
            reason = " ".join(str(error).split())[:300] or type(error).__name__
            wait = min(FIRST_RETRY * 2**hook.failures, LAST_RETRY) * random.uniform(0.8, 1.2)
            again = datetime.now(UTC) + timedelta(seconds=wait)
            with suppress(StoreError):
                await run_in_threadpool(self.hooks.failed, hook.number, reason, again)
        except StoreError:
            pass  # reported by the event hub; retried at the next interval
        finally:
            self._deliveries.pop(hook.number, None)

    def _wanted(self, hook: Webhook, events: Sequence[Event]) -> list[dict[str, object]]:
        """Return those of some events that a webhook wants."""
        chosen = [event for event in events if event.kind in hook.kinds]
        if chosen and hook.story is not None:
            stories = {hook.story, self._browser.redirect(hook.story)}
            chosen = [event for event in chosen if event.story in stories]
        if chosen and hook.query is not None:
            stories = self._browser.stories_of_query(hook.query)
            chosen = [
                event
                for event in chosen
                if event.story in stories or (event.becomes or event.story) in stories
            ]
        return [as_json(event) for event in chosen]

    async def _post(self, hook: Webhook, body: bytes) -> None:
        """Deliver to an address that has just been resolved and checked."""
        url = parse_url(hook.url)
        allowed = await addresses_of(url, resolve, allow_private=self._allow_private)
        stamp = str(int(time.time()))
        headers = {
            "Host": url.netloc.decode("ascii"),
            "Content-Type": "application/json",
            "Scstory-Timestamp": stamp,
            "Scstory-Signature": f"sha256={sign(hook.secret, stamp, body)}",
        }
        async with (
            httpx2.AsyncClient(trust_env=False, timeout=DELIVERY_TIMEOUT) as client,
            asyncio.timeout(3 * DELIVERY_TIMEOUT),
            client.stream(
                "POST",
                url.copy_with(host=allowed[0]),
                content=body,
                headers=headers,
                extensions={"sni_hostname": url.raw_host.decode("ascii")},
            ) as answer,
        ):
            if not 200 <= answer.status_code < 300:
                raise FetchError(f"answered {answer.status_code}")


def sign(secret: str, timestamp: str, body: bytes) -> str:
    """Return the signature of a delivery, in hex."""
    message = timestamp.encode("ascii") + b"." + body
    return hmac.new(secret.encode("utf-8"), message, hashlib.sha256).hexdigest()
