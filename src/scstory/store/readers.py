"""A few connections for reading, lent to whichever thread asks."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from scstory.store.address import database_name
from scstory.store.base import open_database
from scstory.store.database import Database, T
from scstory.store.rows import Row
from scstory.store.search import Search

AT_MOST = 8
"""Connections that are open at the same time."""
PATIENCE = 3.0
"""Seconds that a server which has gone away is given: whoever reads would rather know."""


class Readers:
    """Databases opened as they are needed, all of the same address, for reading only."""

    def __init__(self, address: str) -> None:
        self.address, self.name = address, database_name(address)
        self._free: list[Database] = []
        self._places = threading.Semaphore(AT_MOST)
        self._lent = threading.local()

    def open(self) -> Database:
        """Return one more connection."""
        db = open_database(self.address, create=False, write=False)
        db.patience = PATIENCE
        return db

    def close(self) -> None:
        """Let go of all connections that nobody uses."""
        while self._free:
            self._free.pop().close()

    def read(self, work: Callable[[], T]) -> T:
        """Do work that reads, as of one moment; what goes wrong is a StoreError."""
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
        """How words are looked up."""
        return self._mine.search

    def rows(self, query: str, values: Row = ()) -> list[Row]:
        """Return all rows of a query."""
        return self._mine.rows(query, values)

    def value(self, query: str, values: Row = ()) -> Any:
        """Return the one value of a query."""
        return self._mine.value(query, values)

    @property
    def _mine(self) -> Database:
        lent: Database = self._lent.db
        return lent
