"""The web application: its routes, its middleware, and the service it starts and stops."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Any

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.responses import HTMLResponse, JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from scstory import __version__
from scstory.errors import StoreError
from scstory.serve import (
    api,
    corrections,
    desk_page,
    digest_page,
    feeds_page,
    following,
    following_page,
    images,
    intake,
    lists,
    overview,
    overview_page,
    pages,
    prometheus,
    sign_in,
    subscriptions,
    syndicate,
    webhooks,
    webhooks_page,
)
from scstory.serve.cross_origin import CrossOrigin
from scstory.serve.filters import known_parameters
from scstory.serve.guard import Guard
from scstory.serve.json_bodies import JsonBodies
from scstory.serve.models import ArticleIn, Problem
from scstory.serve.render import render
from scstory.serve.service import Service, service_of

PAGE_MODULES = (
    pages,
    sign_in,
    feeds_page,
    following_page,
    overview_page,
    desk_page,
    webhooks_page,
    syndicate,
    prometheus,
    images,
)
API_MODULES = (
    api,
    lists,
    overview,
    intake,
    following,
    corrections,
    digest_page,
    subscriptions,
    webhooks,
)
"""Everything with routes. Of two routes that fit, the first counts; what is asked most is first."""
ERROR_HEADINGS = {
    401: "Not signed in",
    403: "Not allowed",
    404: "Not found",
    409: "Changed meanwhile",
    422: "Not understood",
    503: "Not available at the moment",
}


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
        description="Stories found in a stream of news articles, live and without labels.",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.service = service
    app.openapi = lambda: _described(app)  # type: ignore[method-assign]
    for module in PAGE_MODULES:
        app.include_router(module.router)
    for module in API_MODULES:
        app.include_router(
            module.router,
            dependencies=[Depends(known_parameters)],
            responses={422: {"model": Problem}},
        )
    app.mount("/static", _Static(directory=str(files("scstory.serve") / "static")), name="static")
    app.state.meters = prometheus.Meters(service)
    app.add_middleware(prometheus.Measured, meters=app.state.meters)
    app.add_middleware(JsonBodies)
    if service.origins:
        app.add_middleware(CrossOrigin, origins=service.origins)
    app.add_middleware(Guard, hosts=service.hosts)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(StoreError, _store_failed)
    return app


def _described(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI description, with the model of posted articles, which no route names."""
    if app.openapi_schema is None:
        schema = get_openapi(
            title=app.title, version=app.version, description=app.description, routes=app.routes
        )
        schema["components"]["schemas"]["ArticleIn"] = ArticleIn.model_json_schema()
        app.openapi_schema = schema
    return app.openapi_schema


class _Static(StaticFiles):
    """Static files; an address that contains their version may be cached forever."""

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
    """Return the reason of a failure: as JSON for programs, as a page for people."""
    detail = detail.encode("utf-8", "replace").decode("utf-8")
    accepts = request.headers.get("accept", "")
    if request.url.path.startswith("/api") or "text/html" not in accepts:
        return JSONResponse({"detail": detail}, status, headers)
    heading = ERROR_HEADINGS.get(status, "Something went wrong")
    service = service_of(request)
    page = render(
        "error.html",
        here="",
        event=service.hub.version.event,
        writable=service.sessions is not None,
        status=status,
        heading=heading,
        detail=detail,
    )
    return HTMLResponse(page, status, headers)
