"""The application: routes, doors, and what starts and stops with it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.responses import HTMLResponse, JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from scstory import __version__
from scstory.errors import StoreError
from scstory.serve import api, intake, metrics, pages, subscriptions, syndicate, webhooks
from scstory.serve.guard import Guard
from scstory.serve.models import ArticleIn
from scstory.serve.render import render
from scstory.serve.service import Service

HEADINGS = {404: "Not found", 422: "That cannot be meant so", 503: "Not just now"}


def make_app(service: Service) -> FastAPI:
    """Return the application for a service."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await service.start()
        try:
            yield
        finally:
            await service.stop()

    app = FastAPI(
        title="scstory",
        version=__version__,
        description="The stories a stream of news articles tells, live and without labels.",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.service = service
    app.openapi = lambda: _described(app)  # type: ignore[method-assign]
    app.include_router(intake.router)
    app.include_router(webhooks.router)
    app.include_router(subscriptions.router)
    app.include_router(api.router)
    app.include_router(syndicate.router)
    app.include_router(metrics.router)
    app.include_router(pages.router)
    app.mount("/static", _Static(directory=str(files("scstory.serve") / "static")), name="static")
    app.state.meters = metrics.Meters(service)
    app.add_middleware(metrics.Measured, meters=app.state.meters)
    app.add_middleware(Guard, hosts=service.hosts)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(StoreError, _store_failed)
    return app


def _described(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI description, with the article that is described by hand."""
    if app.openapi_schema is None:
        schema = get_openapi(
            title=app.title, version=app.version, description=app.description, routes=app.routes
        )
        schema["components"]["schemas"]["ArticleIn"] = ArticleIn.model_json_schema()
        app.openapi_schema = schema
    return app.openapi_schema


class _Static(StaticFiles):
    """Files whose address changes with their content: to be kept for good."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        if b"v=" in scope["query_string"]:
            response.headers["cache-control"] = "public, max-age=31536000, immutable"
        return response


async def _refused(request: Request, error: Any) -> Response:
    return answer(request, error.status_code, str(error.detail), error.headers)


async def _invalid(request: Request, error: Any) -> Response:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if part not in ("query", "path", "body"))
    return answer(request, 422, f"{where or 'body'}: {first['msg']}")


async def _store_failed(request: Request, error: Any) -> Response:
    return answer(request, 503, str(error), {"retry-after": "5"})


def answer(request: Request, status: int, detail: str, headers: Any = None) -> Response:
    """Say in one line why a request was not answered: as JSON to programs, as a page to people."""
    detail = detail.encode("utf-8", "replace").decode("utf-8")
    accepts = request.headers.get("accept", "")
    if request.url.path.startswith("/api") or "text/html" not in accepts:
        return JSONResponse({"detail": detail}, status, headers)
    heading = HEADINGS.get(status, "That did not work")
    event = request.app.state.service.hub.version.event
    page = render("error.html", here="", event=event, status=status, heading=heading, detail=detail)
    return HTMLResponse(page, status, headers)
