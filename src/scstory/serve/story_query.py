"""Queries of the story lists: their parameters and their cursors."""

import base64
import json
from contextlib import suppress
from datetime import datetime
from typing import Literal

from fastapi import HTTPException
from pydantic import TypeAdapter

from scstory.errors import BadQuery
from scstory.store.records import MAX_ID, Cursor, Sort, StoryQuery
from scstory.store.search.query import parse, terms

State = Literal["active", "past", "all"]


_CURSOR = TypeAdapter(tuple[str, float | str, int])
"""The order of the list, and the sort key and the id of an item of it."""


def make_query(
    text: str,
    state: State | None,
    since: datetime | None,
    until: datetime | None,
    min_size: int,
    sort: Sort | None,
) -> StoryQuery:
    """Return the query of some parameters, with defaults for those not given."""
    text = " ".join(text.replace("\0", " ").split())
    try:
        node = parse(text)
    except BadQuery as error:
        raise HTTPException(422, str(error)) from error
    if state is None:
        state = "all" if text or since or until else "active"
    if sort is None:
        sort = "relevance" if terms(node) else "momentum" if state == "active" else "latest"
    if sort == "relevance" and not text:
        raise HTTPException(422, "sort relevance: needs words to search for; give q")
    if sort == "momentum" and state != "active":
        raise HTTPException(
            422, f"sort momentum: not for state {state}; only active stories have momentum"
        )
    for name, time in (("since", since), ("until", until)):
        if time is not None and not 1 < time.year < 9999:
            raise HTTPException(422, f"{name} {time}: out of range; give a year from 2 to 9998")
    active = {"active": True, "past": False, "all": None}[state]
    return StoryQuery(text, active, since, until, min_size, sort=sort)


def encode_cursor(sort: str, cursor: Cursor | None) -> str | None:
    """Return a cursor as opaque text."""
    if cursor is None:
        return None
    value = json.dumps([sort, *cursor]).encode()
    return base64.urlsafe_b64encode(value).decode().rstrip("=")


def decode_cursor(text: str | None, sort: str) -> Cursor | None:
    """Return the cursor of a text made by `encode_cursor` for the same order."""
    if not text:
        return None
    with suppress(ValueError):
        padded = text + "=" * (-len(text) % 4)
        value = base64.urlsafe_b64decode(padded.encode("ascii"))
        made_for, key, number = _CURSOR.validate_json(value)
        text_key = sort in ("latest", "articles")
        if made_for == sort and isinstance(key, str) == text_key and abs(number) <= MAX_ID:
            return Cursor(key, number)
    raise HTTPException(422, "cursor: does not belong to this list; leave it out to start again")
