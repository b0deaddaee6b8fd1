"""Corrections that wait for the writer, and what its commits write of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime

from scstory.errors import BadCorrection
from scstory.store.columns import row_values, time_text, to_json
from scstory.store.correction_queries import CORRECTION, CorrectionQueries, standing_marks
from scstory.store.correction_records import (
    Applied,
    CorrectionRequest,
    CorrectionRow,
    Marks,
)
from scstory.store.database import Database, Writes, clean, placeholders, write_transaction
from scstory.types import Story

MAX_WAITING = 1_000
"""While so many corrections wait, no more are taken."""


class CorrectionInbox(CorrectionQueries, Writes):
    """Takes corrections; the writer carries them out in the order in which they were asked for."""

    db: Database

    @write_transaction
    def ask(self, asked: CorrectionRequest) -> CorrectionRow:
        """Check and store a correction; when this returns it is on disk."""
        checked = self.checked(asked)
        waiting = self.db.value("SELECT count(*) FROM corrections WHERE status = 'waiting'")
        if waiting >= MAX_WAITING:
            raise BadCorrection(f"{waiting:,} corrections wait; is there a writer? Try again later")
        number = int(self.db.value("SELECT coalesce(max(number), 0) FROM corrections")) + 1
        row = CorrectionRow(
            kind=checked.kind,
            story=checked.story,
            target=checked.target,
            articles=checked.articles,
            title=clean(" ".join(checked.title.split())) if checked.title else None,
            undoes=checked.undoes,
            seen=checked.seen,
            editor=clean(" ".join(checked.editor.split())),
            number=number,
            asked=datetime.now(UTC),
            status="waiting",
            answered=None,
            answer="",
        )
        self.db.run(
            f"INSERT INTO corrections ({CORRECTION}) VALUES ({placeholders(CORRECTION.split())})",
            (*row_values(row, CORRECTION.removesuffix(", effect")), "{}"),
        )
        return row

    @write_transaction
    def refuse(self, correction: int, reason: str) -> None:
        """Take note that a correction cannot be carried out, and why."""
        self.db.check_claim()
        _answer(self.db, correction, "refused", clean(reason), {})


def write_answer(db: Database, applied: Applied) -> None:
    """Write that a correction has been carried out, and restore the numbers of its stories."""
    _answer(db, applied.number, "done", applied.answer, applied.effect)
    if applied.undoes is not None:
        db.run("UPDATE corrections SET status = 'undone' WHERE number = ?", (applied.undoes,))
    for story, parts in applied.restored.items():
        db.run("DELETE FROM redirects WHERE old = ?", (story,))
        db.run_many("UPDATE redirects SET new = ? WHERE old = ?", [(story, old) for old in parts])


def write_correction(db: Database, applied: Applied) -> None:
    """Write which articles a correction places, once its stories are there."""
    if applied.undoes is not None:
        db.run("UPDATE assignments SET correction = NULL WHERE correction = ?", (applied.undoes,))
    db.run_many(
        "UPDATE assignments SET story = ? WHERE article = ?",
        [(story, article) for article, (_, story) in applied.moved.items()],
    )
    db.run_many(
        "UPDATE assignments SET correction = ? WHERE article = ?",
        [(applied.number, article) for article in applied.placed],
    )


def write_corrected(db: Database, applied: Applied, events: Mapping[int, int]) -> None:
    """Write which stories a correction is about, with their events, and how they are shown."""
    marks = standing_marks(db)
    db.run_many(
        "INSERT INTO corrected (story, correction, event) VALUES (?, ?, ?)",
        [(story, applied.number, event) for story, event in events.items()],
    )
    db.run_many(
        "UPDATE stories SET title_by = ?, pinned = ?, hidden = ? WHERE id = ?",
        [
            (mark.title_by, int(mark.pinned), int(mark.hidden), story)
            for story in applied.stories
            for mark in (marks.get(story, Marks()),)
        ],
    )


def titled(stories: Iterable[Story], marks: Mapping[int, Marks]) -> list[Story]:
    """Return stories with the titles that people gave them."""
    return [
        replace(story, title=marks[story.id].title or story.title) if story.id in marks else story
        for story in stories
    ]


def _answer(
    db: Database, number: int, status: str, answer: str, effect: Mapping[str, object]
) -> None:
    db.run(
        "UPDATE corrections SET status = ?, answered = ?, answer = ?, effect = ? WHERE number = ?",
        (status, time_text(datetime.now(UTC)), answer, to_json(dict(effect)), number),
    )
