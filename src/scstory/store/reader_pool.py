"""A few connections that can only read, lent to the threads that need one."""

import threading
from collections.abc import Callable

from scstory.store.address import database_name, open_database
from scstory.store.columns import Row
from scstory.store.database import Database, Readable, T
from scstory.store.search.dialect import Search

MAX_CONNECTIONS = 8
RETRY_SECONDS = 3.0
"""How long a query is retried while the server cannot be reached: a reader wants an answer soon."""


class ReaderPool(Readable):
    """Connections to one database, opened as they are needed, for reading only."""

    def __init__(self, address: str) -> None:
        self.address, self.name = address, database_name(address)
        self._free: list[Database] = []
        self._places = threading.Semaphore(MAX_CONNECTIONS)
        self._lent = threading.local()

    def open(self) -> Database:
        """Return a new connection."""
        db = open_database(self.address, create=False, write=False)
        db.retry_seconds = RETRY_SECONDS
        return db

    def close(self) -> None:
        """Close all connections that no thread is using."""
        while self._free:
            self._free.pop().close()

    def read(self, work: Callable[[], T]) -> T:
        """Do work in a transaction that only reads; an error of the database is a StoreError."""
        if getattr(self._lent, "db", None) is not None:
            return work()
        with self._places:
            try:
                db = self._free.pop()
            except IndexError:
                db = self.open()
            self._lent.db = db
            try:
                return db.read(work)
            finally:
                self._lent.db = None
                self._free.append(db)

    @property
    def search(self) -> Search:
        """How the database searches."""
        return self._mine.search

    def rows(self, query: str, values: Row = ()) -> list[Row]:
        """Return all rows of a query."""
        return self._mine.rows(query, values)

    @property
    def _mine(self) -> Database:
        lent: Database = self._lent.db
        return lent
