"""Which stories a reader asked for, and in which order."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from scstory.discovery.settings import MethodSettings
from scstory.discovery.slides import slide_index, slide_start
from scstory.store.columns import time_text, to_time
from scstory.store.database import Readable, chunks, clean, placeholders
from scstory.store.records import MAX_ID, Cursor, StoryQuery
from scstory.store.search.finding import find_stories
from scstory.store.timeline import MOMENTUM_AGE, MOMENTUM_HALF_LIFE

Keyed = tuple[Any, int]
"""A sort key and the story it is of."""


@dataclass(frozen=True, slots=True)
class Present:
    """The active stories with their ranks, and how many articles and outlets they have."""

    ranked: tuple[tuple[float, int], ...]
    stories: int
    articles: int
    outlets: int
    horizon: str = ""
    """The time since when an article counts as of the present."""


def read_horizon(db: Readable, settings: MethodSettings, now: datetime) -> str:
    """Return the time since when an article would be in the window if an article came now.

    The engine's window moves with the articles; when no article comes, stories still end by the
    clock. An archive is different: its newest article was older than a window when it was decided.
    For an archive there is no such time, and this returns "".
    """
    last, newest = db.rows(
        "SELECT (SELECT time FROM events ORDER BY number DESC LIMIT 1), "
        "(SELECT max(published) FROM articles)"
    )[0]
    window, slide = settings.window_length, settings.slide_length
    if not last or not newest or to_time(last) - to_time(newest) > window:
        return ""
    return time_text(slide_start(slide_index(now, slide) + 1, slide) - window)


def read_present(db: Readable, horizon: str) -> Present:
    """Return the active stories by momentum, the highest first.

    An article counts half a half-life later, so that the order does not depend on when one asks:
    the rank is the logarithm of the sum, in half-lives since the epoch.
    """
    now = datetime.now(UTC)
    newest = db.value("SELECT max(published) FROM articles")
    since = time_text(to_time(newest) - MOMENTUM_AGE) if newest else ""
    times: dict[int, list[float]] = {}
    outlets = set()
    for story, published, source in db.rows(
        "SELECT d.story, a.published, a.source FROM articles a "
        "JOIN assignments d ON d.article = a.id JOIN stories s ON s.id = d.story "
        "WHERE s.active = 1 AND s.hidden = 0 AND s.last_seen >= ? AND a.published >= ?",
        (horizon, since),
    ):
        times.setdefault(story, []).append(_half_lives(min(to_time(published), now)))
        outlets.add(source)
    ranked, larger = [], 0
    for story, last, size in db.rows(
        "SELECT id, last_seen, size FROM stories "
        "WHERE active = 1 AND hidden = 0 AND last_seen >= ?",
        (horizon,),
    ):
        own = times.get(story) or [_half_lives(to_time(last))]
        top = max(own)
        ranked.append((top + math.log2(sum(2 ** (t - top) for t in own)), int(story)))
        larger += size > 1
    ranked.sort(reverse=True)
    articles = sum(map(len, times.values()))
    return Present(tuple(ranked), larger, articles, len(outlets - {None}), horizon)


def page_of(
    db: Readable, query: StoryQuery, after: Cursor | None, limit: int, present: Present
) -> list[Keyed]:
    """Return up to so many stories after a place in the order, with their sort keys."""
    if not query.text and query.sort != "momentum":
        return _keyset(db, query, after, limit, present.horizon)
    found = _found(db, query) if query.text else present.ranked
    wanted = _filtered(db, query, [story for _, story in found], present.horizon)
    keys: dict[int, Any] = {story: key for key, story in found}
    if query.sort == "momentum":
        keys = {story: key for key, story in present.ranked}
    elif query.sort in ("latest", "size"):
        keys = {story: wanted[story][query.sort] for story in wanted}
    keyed = sorted(((keys[story], story) for story in wanted if story in keys), reverse=True)
    if after is not None:
        keyed = [pair for pair in keyed if pair < tuple(after)]
    return keyed[:limit]


def _found(db: Readable, query: StoryQuery) -> list[Keyed]:
    """Return the stories that a search finds, with their relevance."""
    found = find_stories(db, query.text, query.since, query.until)
    return [(relevance, story) for story, relevance in found.items()]


def _filtered(
    db: Readable, query: StoryQuery, stories: Sequence[int], horizon: str
) -> dict[int, dict[str, Any]]:
    where, values = _where(query, horizon)
    return {
        story: {"latest": last_seen, "size": size}
        for chunk in chunks(stories)
        for story, last_seen, size in db.rows(
            "SELECT id, last_seen, size FROM stories "
            f"WHERE id IN ({placeholders(chunk)}) AND {where}",
            [*chunk, *values],
        )
    }


def _keyset(
    db: Readable, query: StoryQuery, after: Cursor | None, limit: int, horizon: str
) -> list[Keyed]:
    column = "size" if query.sort == "size" else "last_seen"
    where, values = _where(query, horizon)
    if after is not None:
        where += f" AND ({column} < ? OR ({column} = ? AND id < ?))"
        key = clean(after.key) if isinstance(after.key, str) else after.key
        values += [key, key, after.id]
    return [
        (key, story)
        for key, story in db.rows(
            f"SELECT {column}, id FROM stories WHERE {where} "
            f"ORDER BY {column} DESC, id DESC LIMIT ?",
            [*values, limit],
        )
    ]


def _where(query: StoryQuery, horizon: str) -> tuple[str, list[Any]]:
    parts = ["hidden = 0", "size >= ?"]
    values: list[Any] = [min(query.min_size, MAX_ID)]
    if query.max_size is not None:
        parts.append("size <= ?")
        values.append(query.max_size)
    if query.section is not None:
        parts.append("id IN (SELECT story FROM section_members WHERE section = ?)")
        values.append(min(query.section, MAX_ID))
    if query.thread is not None:
        parts.append(
            "id IN (SELECT story FROM thread_members WHERE thread IN (SELECT thread "
            "FROM thread_members WHERE story = coalesce((SELECT new FROM redirects "
            "WHERE old = ?), ?)))"
        )
        values += [min(query.thread, MAX_ID)] * 2
    active = True if query.sort == "momentum" else query.active
    if active is not None:
        parts.append(f"{'' if active else 'NOT '}(active = 1 AND last_seen >= ?)")
        values.append(horizon)
    if query.since is not None:
        parts.append("last_seen >= ?")
        values.append(time_text(query.since))
    if query.until is not None:
        parts.append("first_seen < ?")
        values.append(time_text(query.until))
    return " AND ".join(parts), values


def _half_lives(time: datetime) -> float:
    return time.timestamp() / MOMENTUM_HALF_LIFE.total_seconds()
