"""The parameters with which lists are filtered, and the refusal of those that do not exist.

They are coroutines, since FastAPI hands every other dependency to a thread, which takes longer than
they do.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import Annotated, Any

from fastapi import Depends, HTTPException, Query, Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic import AfterValidator, BeforeValidator, WithJsonSchema

from scstory.errors import BadQuery, UsageError
from scstory.serve.story_query import State, make_query
from scstory.store.article_list import ArticleQuery
from scstory.store.records import MAX_ID, Sort, StoryQuery
from scstory.store.search.query import MAX_CHARACTERS, period

_PERIOD = re.compile(r"\d{4}(-\d{1,2}){0,2}")
_EXAMPLE = "2026-03-03 or 2026-03-03T06:35:00Z"
_SCHEMA = {
    "anyOf": [{"type": "string", "format": "date"}, {"type": "string", "format": "date-time"}]
}


def _time(which: int) -> Callable[[Any], Any]:
    """Return what reads a time; of a day, month or year it is the beginning or the end."""

    def read(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        if _PERIOD.fullmatch(value):
            try:
                return period("date", value)[which]
            except BadQuery:
                raise ValueError(f"there is no such day; write {_EXAMPLE}") from None
        if value.lstrip("+-").replace(".", "").isdecimal():
            raise ValueError(f"write {_EXAMPLE}")
        return value

    return read


def _aware(value: datetime) -> datetime:
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value


Since = Annotated[
    datetime, BeforeValidator(_time(0)), AfterValidator(_aware), WithJsonSchema(_SCHEMA)
]
"""A time in UTC unless it has a zone, or a day, of which it is the beginning."""
Until = Annotated[
    datetime, BeforeValidator(_time(1)), AfterValidator(_aware), WithJsonSchema(_SCHEMA)
]
"""The same; of a day it is the end."""
_SEARCH = 'keywords; also "a phrase", OR, -word, word*, outlet:NAME, since:DATE and until:DATE.'


async def story_filter(
    q: Annotated[
        str,
        Query(
            max_length=MAX_CHARACTERS,
            description="Words that an article of the story contains, or its title, summary and "
            + _SEARCH,
        ),
    ] = "",
    state: Annotated[
        State | None,
        Query(description="Default: active, or all where words, times or a thread are given."),
    ] = None,
    since: Annotated[
        Since | None,
        Query(description="Stories with an article at this time or later; a day is enough."),
    ] = None,
    until: Annotated[
        Until | None,
        Query(description="Stories that began before this time, or until the end of this day."),
    ] = None,
    min_size: Annotated[
        int, Query(ge=1, le=MAX_ID, description="The fewest articles of a story.")
    ] = 1,
    max_size: Annotated[
        int | None, Query(ge=1, le=MAX_ID, description="The most articles of a story.")
    ] = None,
    section: Annotated[
        int | None, Query(ge=1, le=MAX_ID, description="Stories of this section.")
    ] = None,
    thread: Annotated[
        int | None,
        Query(ge=1, le=MAX_ID, description="Stories of the thread that has this number."),
    ] = None,
    sort: Annotated[
        Sort | None,
        Query(
            description="Default: relevance where words are given, momentum for active stories, "
            "else latest. Only active stories have momentum."
        ),
    ] = None,
) -> StoryQuery:
    """Return the stories that parameters ask for."""
    if state is None and thread is not None:
        state = "all"
    query = make_query(q, state, since, until, min_size, sort)
    return replace(query, max_size=max_size, section=section, thread=thread)


async def article_filter(
    q: Annotated[
        str,
        Query(
            max_length=MAX_CHARACTERS,
            description="Words that the article contains: the same language as for stories.",
        ),
    ] = "",
    story: Annotated[
        int | None, Query(ge=1, le=MAX_ID, description="Articles of this story.")
    ] = None,
    outlet: Annotated[
        str, Query(max_length=MAX_CHARACTERS, description="Articles of outlets of this name.")
    ] = "",
    language: Annotated[
        str, Query(max_length=50, description="Articles in this language: en is en-GB, too.")
    ] = "",
    since: Annotated[
        Since | None,
        Query(description="Articles published at this time or later; a day is enough."),
    ] = None,
    until: Annotated[
        Until | None,
        Query(description="Articles published before this time, or until the end of this day."),
    ] = None,
) -> ArticleQuery:
    """Return the articles that parameters ask for."""
    for name, time in (("since", since), ("until", until)):
        if time is not None and not 1 < time.year < 9999:
            raise HTTPException(422, f"{name} {time}: out of range; give a year from 2 to 9998")
    query = ArticleQuery(
        " ".join(q.replace("\0", " ").split()), outlet.strip(), story, language, since, until
    )
    try:
        query.node()
    except UsageError as error:
        raise HTTPException(422, str(error)) from None
    return query


StoryFilter = Annotated[StoryQuery, Depends(story_filter)]
ArticleFilter = Annotated[ArticleQuery, Depends(article_filter)]


def _names(dependant: Dependant) -> set[str]:
    """Return the names of the parameters that a route takes."""
    own = {field.alias for field in dependant.query_params}
    return own.union(*(_names(other) for other in dependant.dependencies))


async def known_parameters(request: Request) -> None:
    """Refuse parameters that do not exist: a filter that is misspelt must not filter nothing."""
    route = request.scope.get("route")
    if not request.query_params or not isinstance(route, APIRoute):
        return
    if not request.url.path.startswith("/api/"):
        return
    known = _names(route.dependant)
    unknown = [name for name in dict.fromkeys(request.query_params) if name not in known]
    if not unknown:
        return
    named = ", ".join(name[:40] or "(empty)" for name in unknown[:5])
    near = get_close_matches(unknown[0], known, n=1)
    there = f"there are {', '.join(sorted(known))}" if known else "there are none here"
    way_out = f"did you mean {near[0]}?" if near else there
    noun = "parameter" if len(unknown) == 1 else "parameters"
    raise HTTPException(422, f"unknown {noun} {named}; {way_out}")
