"""The calls of the API: what each one asks, and the type of its answer. Both clients send them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Generic, Literal, TypedDict, TypeVar
from urllib.parse import quote

import httpx2
from pydantic import BaseModel, ValidationError

from scstory.errors import ApiError
from scstory.serve.digest_models import DigestOut
from scstory.serve.following_models import FollowedStories, FollowList, FollowOut
from scstory.serve.models import (
    ArticleDetail,
    ArticleList,
    ArticlePage,
    ExplanationOut,
    MatchOut,
    Receipts,
    StoryDetail,
    StoryPage,
)
from scstory.serve.overview_models import SectionList, ThreadDetail, ThreadPage

M = TypeVar("M", bound=BaseModel)
TIMEOUT = 30.0
"""Seconds that a request may take."""

Time = datetime | date | str
"""A time, a day, or either as text."""
State = Literal["active", "past", "all"]
Sort = Literal["momentum", "latest", "size", "relevance"]
Kind = Literal["story", "query", "outlet"]


class StoryFilters(TypedDict, total=False):
    """Which stories, as in `GET /api/stories`."""

    q: str
    state: State
    since: Time
    until: Time
    min_size: int
    max_size: int
    section: int
    thread: int
    sort: Sort
    limit: int
    language: str


class ArticleFilters(TypedDict, total=False):
    """Which articles, as in `GET /api/articles`."""

    q: str
    story: int
    outlet: str
    language: str
    since: Time
    until: Time
    limit: int


@dataclass(frozen=True, slots=True)
class Call(Generic[M]):
    """One request, and the type of its answer."""

    answer: type[M]
    path: str
    method: str = "GET"
    query: Mapping[str, Any] | None = None
    json: Any = None

    def request(self, client: httpx2.Client | httpx2.AsyncClient) -> httpx2.Request:
        """Return the request as a client sends it."""
        parameters = {
            name: value.isoformat() if isinstance(value, date) else value
            for name, value in (self.query or {}).items()
            if value is not None
        }
        return client.build_request(self.method, self.path, params=parameters, json=self.json)

    def read(self, response: httpx2.Response) -> M:
        """Return the answer; raise ApiError if it is a refusal."""
        check(response)
        try:
            return self.answer.model_validate_json(response.content)
        except ValidationError as error:
            raise ApiError(
                response.status_code, f"{self.path}: not an answer of scstory ({error.title})"
            ) from None


def check(response: httpx2.Response) -> None:
    """Raise ApiError with the service's reason if a response is a refusal."""
    if response.is_success:
        return
    try:
        detail = response.json()["detail"]
    except (ValueError, TypeError, KeyError):
        detail = response.text[:200] or response.reason_phrase
    raise ApiError(response.status_code, str(detail))


def unreachable(error: Exception, base_url: str) -> ApiError:
    """Return the error where there is no answer."""
    reason = " ".join(str(error).split()) or type(error).__name__
    return ApiError(0, f"{base_url}: cannot be reached ({reason})")


def headers(token: str | None) -> dict[str, str]:
    """Return the headers of every request."""
    return {"Authorization": f"Bearer {token}"} if token else {}


def stories(filters: Mapping[str, Any], cursor: str | None = None) -> Call[StoryPage]:
    """List stories."""
    return Call(StoryPage, "/api/stories", query={**filters, "cursor": cursor})


def story(number: int, language: str | None) -> Call[StoryDetail]:
    """Return a story."""
    return Call(StoryDetail, f"/api/stories/{int(number)}", query={"language": language})


def story_articles(number: int, cursor: str | None, limit: int) -> Call[ArticlePage]:
    """List the articles of a story."""
    query = {"cursor": cursor, "limit": limit}
    return Call(ArticlePage, f"/api/stories/{int(number)}/articles", query=query)


def articles(filters: Mapping[str, Any], cursor: str | None = None) -> Call[ArticleList]:
    """List articles."""
    return Call(ArticleList, "/api/articles", query={**filters, "cursor": cursor})


def article(name: str) -> Call[ArticleDetail]:
    """Return an article with its text."""
    return Call(ArticleDetail, f"/api/articles/{quote(name, safe='')}")


def explanation(name: str) -> Call[ExplanationOut]:
    """Explain why an article is in its story."""
    return Call(ExplanationOut, f"/api/articles/{quote(name, safe='')}/explanation")


def threads(cursor: str | None, limit: int) -> Call[ThreadPage]:
    """List the threads."""
    return Call(ThreadPage, "/api/threads", query={"cursor": cursor, "limit": limit})


def thread(number: int) -> Call[ThreadDetail]:
    """Return a thread."""
    return Call(ThreadDetail, f"/api/threads/{int(number)}")


def sections() -> Call[SectionList]:
    """List the sections."""
    return Call(SectionList, "/api/sections")


def digest(day: date | str) -> Call[DigestOut]:
    """Return the digest of a day."""
    return Call(DigestOut, f"/api/digest/{quote(str(day), safe='')}")


def match(title: str, text: str, language: str | None) -> Call[MatchOut]:
    """Say which story a text would join."""
    content = {"title": title, "text": text, "language": language}
    return Call(MatchOut, "/api/match", "POST", json=content)


def add_articles(records: Sequence[Mapping[str, Any]]) -> Call[Receipts]:
    """Post articles."""
    return Call(Receipts, "/api/articles", "POST", json=[dict(record) for record in records])


def follows() -> Call[FollowList]:
    """List what is followed and muted."""
    return Call(FollowList, "/api/follows")


def follow(kind: Kind, target: str | int, muted: bool) -> Call[FollowOut]:
    """Follow or mute something."""
    content = {"kind": kind, "target": str(target), "muted": muted}
    return Call(FollowOut, "/api/follows", "POST", json=content)


def following(limit: int) -> Call[FollowedStories]:
    """Return the stories that are followed."""
    return Call(FollowedStories, "/api/following", query={"limit": limit})
