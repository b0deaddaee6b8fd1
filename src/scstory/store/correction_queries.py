"""Corrections as readers ask for them, and the checks of what people ask for."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

from scstory.errors import BadCorrection, EditConflict
from scstory.store.columns import Row, to_time
from scstory.store.correction_records import (
    MARKS,
    MAX_ARTICLES,
    MAX_EDITOR,
    MAX_TITLE,
    REGROUPING,
    CorrectionRequest,
    CorrectionRow,
    Marks,
)
from scstory.store.database import Readable, Reads, chunks, clean, placeholders, read_transaction
from scstory.store.records import MAX_ID

CORRECTION = (
    "number, kind, story, target, articles, title, undoes, seen, editor, asked, status, answered, "
    "answer, effect"
)


class CorrectionQueries(Reads):
    """Queries for corrections."""

    redirect: Callable[[int], int]

    @read_transaction
    def corrections(
        self, *, story: int | None = None, before: int = MAX_ID, limit: int = 50
    ) -> list[CorrectionRow]:
        """Return corrections, the latest first; only those about one story if asked."""
        where, values = "number < ?", [before]
        if story is not None:
            where += " AND number IN (SELECT correction FROM corrected WHERE story = ?)"
            values.append(self.redirect(story) or story)
        rows = self.db.rows(
            f"SELECT {CORRECTION} FROM corrections WHERE {where} ORDER BY number DESC LIMIT ?",
            (*values, limit),
        )
        return [to_correction(row) for row in rows]

    @read_transaction
    def correction(self, number: int) -> CorrectionRow | None:
        """Return a correction by its number."""
        rows = self.db.rows(
            f"SELECT {CORRECTION} FROM corrections WHERE number = ?", (min(number, MAX_ID),)
        )
        return to_correction(rows[0]) if rows else None

    @read_transaction
    def waiting_correction(self) -> CorrectionRow | None:
        """Return the correction that has waited longest."""
        rows = self.db.rows(
            f"SELECT {CORRECTION} FROM corrections WHERE status = 'waiting' ORDER BY number LIMIT 1"
        )
        return to_correction(rows[0]) if rows else None

    @read_transaction
    def stories_of(self, articles: Sequence[str]) -> dict[str, int]:
        """Return the stories of articles that have one."""
        return stories_of(self.db, articles)

    @read_transaction
    def merged_into(self, story: int) -> tuple[int, ...]:
        """Return the numbers of stories that became part of one."""
        rows = self.db.rows("SELECT old FROM redirects WHERE new = ? ORDER BY old", (story,))
        return tuple(row[0] for row in rows)

    @read_transaction
    def checked(self, asked: CorrectionRequest) -> CorrectionRequest:
        """Return a request with the present numbers of its stories; refuse what cannot be done."""
        return _Check(self.db, self.redirect).checked(asked)


def stories_of(db: Readable, articles: Sequence[str]) -> dict[str, int]:
    """Return the stories of articles that have one."""
    query = "SELECT article, story FROM assignments WHERE article IN"
    return {
        row[0]: row[1]
        for some in chunks(articles)
        for row in db.rows(f"{query} ({placeholders(some)})", some)
    }


def to_correction(row: Row) -> CorrectionRow:
    """Return the correction in a row of the columns `CORRECTION`."""
    values = dict(zip(CORRECTION.split(", "), row, strict=True))
    return CorrectionRow(
        **{
            **values,
            "articles": tuple(json.loads(values["articles"])),
            "asked": to_time(values["asked"]),
            "answered": to_time(values["answered"]) if values["answered"] else None,
            "effect": json.loads(values["effect"]),
        }
    )


def standing_marks(db: Readable) -> dict[int, Marks]:
    """Return how people want stories to be shown, by what was not undone."""
    found: dict[int, Marks] = {}
    for story, kind, title, editor in db.rows(
        "SELECT story, kind, title, editor FROM corrections "
        f"WHERE status = 'done' AND kind IN ({placeholders(MARKS)}) ORDER BY number",
        MARKS,
    ):
        marks = found.get(story, Marks())
        if kind == "rename":
            marks = marks._replace(title=title, title_by=editor)
        elif kind in ("pin", "unpin"):
            marks = marks._replace(pinned=kind == "pin")
        else:
            marks = marks._replace(hidden=kind == "hide")
        found[story] = marks
    return found


class _Check:
    """Checks a request against what the store holds."""

    def __init__(self, db: Readable, redirect: Callable[[int], int]) -> None:
        self._db, self._redirect = db, redirect

    def checked(self, asked: CorrectionRequest) -> CorrectionRequest:
        if not asked.editor.strip() or len(asked.editor) > MAX_EDITOR:
            raise BadCorrection(
                f"editor of {len(asked.editor)} characters: give a name of 1 to {MAX_EDITOR}"
            )
        if asked.kind == "undo":
            self._check_undo(asked)
            return asked
        story = target = None
        if asked.kind != "move":
            story = self._story(asked.story, "story")
        if asked.kind in ("merge", "move"):
            target = self._story(asked.target, "target")
        articles = self._articles(asked) if asked.kind in ("split", "move") else ()
        found = replace(asked, story=story, target=target, articles=articles)
        self._check_seen(found)
        getattr(self, f"_check_{asked.kind}", self._check_mark)(found)
        return found

    def _story(self, number: int | None, name: str) -> int:
        if number is None:
            raise BadCorrection(f"no {name}; name a story by its number")
        now = self._redirect(number)
        if not now or not self._db.rows("SELECT 1 FROM stories WHERE id = ?", (now,)):
            raise BadCorrection(f"story {number}: there is none; scstory stories --all lists them")
        return now

    def _articles(self, asked: CorrectionRequest) -> tuple[str, ...]:
        named = tuple(dict.fromkeys(clean(article) for article in asked.articles))
        if not named:
            raise BadCorrection(f"no articles to {asked.kind}; name at least one by its id")
        if len(named) > MAX_ARTICLES:
            raise BadCorrection(f"{len(named):,} articles: the limit is {MAX_ARTICLES:,} at a time")
        of = self.stories_of(named)
        for article in named:
            if article not in of:
                raise BadCorrection(
                    f"article {article[:100]!r}: not in a story; it is unknown, or not decided yet"
                )
        return named

    def stories_of(self, articles: Sequence[str]) -> dict[str, int]:
        """Return the stories of articles."""
        return stories_of(self._db, articles)

    def _check_merge(self, asked: CorrectionRequest) -> None:
        if asked.story == asked.target:
            raise BadCorrection(
                f"story {asked.story}: cannot be merged with itself; name two different stories"
            )

    def _check_split(self, asked: CorrectionRequest) -> None:
        of = self.stories_of(asked.articles)
        for article, story in of.items():
            if story != asked.story:
                raise BadCorrection(
                    f"article {article[:100]!r}: is in story {story}, not in {asked.story}"
                )
        size = self._db.rows("SELECT size FROM stories WHERE id = ?", (asked.story,))[0][0]
        if len(of) >= size:
            raise BadCorrection(
                f"story {asked.story}: all {size} articles would be split out; leave at least one, "
                "or rename the story"
            )

    def _check_move(self, asked: CorrectionRequest) -> None:
        of = self.stories_of(asked.articles)
        if all(story == asked.target for story in of.values()):
            raise BadCorrection(
                f"article {asked.articles[0][:100]!r}: is in story {asked.target} already"
            )

    def _check_rename(self, asked: CorrectionRequest) -> None:
        title = (asked.title or "").strip()
        if not title or len(title) > MAX_TITLE:
            raise BadCorrection(
                f"title of {len(title)} characters: give one of 1 to {MAX_TITLE} characters"
            )

    def _check_mark(self, asked: CorrectionRequest) -> None:
        assert asked.story is not None
        marks = standing_marks(self._db).get(asked.story, Marks())
        now = {"pin": marks.pinned, "unpin": not marks.pinned}
        now |= {"hide": marks.hidden, "show": not marks.hidden}
        state = {"pin": "pinned", "unpin": "not pinned", "hide": "hidden", "show": "shown"}
        if now[asked.kind]:
            raise BadCorrection(f"story {asked.story}: is {state[asked.kind]} already")

    def _check_seen(self, asked: CorrectionRequest) -> None:
        """Refuse a request if another person corrected the same stories since its page was made."""
        if asked.seen is None:
            return
        stories = {asked.story, asked.target, *self.stories_of(asked.articles).values()} - {None}
        rows = self._db.rows(
            f"SELECT {CORRECTION} FROM corrections WHERE number IN (SELECT correction "
            "FROM corrected WHERE correction IN (SELECT correction FROM corrected "
            f"WHERE story IN ({placeholders(stories)})) GROUP BY correction HAVING min(event) > ?) "
            "ORDER BY number",
            (*sorted(stories), min(asked.seen, MAX_ID)),  # type: ignore[type-var]
        )
        if rows:
            raise EditConflict([to_correction(row).answer for row in rows])

    def _check_undo(self, asked: CorrectionRequest) -> None:
        number = asked.undoes
        if number is None:
            raise BadCorrection("no correction to undo; scstory correct list shows them")
        rows = self._db.rows(
            f"SELECT {CORRECTION} FROM corrections WHERE number = ?", (min(number, MAX_ID),)
        )
        if not rows:
            raise BadCorrection(
                f"correction {number}: there is none; scstory correct list shows them"
            )
        found = to_correction(rows[0])
        if found.kind == "undo":
            raise BadCorrection(f"correction {number}: is itself an undo; correct it again instead")
        if found.status != "done":
            raise BadCorrection(f"correction {number}: is {found.status}, so nothing is to undo")
        later = [
            to_correction(row)
            for row in self._db.rows(
                f"SELECT {CORRECTION} FROM corrections WHERE number > ? AND status = 'done' "
                "AND kind <> 'undo' ORDER BY number",
                (number,),
            )
        ]
        for other in later:
            if _depends(other, found):
                raise BadCorrection(
                    f"correction {number}: correction {other.number} came after it and is about "
                    f"the same ({other.answer}); undo {other.number} first"
                )


def _depends(later: CorrectionRow, earlier: CorrectionRow) -> bool:
    """Say whether a correction is built upon an earlier one."""
    if earlier.kind in MARKS or later.kind in MARKS:
        same = {"unpin": "pin", "show": "hide"}
        kinds = {same.get(one.kind, one.kind) for one in (later, earlier)}
        return len(kinds) == 1 and later.story == earlier.story
    assert earlier.kind in REGROUPING
    return not set(later.effect["was"]).isdisjoint(earlier.effect["was"])
