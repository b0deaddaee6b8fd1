"""The blocking client of the API."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Self, TypeVar, Unpack

import httpx2
from pydantic import BaseModel

from scstory.client import calls
from scstory.client.calls import TIMEOUT, ArticleFilters, Call, Kind, StoryFilters
from scstory.client.events import EventOut, EventReader
from scstory.serve.digest_models import DigestOut
from scstory.serve.following_models import FollowedStories, FollowList, FollowOut
from scstory.serve.models import (
    ArticleDetail,
    ArticleList,
    ArticleOut,
    ArticlePage,
    ExplanationOut,
    MatchOut,
    Receipts,
    StoryDetail,
    StoryOut,
    StoryPage,
)
from scstory.serve.overview_models import SectionList, ThreadDetail, ThreadPage

M = TypeVar("M", bound=BaseModel)


class Client:
    """A client of the service at an address. Writing needs the token.

    Close it, or use it in `with`. `transport` is handed to httpx2, for tests and proxies.
    """

    def __init__(
        self,
        base_url: str = "http://127.0.0.1:8765",
        *,
        token: str | None = None,
        timeout: float = TIMEOUT,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        self._base_url = base_url.rstrip("/")
        self._http = httpx2.Client(
            base_url=self._base_url,
            headers=calls.headers(token),
            timeout=timeout,
            transport=transport,
            follow_redirects=True,
        )

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # -- reading ------------------------------------------------------------------------------

    def stories(self, *, cursor: str | None = None, **filters: Unpack[StoryFilters]) -> StoryPage:
        """Return a page of stories; its `next` is the cursor of the page after it."""
        return self._send(calls.stories(filters, cursor))

    def every_story(self, **filters: Unpack[StoryFilters]) -> Iterator[StoryOut]:
        """Yield the stories of all pages."""
        cursor: str | None = None
        while True:
            page = self.stories(cursor=cursor, **filters)
            yield from page.stories
            if (cursor := page.next) is None:
                return

    def story(self, number: int, *, language: str | None = None) -> StoryDetail:
        """Return a story; for one that was merged, the story that it is part of.

        Title and summary are in the `language` where the story has articles in it.
        """
        return self._send(calls.story(number, language))

    def story_articles(
        self, number: int, *, cursor: str | None = None, limit: int = 50
    ) -> ArticlePage:
        """Return a page of a story's articles, the latest first."""
        return self._send(calls.story_articles(number, cursor, limit))

    def articles(
        self, *, cursor: str | None = None, **filters: Unpack[ArticleFilters]
    ) -> ArticleList:
        """Return a page of articles, the latest first, with their total."""
        return self._send(calls.articles(filters, cursor))

    def every_article(self, **filters: Unpack[ArticleFilters]) -> Iterator[ArticleOut]:
        """Yield the articles of all pages."""
        cursor: str | None = None
        while True:
            page = self.articles(cursor=cursor, **filters)
            yield from page.articles
            if (cursor := page.next) is None:
                return

    def article(self, name: str) -> ArticleDetail:
        """Return an article with its text, by its id."""
        return self._send(calls.article(name))

    def explanation(self, name: str) -> ExplanationOut:
        """Return why an article is in its story."""
        return self._send(calls.explanation(name))

    def threads(self, *, cursor: str | None = None, limit: int = 50) -> ThreadPage:
        """Return a page of threads: stories that belong to one longer affair."""
        return self._send(calls.threads(cursor, limit))

    def thread(self, number: int) -> ThreadDetail:
        """Return a thread with its stories, by its number or that of any story in it."""
        return self._send(calls.thread(number))

    def sections(self) -> SectionList:
        """Return the sections: topics found in the stream. `stories(section=1)` has the stories."""
        return self._send(calls.sections())

    def digest(self, day: date | str) -> DigestOut:
        """Return the digest of a day of UTC."""
        return self._send(calls.digest(day))

    def match(self, *, title: str = "", text: str, language: str | None = None) -> MatchOut:
        """Say which story a text would join. Nothing is stored."""
        return self._send(calls.match(title, text, language))

    def follows(self) -> FollowList:
        """Return what is followed and what is muted."""
        return self._send(calls.follows())

    def following(self, *, limit: int = 50) -> FollowedStories:
        """Return the stories that are followed and not muted."""
        return self._send(calls.following(limit))

    def events(self, *, after: int | None = None) -> Iterator[EventOut]:
        """Yield events as they come, from now on or after one of that number.

        It ends with the connection; go on with the `number` of the last event.
        """
        query = {} if after is None else {"after": after}
        reader = EventReader()
        try:
            with self._http.stream(
                "GET", "/api/events", params=query, timeout=httpx2.Timeout(TIMEOUT, read=None)
            ) as response:
                if not response.is_success:
                    response.read()
                calls.check(response)
                for line in response.iter_lines():
                    if (event := reader.line(line)) is not None:
                        yield event
        except httpx2.HTTPError as error:
            raise calls.unreachable(error, self._base_url) from None

    # -- writing ------------------------------------------------------------------------------

    def add_articles(self, records: Sequence[Mapping[str, Any]]) -> Receipts:
        """Post up to 1,000 articles; when this returns, what was accepted is on disk.

        A record has `id`, `date`, `title` and `text`, and perhaps `url`, `source`, `language`.
        """
        return self._send(calls.add_articles(records))

    def follow(self, kind: Kind, target: str | int, *, muted: bool = False) -> FollowOut:
        """Follow a story, a query or an outlet, or mute it."""
        return self._send(calls.follow(kind, target, muted))

    def unfollow(self, number: int) -> None:
        """Neither follow nor mute something any longer."""
        request = self._http.build_request("DELETE", f"/api/follows/{int(number)}")
        calls.check(self._answer(request))

    def _send(self, call: Call[M]) -> M:
        return call.read(self._answer(call.request(self._http)))

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        try:
            return self._http.send(request)
        except httpx2.HTTPError as error:
            raise calls.unreachable(error, self._base_url) from None
