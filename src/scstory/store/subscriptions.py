"""The feeds that are followed."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from scstory.feeds.schedule import Subscription
from scstory.store.columns import Row, row_values, time_text, to_time
from scstory.store.database import (
    Readable,
    Writes,
    clean,
    placeholders,
    read_transaction,
    write_transaction,
)

ITEM_MEMORY = timedelta(days=2)
"""How long an item is remembered after it has left its feed; it may come back."""
_FIELDS = "url, title, etag, modified, fetched, found, interval, errors, error, due, section"
_INSERT = f"INSERT INTO feeds ({_FIELDS}) VALUES ({placeholders(range(11))}) ON CONFLICT DO NOTHING"


class Subscriptions(Writes):
    """Feeds, their state, and which of their items have been read."""

    @write_transaction
    def subscribe(self, url: str, title: str = "", section: str = "") -> bool:
        """Follow a feed from now on; False if it was followed already, in whatever section."""
        feed = Subscription(clean(url), clean(title), section=clean(section))
        return bool(self.db.run(_INSERT, row_values(feed, _FIELDS)))

    @write_transaction
    def unsubscribe(self, url: str) -> bool:
        """Follow a feed no longer; False if it was not followed. Its articles stay."""
        return bool(self.db.run("DELETE FROM feeds WHERE url = ?", (clean(url),)))

    @write_transaction
    def update_subscription(self, feed: Subscription) -> None:
        """Store the state of a feed, if it is still followed."""
        stored = replace(feed, error=None if feed.error is None else clean(feed.error))
        self.db.run(
            "UPDATE feeds SET title = ?, etag = ?, modified = ?, fetched = ?, found = ?, "
            "interval = ?, errors = ?, error = ?, due = ? WHERE url = ?",
            (*row_values(stored, _FIELDS)[1:-1], feed.url),
        )

    @write_transaction
    def move_subscription(self, url: str, to: str) -> None:
        """Follow a feed at its new address; one that is followed there already stays as it is."""
        for row in self.db.rows(f"SELECT {_FIELDS} FROM feeds WHERE url = ?", (url,)):
            self.db.run(_INSERT, (to, *row[1:]))
            self.db.run(
                "INSERT INTO feed_items (feed, item, tries, seen) "
                "SELECT ?, item, tries, seen FROM feed_items WHERE feed = ? "
                "ON CONFLICT DO NOTHING",
                (to, url),
            )
            self.db.run("DELETE FROM feeds WHERE url = ?", (url,))

    @read_transaction
    def tries(self, url: str) -> dict[str, int]:
        """Return how often items of a feed have been tried, by their ids."""
        query = "SELECT item, tries FROM feed_items WHERE feed = ?"
        return {row[0]: row[1] for row in self.db.rows(query, (url,))}

    @write_transaction
    def note_tries(self, url: str, tries: Mapping[str, int], now: datetime) -> None:
        """Remember how often items have been tried."""
        if self.db.rows("SELECT 1 FROM feeds WHERE url = ?", (url,)):
            self.db.run_many(
                "INSERT INTO feed_items (feed, item, tries, seen) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (feed, item) DO UPDATE SET tries = excluded.tries, "
                "seen = excluded.seen",
                [(url, item, count, time_text(now)) for item, count in tries.items()],
            )

    @write_transaction
    def forget_items(self, url: str, still_there: Sequence[str], now: datetime) -> None:
        """Forget the items that have left a feed some time ago."""
        self.db.run_many(
            "UPDATE feed_items SET seen = ? WHERE feed = ? AND item = ?",
            [(time_text(now), url, item) for item in still_there],
        )
        self.db.run(
            "DELETE FROM feed_items WHERE feed = ? AND seen < ?",
            (url, time_text(now - ITEM_MEMORY)),
        )


def read_subscriptions(db: Readable, due: datetime | None) -> list[Subscription]:
    """Return the feeds that are followed, or those of them that are due at some time."""
    if due is None:
        rows = db.rows(f"SELECT {_FIELDS} FROM feeds ORDER BY url")
    else:
        rows = db.rows(
            f"SELECT {_FIELDS} FROM feeds WHERE due IS NULL OR due <= ? "
            "ORDER BY due IS NOT NULL, due, url",
            (time_text(due),),
        )
    return [_subscription(row) for row in rows]


def _subscription(row: Row) -> Subscription:
    url, title, etag, modified, *times, interval, errors, error, due, section = row
    fetched, found, due = (to_time(time) if time else None for time in (*times, due))
    return Subscription(
        url, title, etag, modified, fetched, found, interval, errors, error, due, section
    )
