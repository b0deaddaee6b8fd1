"""What the parts of a store need of its database, whichever it is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any

from scstory.store.rows import Row


class Database(ABC):
    """Plain SQL with ``?`` for values, and transactions that are whole or not at all."""

    path: str
    """What the database is called in messages."""

    @abstractmethod
    def _run(self, statement: str, values: Row = ()) -> int:
        """Carry out a statement; return how many rows it changed."""

    @abstractmethod
    def _run_many(self, statement: str, values: Iterable[Row]) -> None:
        """Carry out a statement once for each row of values."""

    @abstractmethod
    def _rows(self, query: str, values: Row = ()) -> list[Row]:
        """Return all rows of a query."""

    @abstractmethod
    def _reading(self) -> AbstractContextManager[None]:
        """Read, as of one moment; what goes wrong is a StoreError."""

    @abstractmethod
    def _writing(self) -> AbstractContextManager[None]:
        """Write, in one transaction; what goes wrong is a StoreError and leaves no trace."""

    def _value(self, query: str, values: Row = ()) -> Any:
        """Return the one value of a query."""
        return self._rows(query, values)[0][0]


def known(number: int) -> bool:
    """Say whether a database can hold a whole number at all."""
    return abs(number) < 2**63


def clean(text: str) -> str:
    """Return a text as a database can compare it: without halves of characters."""
    return text.encode("utf-8", "replace").decode("utf-8")
