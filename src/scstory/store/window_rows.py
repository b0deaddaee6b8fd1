"""The articles of the window in the database, with the sentences and vectors that decide."""

import json
from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np

from scstory.errors import StoreError
from scstory.store.columns import ARTICLE, to_article, to_json
from scstory.store.database import Database, chunks, placeholders
from scstory.types import EncodedArticle, SavedArticle

READ_AT_ONCE = 128


class StoredMembers(Sequence[SavedArticle]):
    """The articles of the window, oldest first; each is read from the database when it is used.

    They are those of one commit. Once a later one has removed some, these cannot be read any more.
    """

    def __init__(self, db: Database) -> None:
        """Take note of which articles there are, within a transaction."""
        self._db = db
        self._positions: list[int] = []
        for position, article in db.rows(
            "SELECT v.position, a.id FROM vectors v LEFT JOIN articles a ON a.id = v.article "
            "ORDER BY v.position"
        ):
            if article is None:
                raise StoreError(
                    f"{db.name}: cannot be read, it is damaged (an article of the window is "
                    "not there)"
                )
            self._positions.append(position)

    def __len__(self) -> int:
        return len(self._positions)

    @overload
    def __getitem__(self, chosen: int) -> SavedArticle: ...
    @overload
    def __getitem__(self, chosen: slice) -> list[SavedArticle]: ...
    def __getitem__(self, chosen: int | slice) -> SavedArticle | list[SavedArticle]:
        """Read one or several."""
        if isinstance(chosen, slice):
            return [*self._read(self._positions[chosen])]
        (found,) = self._read([self._positions[chosen]])
        return found

    def __iter__(self) -> Iterator[SavedArticle]:
        return self._read(self._positions)

    def _read(self, positions: list[int]) -> Iterator[SavedArticle]:
        for start in range(0, len(positions), READ_AT_ONCE):
            some = positions[start : start + READ_AT_ONCE]
            query = (
                f"SELECT {ARTICLE}, v.sentences, v.vectors FROM vectors v "
                "JOIN articles a ON a.id = v.article "
                f"WHERE v.position IN ({placeholders(some)}) ORDER BY v.position"
            )
            rows = self._db.read(lambda query=query, some=some: self._db.rows(query, some))  # type: ignore[misc]
            if len(rows) != len(some):
                raise StoreError(
                    f"{self._db.name}: another process has committed to it while it was read; "
                    "start again"
                )
            for *article, sentences, vectors in rows:
                split = tuple(json.loads(sentences))
                matrix = np.frombuffer(vectors, dtype=np.float32).reshape(len(split), -1)
                yield SavedArticle(to_article(article), split, matrix)


def ids_of(members: Sequence[SavedArticle | EncodedArticle]) -> list[str]:
    """Return the ids of the articles of a window."""
    known: list[str] | None = getattr(members, "ids", None)
    return [member.article.id for member in members] if known is None else known


def write_window(
    db: Database,
    members: Sequence[SavedArticle | EncodedArticle],
    ids: list[str],
    stored: list[str] | None,
) -> None:
    """Delete the articles that have left the window, and insert those that have entered it.

    `stored` are those that are in the database, if that is known, in their order.
    """
    if stored is None:
        rows = db.rows("SELECT article FROM vectors ORDER BY position")
        stored = [row[0] for row in rows]
    gone, entered = _differences(stored, ids)
    for some in chunks(gone):
        db.run(f"DELETE FROM vectors WHERE article IN ({placeholders(some)})", some)
    last = int(db.value("SELECT coalesce(max(position), 0) FROM vectors"))
    for start in range(0, len(entered), READ_AT_ONCE):
        found = [(row, members[row]) for row in entered[start : start + READ_AT_ONCE]]
        db.run_many(
            "INSERT INTO vectors (article, position, sentences, vectors) VALUES (?, ?, ?, ?)",
            [
                (ids[row], last + 1 + number, to_json(m.sentences), m.vectors.tobytes())
                for number, (row, m) in enumerate(found, start)
            ],
        )


def _differences(stored: list[str], ids: list[str]) -> tuple[list[str], list[int]]:
    """Return which articles are stored but not wanted, and the rows of those not stored yet.

    Nearly always the oldest have left and the latest have come.
    """
    left = next((n for n, name in enumerate(stored) if name == ids[0]), None) if ids else None
    left = len(stored) if left is None else left
    stayed = len(stored) - left
    if stored[left:] == ids[:stayed]:
        return stored[:left], [*range(stayed, len(ids))]
    there, wanted = set(stored), set(ids)
    return (
        [name for name in stored if name not in wanted],
        [row for row, name in enumerate(ids) if name not in there],
    )
