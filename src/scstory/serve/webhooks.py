"""Webhooks: registered over the API, signed, delivered in order, tried again until they succeed."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import random
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Annotated

import httpx2
from fastapi import APIRouter, Depends, HTTPException, Path, Request, Response
from starlette.concurrency import run_in_threadpool

from scstory.errors import FetchError, StoreError
from scstory.feeds.addresses import addresses_of, parse_url, resolve
from scstory.serve.intake import DENIED, may_write
from scstory.serve.live import Hub, as_json
from scstory.serve.models import Problem, WebhookIn, WebhookList, WebhookMade, WebhookOut
from scstory.serve.service import service_of
from scstory.store.browse import Browser
from scstory.store.ranking import MAX_ID
from scstory.store.webhooks import Webhook, Webhooks

AT_MOST = 100
"""Webhooks that may be registered."""
BATCH = 100
"""Events in one delivery at most."""
TIMEOUT = 10.0
FIRST_WAIT, LONGEST_WAIT = 5.0, 3600.0
TICK = 0.5

router = APIRouter(
    prefix="/api/webhooks",
    dependencies=[Depends(may_write)],
    responses=DENIED,
    tags=["webhooks"],
)


@router.post("", status_code=201, response_model=WebhookMade)
async def register(request: Request, hook: WebhookIn) -> WebhookMade:
    """Register an address that is told of events from now on.

    A delivery is a POST of `{"events": [...]}` with the headers `Scstory-Timestamp` and
    `Scstory-Signature`: `sha256=` and the HMAC-SHA256, in hex, of timestamp, a dot and the body,
    with the secret. Any 2xx answer ends it; anything else is tried again, later and later.
    """
    courier = service_of(request).courier
    if courier is None:
        raise HTTPException(503, "no webhooks are delivered here")
    try:
        url = str(parse_url(hook.url))
    except FetchError as error:
        raise HTTPException(422, f"url: {error}") from None
    if len(await run_in_threadpool(courier.hooks.all)) >= AT_MOST:
        raise HTTPException(422, f"{AT_MOST} webhooks are registered; delete one first")
    secret = hook.secret or secrets.token_urlsafe(32)
    kinds = list(dict.fromkeys(hook.kinds))
    now = service_of(request).hub.version.event

    def add() -> Webhook:
        return courier.hooks.add(url, secret, kinds, after=now)

    made = await run_in_threadpool(add)
    return WebhookMade(**_out(made).model_dump(), secret=secret)


@router.get("", response_model=WebhookList)
async def registered(request: Request) -> WebhookList:
    """List the webhooks and how they fare. Secrets are not shown again."""
    courier = service_of(request).courier
    hooks = await run_in_threadpool(courier.hooks.all) if courier else []
    return WebhookList(webhooks=[_out(hook) for hook in hooks])


@router.delete("/{number}", status_code=204, responses={404: {"model": Problem}})
async def forget(request: Request, number: Annotated[int, Path(ge=1, le=MAX_ID)]) -> Response:
    """Delete a webhook."""
    courier = service_of(request).courier
    if courier is None or not await run_in_threadpool(courier.hooks.remove, number):
        raise HTTPException(404, f"webhook {number}: there is none")
    return Response(status_code=204)


class Courier:
    """Tells each registered address of what happens, each in its own time and in order.

    Of several services on one store, the one that decides is the one that tells.
    """

    def __init__(
        self,
        hooks: Webhooks,
        browser: Browser,
        hub: Hub,
        *,
        active: Callable[[], bool] = lambda: True,
        allow_private: bool = False,
    ) -> None:
        self.hooks, self._browser, self._hub = hooks, browser, hub
        self._active, self._allow_private = active, allow_private
        self._task: asyncio.Task[None] | None = None
        self._under_way: dict[int, asyncio.Task[None]] = {}

    def start(self) -> None:
        """Begin to deliver."""
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Stop; what is under way is delivered again after the next start."""
        tasks = [*self._under_way.values(), *([self._task] if self._task else [])]
        for task in tasks:
            task.cancel()
        for task in tasks:
            with suppress(asyncio.CancelledError):
                await task
        self.hooks.close()

    async def _run(self) -> None:
        while True:
            with suppress(StoreError):  # the next tick may do better
                now = datetime.now(UTC)
                for hook in await run_in_threadpool(self.hooks.all) if self._active() else ():
                    due = hook.next_try is None or hook.next_try <= now
                    behind = hook.delivered < self._hub.version.event
                    if due and behind and hook.number not in self._under_way:
                        task = asyncio.create_task(self._serve(hook))
                        self._under_way[hook.number] = task
            await asyncio.sleep(TICK)

    async def _serve(self, hook: Webhook) -> None:
        try:
            while hook.delivered < self._hub.version.event:
                events = await run_in_threadpool(self._browser.events, hook.delivered, limit=BATCH)
                if not events:
                    return
                last = events[-1].number
                wanted = [as_json(event) for event in events if event.kind in hook.kinds]
                if wanted:
                    await self._post(hook, json.dumps({"events": wanted}).encode())
                await run_in_threadpool(self.hooks.delivered, hook.number, last)
                hook = replace(hook, delivered=last, failures=0)
        except (FetchError, httpx2.HTTPError, OSError, ValueError) as error:
            reason = " ".join(str(error).split())[:300] or type(error).__name__
            wait = min(FIRST_WAIT * 2**hook.failures, LONGEST_WAIT) * random.uniform(0.8, 1.2)
            again = datetime.now(UTC) + timedelta(seconds=wait)
            with suppress(StoreError):
                await run_in_threadpool(self.hooks.failed, hook.number, reason, again)
        except StoreError:
            pass  # seen by the watcher; the next tick tries again
        finally:
            self._under_way.pop(hook.number, None)

    async def _post(self, hook: Webhook, body: bytes) -> None:
        """Deliver to an address that was looked up and checked just now."""
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
            httpx2.AsyncClient(trust_env=False, timeout=TIMEOUT) as client,
            asyncio.timeout(3 * TIMEOUT),
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


def _out(hook: Webhook) -> WebhookOut:
    return WebhookOut(
        number=hook.number,
        url=hook.url,
        kinds=list(hook.kinds),  # type: ignore[arg-type]
        created=hook.created,
        delivered=hook.delivered,
        failures=hook.failures,
        next_try=hook.next_try,
        problem=hook.problem,
    )
