"""/metrics for Prometheus, /healthz and /readyz."""

import time
from collections.abc import Iterator

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from scstory.serve.service import Service, service_of

router = APIRouter(tags=["health"])


class Meters:
    """The metrics of one service."""

    def __init__(self, service: Service) -> None:
        self.registry = CollectorRegistry()
        self._service = service
        self.requests = Counter(
            "scstory_http_requests",
            "Requests by method, route and status.",
            ["method", "route", "status"],
            registry=self.registry,
        )
        self.seconds = Histogram(
            "scstory_http_request_seconds",
            "Seconds until the start of a response.",
            ["route"],
            buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10),
            registry=self.registry,
        )
        self.registry.register(self)

    def describe(self) -> list[Metric]:
        """Return nothing at registration: `collect` reads the store."""
        return []

    def collect(self) -> Iterator[Metric]:
        """Yield the numbers of the store, the feeds and the event streams."""
        service = self._service
        counts, feeds = service.browser.counts(), service.browser.subscriptions()
        is_writer = service.writer is not None and service.writer.is_writer()
        failing = sum(feed.errors > 0 for feed in feeds)
        for name, text, value in (
            ("articles", "Articles decided.", counts.articles),
            ("stories", "Stories, ended ones included.", counts.stories),
            ("active", "Stories with an article in the window.", counts.active),
            ("waiting", "Articles accepted and not decided yet.", counts.waiting),
            ("parked", "Articles set aside because they could not be decided.", counts.parked),
            ("feeds", "Feeds that are followed.", len(feeds)),
            ("feeds_failing", "Feeds whose last poll failed.", failing),
            ("writer", "1 if this process is the writer.", is_writer),
            ("commits", "Commits so far.", service.hub.version.commits),
            ("last_event", "The number of the last event.", service.hub.version.event),
            ("listeners", "Open event streams.", service.hub.listeners),
        ):
            yield GaugeMetricFamily(f"scstory_{name}", text, value=value)


class Measured:
    """Middleware that counts and times responses by route."""

    def __init__(self, app: ASGIApp, *, meters: Meters) -> None:
        self._app, self._meters = app, meters

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request and measure its time."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status = time.perf_counter(), 0

        async def send_and_count(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                route = getattr(scope.get("route"), "path", "other")
                self._meters.seconds.labels(route).observe(time.perf_counter() - started)
                self._meters.requests.labels(_method(scope), route, status).inc()
            await send(message)

        await self._app(scope, receive, send_and_count)


def _method(scope: Scope) -> str:
    method = str(scope["method"])
    return method if method in ("GET", "HEAD", "POST", "DELETE") else "other"


@router.get(
    "/metrics",
    response_class=PlainTextResponse,
    responses={200: {"content": {"text/plain": {}}, "description": "For Prometheus."}},
)
async def metrics(request: Request) -> Response:
    """Return the metrics in Prometheus' text format."""
    meters: Meters = request.app.state.meters
    content = await run_in_threadpool(generate_latest, meters.registry)
    return Response(content, media_type="text/plain; version=0.0.4; charset=utf-8")


@router.get("/healthz")
async def healthz() -> dict[str, str]:
    """Answer that the process is alive."""
    return {"status": "ok"}


@router.get("/readyz", responses={503: {"description": "Not ready, and why."}})
async def readyz(request: Request) -> Response:
    """Answer whether the store can be read and the writer, if it is in this process, works."""
    problem = service_of(request).problem()
    return JSONResponse({"status": problem or "ok"}, 503 if problem else 200)
