"""The sections of a database, as stories change."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from scstory.discovery.overview.sections import (
    Section,
    find_sections,
    is_due,
    name_sections,
    nearest_section,
)
from scstory.store.columns import to_json
from scstory.store.database import chunks, placeholders

if TYPE_CHECKING:
    from scstory.store.overview import Overview

DAY = 86_400.0


def update_sections(overview: Overview) -> None:
    """Put the stories of a slide into sections; find these anew where it is due."""
    db, settings, closing = overview.db, overview.settings, overview.closing
    stories, found_at, faded = db.rows("SELECT stories, found_at, faded FROM overview")[0]
    own = _sections_of(overview, list(closing.stories))
    stories += len(closing.stories.keys() - own.keys())
    before = [
        Section(number, np.frombuffer(vector, dtype=np.float64), json.loads(words), tuple(name))
        for number, vector, words, name in (
            (row[0], row[1], row[2], json.loads(row[3]))
            for row in db.rows(
                "SELECT number, vector, keywords, name FROM sections ORDER BY number"
            )
        )
    ]
    if is_due(stories, found_at, settings):
        sections, found_at = _found(overview, before), stories
        changed = _latest(overview)
        own = _sections_of(overview, changed)
    else:
        sections, changed = before, list(closing.stories)
        days = max(closing.time - faded, 0.0) / DAY
        for section in sections:
            section.fade(0.5 ** (days / settings.half_life_days))
    _place(overview, sections, changed, own, fresh=sections is not before)
    name_sections(sections, settings)
    db.run("DELETE FROM sections")
    db.run_many(
        "INSERT INTO sections (number, name, keywords, vector) VALUES (?, ?, ?, ?)",
        [(s.number, to_json(s.name), to_json(s.words), s.vector.tobytes()) for s in sections],
    )
    db.run(
        "UPDATE overview SET stories = ?, found_at = ?, faded = ?",
        (stories, found_at, closing.time),
    )


def _place(
    overview: Overview,
    sections: list[Section],
    stories: list[int],
    own: dict[int, int],
    *,
    fresh: bool,
) -> None:
    """Put stories into the sections that are nearest; those that are new there move them."""
    placed = []
    by_number = {section.number: section for section in sections}
    for story, outline in overview.outlines(stories).items():
        vector = outline.centred(overview.centre)
        known = own.get(story)
        nearest = nearest_section(vector, sections, known, overview.settings)
        if nearest is None:
            continue
        placed.append((story, nearest[0]))
        if known is None and not fresh:
            changed = overview.closing.stories.get(story)
            by_number[nearest[0]].add(vector, changed.keywords if changed else ())
    for some in chunks(stories):
        marks = placeholders(some)
        overview.db.run(f"DELETE FROM section_stories WHERE story IN ({marks})", some)
    overview.db.run_many("INSERT INTO section_stories (story, section) VALUES (?, ?)", placed)


def _found(overview: Overview, before: list[Section]) -> list[Section]:
    stories = _latest(overview)
    keywords = {
        row[0]: json.loads(row[1])
        for some in chunks(stories)
        for row in overview.db.rows(
            f"SELECT story, keywords FROM outlines WHERE story IN ({placeholders(some)})", some
        )
    }
    outlines = overview.outlines(stories)
    vectors = np.array([outline.centred(overview.centre) for outline in outlines.values()])
    return find_sections(
        vectors, [keywords[story] for story in outlines], before, overview.settings
    )


def _latest(overview: Overview) -> list[int]:
    rows = overview.db.rows(
        "SELECT story FROM outlines ORDER BY last DESC, story DESC LIMIT ?",
        (overview.settings.sampled,),
    )
    return [row[0] for row in rows]


def _sections_of(overview: Overview, stories: list[int]) -> dict[int, int]:
    return {
        row[0]: row[1]
        for some in chunks(stories)
        for row in overview.db.rows(
            f"SELECT story, section FROM section_stories WHERE story IN ({placeholders(some)})",
            some,
        )
    }
