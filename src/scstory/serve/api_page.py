"""What the page of the API shows: every operation, with an example from this very database."""

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

import httpx2
from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool

from scstory.serve.service import Service
from scstory.store.records import StoryQuery

MAX_LINES, MAX_WIDTH = 30, 100
"""How much of an answer is shown."""
SHOWN_STATUS = 200
_QUERIES = {
    "/api/stories": {"q": "{word}", "limit": "1"},
    "/api/articles": {"q": "{word}", "limit": "1"},
    "/api/stories/{story}/articles": {"limit": "1"},
    "/api/following": {"limit": "1"},
    "/search/feed.{form}": {"q": "{word}"},
    "/api/stories.{form}": {"q": "{word}"},
    "/api/articles.{form}": {"q": "{word}"},
}
_BODIES = {
    "POST /api/articles": {
        "id": "42",
        "date": "2026-03-03T06:35:00Z",
        "title": "Alder tops its banks",
        "text": "The river rose overnight.",
    },
    "POST /api/match": {"title": "Alder tops its banks", "text": "The river rose overnight."},
    "POST /api/feeds": {"url": "example.com", "section": "News / Local"},
    "POST /api/follows": {"kind": "query", "target": "ferry AND strike"},
    "POST /api/webhooks": {"url": "https://example.org/hook", "kinds": ["new"], "query": "ferry"},
}
_NOT_ASKED = ("/api/events", "/api/map", "/metrics")
"""A stream without end, and what would fill the page; they are linked or shown as a command."""


@dataclass(frozen=True, slots=True)
class Example:
    """A request to try, as a command, and the beginning of its answer if it was asked."""

    command: str
    url: str | None = None
    answer: str = ""
    cut: bool = False


async def examples(app: FastAPI, service: Service, base: str) -> dict[str, Example]:
    """Return an example of each operation, by method and path; the same until stories change."""
    key = (base, str(service.hub.version))
    if getattr(app.state, "examples", (None,))[0] != key:
        app.state.examples = key, await _made(app, service, base)
    made: dict[str, Example] = app.state.examples[1]
    return made


async def _made(app: FastAPI, service: Service, base: str) -> dict[str, Example]:
    values = await run_in_threadpool(_values, service)
    found = {}
    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(transport=transport, base_url=base, timeout=10) as client:
        for path, methods in app.openapi()["paths"].items():
            for method, operation in methods.items():
                name = f"{method.upper()} {path}"
                token = bool(operation.get("security"))
                url = _filled(path, values) if method == "get" else path
                command = _command(method.upper(), base, url or path, token, _BODIES.get(name))
                if url is None or (method == "post" and name not in _BODIES):
                    continue
                if method != "get" or token:
                    found[name] = Example(command)
                    continue
                answer, cut = await _answer(client, url)
                found[name] = Example(command, url, answer, cut)
    return found


async def _answer(client: httpx2.AsyncClient, url: str) -> tuple[str, bool]:
    if url.startswith(_NOT_ASKED):
        return "", False
    response = await client.get(url)
    if response.status_code != SHOWN_STATUS:
        return "", False
    text = response.text
    if "json" in response.headers.get("content-type", ""):
        text = json.dumps(response.json(), indent=2, ensure_ascii=False)
    lines = text.splitlines()
    shown = [line if len(line) <= MAX_WIDTH else f"{line[:MAX_WIDTH]}…" for line in lines]
    return "\n".join(shown[:MAX_LINES]), len(lines) > MAX_LINES


def _values(service: Service) -> dict[str, str]:
    """Return a story of the database, one of its articles, a day and a word."""
    stories, _ = service.browser.story_page(StoryQuery(min_size=2, sort="latest"), limit=1)
    if not stories:
        return {"form": "xml"}
    story = stories[0]
    words = [keyword.split()[0] for keyword in story.keywords] or ["news"]
    return {
        "story": str(story.id),
        "article": story.articles[-1],
        "day": f"{story.last_seen:%Y-%m-%d}",
        "word": min(words, key=len) if len(words) == 1 else words[0],
        "form": "xml",
    }


def _filled(path: str, values: dict[str, str]) -> str | None:
    """Return a path with its places filled, or None if there is nothing to fill one with."""
    form = "csv" if path.startswith("/api/") else "xml"
    places = {**{name: quote(value, safe="") for name, value in values.items()}, "form": form}
    try:
        filled = path.replace(":path", "").format(**places)
        query = {k: v.format(**values) for k, v in _QUERIES.get(path, {}).items()}
    except KeyError:
        return None
    return f"{filled}?{urlencode(query)}" if query else filled


def _command(method: str, base: str, url: str, token: bool, body: Any) -> str:
    parts = ["curl", f"'{base}{url}'"]
    if method not in ("GET", "POST"):
        parts.insert(1, f"-X {method}")
    if token:
        parts.append('-H "Authorization: Bearer $SCSTORY_TOKEN"')
    if body is not None:
        parts.append(f"-d '{json.dumps(body)}'")
    return " ".join(parts)
