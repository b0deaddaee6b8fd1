"""Who is told of events, and how far each has been told."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from scstory.errors import StoreError

_COLUMNS = "number, url, secret, kinds, created, delivered, failures, next_try, problem"


@dataclass(frozen=True, slots=True)
class Webhook:
    """An address that is told of events up to `delivered`, and how it fares."""

    number: int
    url: str
    secret: str
    kinds: tuple[str, ...]
    created: datetime
    delivered: int
    failures: int
    next_try: datetime | None
    problem: str | None


class Webhooks:
    """The webhooks of a SQLite store; any thread may ask, they take turns."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._turn = threading.Lock()
        self._db = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
        self._db.execute("PRAGMA synchronous = FULL")

    def close(self) -> None:
        """Let go of the file."""
        with self._turn:
            self._db.close()

    def all(self) -> list[Webhook]:
        """Return the webhooks, in the order they were registered."""
        with self._using() as db:
            return [
                Webhook(
                    number,
                    url,
                    secret,
                    tuple(json.loads(kinds)),
                    datetime.fromisoformat(created),
                    delivered,
                    failures,
                    datetime.fromisoformat(next_try) if next_try else None,
                    problem,
                )
                for (
                    number,
                    url,
                    secret,
                    kinds,
                    created,
                    delivered,
                    failures,
                    next_try,
                    problem,
                ) in db.execute(f"SELECT {_COLUMNS} FROM webhooks ORDER BY number").fetchall()
            ]

    def add(self, url: str, secret: str, kinds: Sequence[str], *, after: int) -> Webhook:
        """Register an address; it is told of events after the given one."""
        created = datetime.now(UTC)
        with self._using() as db:
            number = db.execute(
                "INSERT INTO webhooks (url, secret, kinds, created, delivered) "
                "VALUES (?, ?, ?, ?, ?) RETURNING number",
                (url, secret, json.dumps(list(kinds)), created.isoformat(), after),
            ).fetchone()[0]
        return Webhook(number, url, secret, tuple(kinds), created, after, 0, None, None)

    def remove(self, number: int) -> bool:
        """Forget an address; say whether there was one."""
        with self._using() as db:
            return db.execute("DELETE FROM webhooks WHERE number = ?", (number,)).rowcount > 0

    def delivered(self, number: int, event: int) -> None:
        """Note that an address has been told of all events up to this one."""
        with self._using() as db:
            db.execute(
                "UPDATE webhooks SET delivered = ?, failures = 0, next_try = NULL, problem = NULL "
                "WHERE number = ?",
                (event, number),
            )

    def failed(self, number: int, problem: str, next_try: datetime) -> None:
        """Note that an address could not be told, and when to try again."""
        with self._using() as db:
            db.execute(
                "UPDATE webhooks SET failures = failures + 1, next_try = ?, problem = ? "
                "WHERE number = ?",
                (next_try.isoformat(), problem, number),
            )

    @contextmanager
    def _using(self) -> Iterator[sqlite3.Connection]:
        try:
            with self._turn:
                yield self._db
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: webhooks cannot be kept ({error})") from error
