"""What happened to stories, in order."""

import json
from collections import Counter
from datetime import datetime

from scstory.store.columns import EVENTS, to_event, to_time
from scstory.store.database import Reads, read_transaction
from scstory.store.records import MAX_ID, Event


class EventQueries(Reads):
    """Queries for events."""

    @read_transaction
    def events(self, after: int, limit: int = 1000) -> list[Event]:
        """Return the events after the one of that number, in order."""
        query = f"{EVENTS} WHERE e.number > ? ORDER BY e.number LIMIT ?"
        rows = self.db.rows(query, (max(-1, min(after, MAX_ID)), limit))
        return [to_event(row) for row in rows]

    @read_transaction
    def first_event(self) -> int:
        """Return the number of the oldest event that is still stored, 0 if there is none."""
        return int(self.db.value("SELECT coalesce(min(number), 0) FROM events"))

    @read_transaction
    def last_event(self) -> int:
        """Return the number of the latest event, 0 if there is none."""
        return int(self.db.value("SELECT coalesce(max(number), 0) FROM events"))

    @read_transaction
    def last_event_time(self) -> datetime | None:
        """Return when something last happened to a story."""
        found = self.db.rows("SELECT time FROM events ORDER BY number DESC LIMIT 1")
        return to_time(found[0][0]) if found else None

    @read_transaction
    def grown_between(self, event: int, last: int) -> dict[int, int]:
        """Return how many articles stories gained after an event and up to another."""
        found: Counter[int] = Counter()
        for story, articles in self.db.rows(
            "SELECT story, articles FROM events WHERE number > ? AND number <= ? "
            "AND kind IN ('new', 'grew') ORDER BY number DESC LIMIT 10000",
            (max(-1, min(event, MAX_ID)), last),
        ):
            found[story] += len(json.loads(articles))
        return dict(found)
