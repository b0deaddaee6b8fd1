"""Who is told of events, and how far each has been told."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from scstory.store.base import open_database
from scstory.store.database import Part, clean, reading, writing
from scstory.store.rows import Row

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


class Webhooks(Part):
    """The webhooks of a store; any thread may ask, they take turns."""

    def __init__(self, address: str) -> None:
        self.db = open_database(address, create=False, write=True)

    def close(self) -> None:
        """Let go of the database."""
        self.db.close()

    @reading
    def all(self) -> list[Webhook]:
        """Return the webhooks, in the order they were registered."""
        rows = self.db.rows(f"SELECT {_COLUMNS} FROM webhooks ORDER BY number")
        return [_webhook(row) for row in rows]

    @writing
    def add(self, url: str, secret: str, kinds: Sequence[str], *, after: int) -> Webhook:
        """Register an address; it is told of events after the given one."""
        created = datetime.now(UTC)
        number = self.db.value(
            "INSERT INTO webhooks (url, secret, kinds, created, delivered) "
            "VALUES (?, ?, ?, ?, ?) RETURNING number",
            (url, secret, json.dumps(list(kinds)), created.isoformat(), after),
        )
        return Webhook(number, url, secret, tuple(kinds), created, after, 0, None, None)

    @writing
    def remove(self, number: int) -> bool:
        """Forget an address; say whether there was one."""
        return self.db.run("DELETE FROM webhooks WHERE number = ?", (number,)) > 0

    @writing
    def delivered(self, number: int, event: int) -> None:
        """Note that an address has been told of all events up to this one."""
        self.db.run(
            "UPDATE webhooks SET delivered = ?, failures = 0, next_try = NULL, problem = NULL "
            "WHERE number = ?",
            (event, number),
        )

    @writing
    def failed(self, number: int, problem: str, next_try: datetime) -> None:
        """Note that an address could not be told, and when to try again."""
        self.db.run(
            "UPDATE webhooks SET failures = failures + 1, next_try = ?, problem = ? "
            "WHERE number = ?",
            (next_try.isoformat(), clean(problem), number),
        )


def _webhook(row: Row) -> Webhook:
    number, url, secret, kinds, created, delivered, failures, next_try, problem = row
    return Webhook(
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
