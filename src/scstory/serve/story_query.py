"""Queries of the story lists: their parameters and their cursors."""

import base64
import json
from datetime import datetime
from typing import Literal

from fastapi import HTTPException
from pydantic import BaseModel

from scstory.store.records import MAX_ID, Cursor, Sort, StoryQuery

State = Literal["active", "past", "all"]


class _Cursor(BaseModel):
    sort: str
    key: float | str
    id: int


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
    if state is None:
        state = "all" if text or since or until else "active"
    if sort is None:
        sort = "relevance" if text else "momentum" if state == "active" else "latest"
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
    try:
        padded = text + "=" * (-len(text) % 4)
        made_for, key, number = json.loads(base64.urlsafe_b64decode(padded.encode("ascii")))
        checked = _Cursor(sort=made_for, key=key, id=number)
    except (ValueError, TypeError, RecursionError):
        checked = None
    text_key = sort in ("latest", "articles")
    if (
        checked is None
        or checked.sort != sort
        or isinstance(checked.key, str) != text_key
        or abs(checked.id) > MAX_ID
    ):
        raise HTTPException(
            422, "cursor: does not belong to this list; leave it out to start again"
        )
    return Cursor(checked.key, checked.id)
