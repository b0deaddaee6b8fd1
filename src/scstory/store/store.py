"""The store: articles, decisions, stories, feeds and the engine's state in one database."""

from scstory.store.address import open_database
from scstory.store.commits import Commits
from scstory.store.correction_inbox import CorrectionInbox
from scstory.store.database import Database
from scstory.store.follows import Follows
from scstory.store.inbox import Inbox
from scstory.store.store_reader import StoreReader
from scstory.store.subscriptions import Subscriptions
from scstory.store.upkeep import Upkeep


class Store(StoreReader, Inbox, CorrectionInbox, Commits, Subscriptions, Follows, Upkeep):
    """Everything that one run leaves for the next, and for readers.

    Articles come in by `accept`, which returns when they are on disk, and wait in the inbox.
    `commit` is the only way to decide them, in one transaction: after a crash a commit is there
    with all its effects or not at all. There is one writer, which commits; any number of processes
    may accept and read. Threads may share a store; they take turns.
    """

    db: Database

    def __init__(self, db: Database) -> None:
        super().__init__(db)
        self._start_commits()

    @property
    def shared(self) -> bool:
        """Whether other processes can stand by to become the writer."""
        return self.db.shared

    def claim(self) -> None:
        """Become the writer, until `close`; raise AlreadyClaimed if another process is."""
        self.db.claim()

    def is_writer(self) -> bool:
        """Say whether this process is the writer, as far as it knows."""
        return self.db.is_writer()

    def close(self) -> None:
        """Close the connection, and give up the claim."""
        self.db.close()


def open_store(name: str, *, create: bool = True, write: bool | None = None) -> Store:
    """Return the store that a path or address names.

    With `create=False` the database must exist already, and is only read unless `write` is set.
    """
    return Store(open_database(name, create=create, write=create if write is None else write))
