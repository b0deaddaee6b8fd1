"""The JSON API's writing half: articles in, and the question which story a text belongs to."""

import hmac
import json
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import JSONResponse, Response
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.concurrency import run_in_threadpool

from scstory.errors import BadItem
from scstory.feeds.article import parse_article
from scstory.serve.api import runners_up
from scstory.serve.models import MatchIn, MatchOut, Problem, ReceiptOut, Receipts
from scstory.serve.service import Service, service_of
from scstory.types import Article

MAX_ITEMS = 1_000
MAX_WAITING = 100_000
"""While so many articles wait in the inbox, no more are accepted."""

bearer = HTTPBearer(auto_error=False, description="SCSTORY_TOKEN, or the one shown at start.")
DENIED: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem} for status in (400, 401, 413, 403, 422, 503)
}
_ONE = {"$ref": "#/components/schemas/ArticleIn"}
_SEVERAL = {"type": "array", "items": _ONE, "minItems": 1, "maxItems": MAX_ITEMS}
_BODY = {"required": True, "content": {"application/json": {"schema": {"anyOf": [_ONE, _SEVERAL]}}}}


def may_write(
    request: Request, given: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]
) -> None:
    """Refuse requests without the token, and all requests where nothing may be written."""
    token = service_of(request).token
    if token is None:
        raise HTTPException(403, "this service is read-only")
    if given is None:
        raise HTTPException(
            401, "no token; send it as: Authorization: Bearer TOKEN", {"WWW-Authenticate": "Bearer"}
        )
    sent = given.credentials.encode("utf-8", "replace")
    if not hmac.compare_digest(sent, token.encode("utf-8")):
        raise HTTPException(401, "wrong token", {"WWW-Authenticate": "Bearer"})


router = APIRouter(prefix="/api", responses=DENIED)


@router.post(
    "/articles",
    status_code=202,
    response_model=Receipts,
    responses={
        422: {
            "model": Receipts | Problem,
            "description": "No article could be taken: the receipts, or the detail, say why.",
        },
        429: {"model": Problem, "description": "Too many are waiting; try again later."},
    },
    dependencies=[Depends(may_write)],
    openapi_extra={"requestBody": _BODY},
    tags=["articles"],
)
async def add_articles(request: Request) -> Response:
    """Take one article or a list of them; when this returns, what was accepted is safe.

    Each gets a receipt: accepted, known (sent before), duplicate (a copy of another, stored as one
    more source of it) or rejected with the reason. It is decided within seconds, and an event
    tells how. One bad article does not affect the others.
    """
    receipts = await run_in_threadpool(_accept, service_of(request), await request.body())
    usable = any(receipt.status != "rejected" for receipt in receipts)
    content = Receipts(receipts=receipts).model_dump()
    return JSONResponse(content, 202 if usable else 422)


@router.post("/match", response_model=MatchOut, tags=["stories"])
async def match(request: Request, text: MatchIn) -> MatchOut:
    """Say which active story a text would join. Nothing is stored."""
    service = service_of(request)
    if service.matcher is None:
        raise HTTPException(503, "no engine here to ask")
    article = Article(
        id="", published=datetime.now(UTC), title=_clean(text.title), text=_clean(text.text)
    )
    if not (article.title.strip() or article.text.strip()):
        raise HTTPException(422, "text: nothing but blanks")
    found = await run_in_threadpool(service.matcher.match, article)

    def named() -> MatchOut:
        story = None if found.new else found.story
        own = service.browser.story(story) if story else None
        runners = runners_up(service, found)
        return MatchOut.from_row(found, story=story, title=own and own.title, runners_up=runners)

    return await run_in_threadpool(named)


def _records(body: bytes) -> list[Any]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        raise HTTPException(400, "the body is not JSON; send an article or a list") from None
    records = value if isinstance(value, list) else [value]
    if not records:
        raise HTTPException(422, "an empty list; send at least one article")
    if len(records) > MAX_ITEMS:
        raise HTTPException(
            413, f"{len(records):,} articles; the limit is {MAX_ITEMS:,}: send them in parts"
        )
    return records


def _accept(service: Service, body: bytes) -> list[ReceiptOut]:
    records = _records(body)
    if (waiting := service.browser.waiting()) >= MAX_WAITING:
        raise HTTPException(
            429,
            f"{waiting:,} articles wait to be decided; the limit is {MAX_WAITING:,}",
            {"Retry-After": "60"},
        )
    assert service.inbox is not None
    read: list[Article | ReceiptOut] = []
    for record in records:
        try:
            if not isinstance(record, dict):
                raise BadItem("not a JSON object; an article is one")
            read.append(parse_article(record, max_characters=service.max_characters))
        except BadItem as error:
            given = record.get("id") if isinstance(record, dict) else None
            name = _clean(str(given))[:500] if isinstance(given, str | int) else None
            reason = _clean(str(error))
            read.append(ReceiptOut(article=name, status="rejected", of=None, reason=reason))
    accepted = iter(service.inbox.accept([item for item in read if isinstance(item, Article)]))
    return [
        ReceiptOut.from_row(next(accepted), reason=None) if isinstance(item, Article) else item
        for item in read
    ]


def _clean(text: str) -> str:
    """Return text without lone surrogates and NULs, which no database can store."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
