"""Webhooks: the addresses that receive events, and how far each has received them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from scstory.store.address import open_database
from scstory.store.columns import Row, to_time
from scstory.store.database import Writes, clean, read_transaction, write_transaction

_COLUMNS = (
    "number, url, secret, kinds, created, delivered, failures, next_try, problem, story, query"
)


@dataclass(frozen=True, slots=True)
class Webhook:
    """An address that has received the events up to `delivered`, and its latest failures."""

    number: int
    url: str
    secret: str
    kinds: tuple[str, ...]
    created: datetime
    delivered: int
    failures: int
    next_try: datetime | None
    problem: str | None
    story: int | None = None
    """The story of which it wants the events, if only of one."""
    query: str | None = None
    """The query that finds the stories of which it wants the events, if not of all."""


class Webhooks(Writes):
    """The webhooks of a store. Threads take turns."""

    def __init__(self, address: str) -> None:
        self.db = open_database(address, create=False, write=True)

    def close(self) -> None:
        """Close the connection."""
        self.db.close()

    @read_transaction
    def all(self) -> list[Webhook]:
        """Return the webhooks, in the order they were registered."""
        rows = self.db.rows(f"SELECT {_COLUMNS} FROM webhooks ORDER BY number")
        return [_webhook(row) for row in rows]

    @write_transaction
    def add(
        self,
        url: str,
        secret: str,
        kinds: Sequence[str],
        *,
        after: int,
        story: int | None = None,
        query: str | None = None,
    ) -> Webhook:
        """Register an address; it receives the events after the given one."""
        created = datetime.now(UTC)
        number = self.db.value(
            "INSERT INTO webhooks (url, secret, kinds, created, delivered, story, query) "
            "VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING number",
            (url, secret, json.dumps(list(kinds)), created.isoformat(), after, story, query),
        )
        known = (number, url, secret, tuple(kinds), created, after, 0, None, None, story, query)
        return Webhook(*known)

    @write_transaction
    def remove(self, number: int) -> bool:
        """Remove an address; say whether there was one."""
        return self.db.run("DELETE FROM webhooks WHERE number = ?", (number,)) > 0

    @write_transaction
    def delivered(self, number: int, event: int) -> None:
        """Record that an address has received all events up to this one."""
        self.db.run(
            "UPDATE webhooks SET delivered = ?, failures = 0, next_try = NULL, problem = NULL "
            "WHERE number = ?",
            (event, number),
        )

    @write_transaction
    def failed(self, number: int, problem: str, next_try: datetime) -> None:
        """Record that a delivery failed, and when to try again."""
        self.db.run(
            "UPDATE webhooks SET failures = failures + 1, next_try = ?, problem = ? "
            "WHERE number = ?",
            (next_try.isoformat(), clean(problem), number),
        )


def _webhook(row: Row) -> Webhook:
    number, url, secret, kinds, created, delivered, failures, next_try, *rest = row
    kinds, created = tuple(json.loads(kinds)), to_time(created)
    next_try = to_time(next_try) if next_try else None
    return Webhook(number, url, secret, kinds, created, delivered, failures, next_try, *rest)
