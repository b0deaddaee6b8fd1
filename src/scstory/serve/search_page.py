"""What the page of a search shows."""

from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from fastapi import HTTPException

from scstory.serve.service import Service
from scstory.serve.story_query import decode_cursor, encode_cursor, make_query
from scstory.store.records import StoryQuery, StoryRow
from scstory.store.search.suggestions import Advice

SEARCH_STORIES = 30
"""The most stories on a page of search results."""
SEARCH_FIELDS = ("q", "since", "until", "min_size", "sort", "cursor")


def search_values(service: Service, given: dict[str, str]) -> dict[str, Any]:
    """Return the stories that a search finds, or the reason why it is not understood."""
    query, following, problem, advice = StoryQuery(), None, None, Advice()
    rows: list[StoryRow] = []
    asked = {name: value for name, value in given.items() if value and name != "cursor"}
    try:
        sort = given["sort"] if given["sort"] in ("latest", "size") else None
        size = given["min_size"] or "1"
        if not (size.isascii() and size.isdecimal() and int(size[:10]) > 0 and len(size) < 10):
            raise HTTPException(422, f"at least {size[:40]} articles: give a number of 1 or more")
        until = _date(given["until"], "to")
        query = make_query(
            given["q"],
            "all",
            _date(given["since"], "from"),
            until + timedelta(days=1) if until else None,
            int(size),
            sort,  # type: ignore[arg-type]
        )
        after = decode_cursor(given["cursor"], query.sort)
        rows, more = service.browser.story_page(query, after=after, limit=SEARCH_STORIES)
        if more is not None:
            following = urlencode({**asked, "cursor": encode_cursor(query.sort, more)})
        if not rows and after is None:
            advice = service.browser.advice(query)
    except HTTPException as error:
        problem = error.detail
    return {
        "query": query,
        "given": given,
        "stories": rows,
        "snippets": service.browser.snippets(query, rows),
        "advice": advice,
        "suggested": urlencode({**asked, "q": advice.suggestion or ""}),
        "next": following,
        "taken": urlencode({**asked, "state": "all"}),
        "problem": problem,
    }


def _date(value: str, what: str) -> datetime | None:
    if not value:
        return None
    try:
        date = datetime.strptime(value, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        date = None
    if date is None or not 1 < date.year < 9998:
        raise HTTPException(422, f"{what} {value[:40]}: write a date like 2026-03-03")
    return date
