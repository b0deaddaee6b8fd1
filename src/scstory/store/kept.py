"""The store in a database: all its parts on one connection."""

from __future__ import annotations

from scstory.store.database import Database
from scstory.store.inbox import Inbox
from scstory.store.reading import Reading
from scstory.store.subscriptions import Subscriptions
from scstory.store.upkeep import Upkeep
from scstory.store.writing import Writing


class KeptStore(Inbox, Subscriptions, Writing, Reading, Upkeep):
    """One who commits, any number of readers and of those who offer articles.

    It may be used by several threads; they take turns.
    """

    def __init__(self, db: Database) -> None:
        self.db = db
        self._last = None
        self._expected = db.read(self._commits)

    @property
    def name(self) -> str:
        """What the store is called in messages."""
        return self.db.name

    @property
    def shared(self) -> bool:
        """Whether others may stand by to become the one who commits."""
        return self.db.shared

    def claim(self) -> None:
        """Become the one who commits, until `close`; raise Kept if somebody else is."""
        self.db.claim()

    def keeping(self) -> bool:
        """Say whether this is, as far as is known, the one who commits."""
        return self.db.keeping()

    def close(self) -> None:
        """Let go of the database."""
        self.db.close()
