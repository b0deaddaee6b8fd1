"""The page of webhooks, and its forms. The secret of a new one is shown once."""

from typing import Any, get_args

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import HTMLResponse, Response
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData

from scstory.serve.following_models import WebhookIn
from scstory.serve.models import EventKind
from scstory.serve.page import show
from scstory.serve.service import Service, service_of
from scstory.serve.sign_in import Editor, done
from scstory.serve.webhooks import add_webhook, remove_webhook, webhooks_of
from scstory.store.records import MAX_ID
from scstory.store.webhooks import Webhook

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)


@router.get("/webhooks")
async def webhooks_page(request: Request, editor: Editor) -> Response:
    """The webhooks and the state of their deliveries, for editors: addresses may hold secrets."""
    return await show(request, "webhooks.html", _values, here="webhooks")


@router.post("/webhooks")
async def add(request: Request, editor: Editor) -> Response:
    """Register an address, and show its secret."""
    made = await add_webhook(service_of(request), _wanted(await request.form()))

    def values(service: Service) -> dict[str, Any]:
        return {**_values(service), "made": made}

    response = await show(request, "webhooks.html", values, here="webhooks")
    response.status_code = 201
    response.headers["cache-control"] = "no-store"
    return response


@router.post("/webhooks/remove")
async def remove(request: Request, editor: Editor) -> Response:
    """Delete a webhook."""
    number = str((await request.form()).get("number", ""))
    if not (number.isascii() and number.isdecimal() and 0 < int(number[:20]) <= MAX_ID):
        raise HTTPException(422, f"number {number[:40]!r}: not that of a webhook")
    await run_in_threadpool(remove_webhook, service_of(request), int(number))
    return done(request, "/webhooks", f"Webhook {number} was removed.")


def _wanted(form: FormData) -> WebhookIn:
    """Return what a form asks for. An empty field is one that is not given."""
    fields = {name: str(form.get(name, "")).strip() for name in ("url", "story", "query")}
    given: dict[str, Any] = {name: value for name, value in fields.items() if value}
    try:
        return WebhookIn.model_validate({**given, "kinds": form.getlist("kind")})
    except ValidationError as error:
        first = error.errors()[0]
        if first["loc"][0] == "kinds" and not form.getlist("kind"):
            raise HTTPException(422, "kinds: none is chosen; choose an event at least") from None
        where = "kind" if first["loc"][0] == "kinds" else first["loc"][0]
        raise HTTPException(422, f"{where}: {first['msg']}") from None


def _values(service: Service) -> dict[str, Any]:
    hooks = webhooks_of(service)
    return {
        "hooks": [(hook, _state(hook, service.hub.version.event)) for hook in hooks],
        "failing": sum(hook.failures > 0 for hook in hooks),
        "kinds": get_args(EventKind),
        "delivers": service.courier is not None,
        "made": None,
    }


def _state(hook: Webhook, last: int) -> str:
    """Return the state of the deliveries of a webhook in one word."""
    if hook.failures:
        return "failing"
    return "working" if hook.delivered >= last else "behind"
