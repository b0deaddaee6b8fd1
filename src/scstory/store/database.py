"""What the parts of a store need of its database, whichever it is."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from scstory.store.rows import Row
from scstory.store.search import Search

T = TypeVar("T")
P = ParamSpec("P")


class Readable(Protocol):
    """Plain SQL with ``?`` for values, for those who only ask."""

    @property
    def name(self) -> str:
        """What the database is called in messages; never with a password."""

    @property
    def search(self) -> Search:
        """How words are looked up."""

    def rows(self, query: str, values: Row = ()) -> list[Row]:
        """Return all rows of a query."""

    def value(self, query: str, values: Row = ()) -> Any:
        """Return the one value of a query."""

    def read(self, work: Callable[[], T]) -> T:
        """Do work that reads, as of one moment; what goes wrong is a StoreError."""


class Database(ABC):
    """Plain SQL with ``?`` for values, and transactions that are whole or not at all.

    Work that is handed to `read` or `write` may be done again from its start if the connection
    is lost on the way. It may be nested: the outermost is the transaction. Threads take turns.
    """

    name: str
    """What the database is called in messages; never with a password."""
    search: Search
    """How words are looked up."""
    shared = False
    """Whether others may stand by to become the one who commits, and are told of what it does."""
    patience = 30.0
    """Seconds that a server which has gone away is given to come back."""

    @abstractmethod
    def run(self, statement: str, values: Row = ()) -> int:
        """Carry out a statement; return how many rows it changed."""

    @abstractmethod
    def run_many(self, statement: str, values: Iterable[Row]) -> None:
        """Carry out a statement once for each row of values."""

    @abstractmethod
    def rows(self, query: str, values: Row = ()) -> list[Row]:
        """Return all rows of a query."""

    def value(self, query: str, values: Row = ()) -> Any:
        """Return the one value of a query."""
        return self.rows(query, values)[0][0]

    @abstractmethod
    def read(self, work: Callable[[], T]) -> T:
        """Do work that reads, as of one moment; what goes wrong is a StoreError."""

    @abstractmethod
    def write(self, work: Callable[[], T]) -> T:
        """Do work in one transaction; what goes wrong is a StoreError and leaves no trace."""

    # -- the one who commits ------------------------------------------------------------------

    @abstractmethod
    def claim(self) -> None:
        """Become the one who commits, until `close`; raise Kept if somebody else is."""

    @abstractmethod
    def keeping(self) -> bool:
        """Say whether this is, as far as is known, the one who commits."""

    @abstractmethod
    def hold(self) -> None:
        """Within a transaction, raise LeaseLost if another has become the one who commits."""

    def listen(self, seconds: float) -> bool:
        """Wait until somebody has written, or so long; say whether somebody may have.

        Where nobody is told of what others do, that is always so.
        """
        time.sleep(seconds)
        return True

    # -- the whole ----------------------------------------------------------------------------

    @abstractmethod
    def schema(self) -> int:
        """Return the number of the schema; raise StoreError if it is of a newer version."""

    @abstractmethod
    def size(self) -> int:
        """Return how many bytes it takes."""

    @abstractmethod
    def faults(self) -> list[str]:
        """Return what the database itself finds wrong."""

    @abstractmethod
    def backup(self, path: str) -> None:
        """Write a copy of all there is, as of one moment, to a new file."""

    @abstractmethod
    def shrink(self) -> None:
        """Give back the space of what was deleted."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the database."""


class Part:
    """A part of a store: some of its methods, on the database that all parts share."""

    db: Database


class Reader(Protocol):
    """Whoever has something to read from."""

    @property
    def db(self) -> Readable:
        """Where to read."""


S = TypeVar("S", bound=Reader)
W = TypeVar("W", bound=Part)


def reading(method: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """Let a method read as of one moment."""

    @wraps(method)
    def whole(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self.db.read(lambda: method(self, *args, **kwargs))

    return whole


def writing(method: Callable[Concatenate[W, P], T]) -> Callable[Concatenate[W, P], T]:
    """Let a method write, all of it or nothing."""

    @wraps(method)
    def whole(self: W, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self.db.write(lambda: method(self, *args, **kwargs))

    return whole


def migrations(dialect: str) -> list[list[Traversable]]:
    """Return the steps of the schema in order: each the files of one number for a dialect.

    NNNN_name.sql is for all; NNNN_name.DIALECT.sql follows it in databases of that kind.
    """
    found: dict[str, list[Traversable]] = {}
    for entry in sorted(files("scstory.store.migrations").iterdir(), key=lambda e: e.name):
        number, _, rest = entry.name.partition("_")
        if rest.endswith(".sql") and rest.count(".") == 1 + rest.endswith(f".{dialect}.sql"):
            found.setdefault(number, []).append(entry)
    return [found[number] for number in sorted(found)]


def statements(
    step: Iterable[Traversable], translate: Callable[[str], str] = lambda common: common
) -> Iterator[str]:
    """Yield the statements of a step of the schema, those for all first, translated."""
    for file in sorted(step, key=lambda entry: entry.name.count(".")):
        text, common = file.read_text("utf-8"), file.name.count(".") == 1
        yield from (translate(text) if common else text).split(";\n")


def newer(name: str, version: int, newest: int) -> str:
    """Say that a database is of a version that is not known here."""
    return (
        f"{name}: made by a newer scstory (schema {version}, this one knows {newest}); "
        "update scstory or name another database with --db"
    )


def marks(values: Iterable[Any]) -> str:
    """Return a place holder for each value, to stand in ``IN (…)``."""
    return ", ".join("?" for _ in values) or "NULL"


def chunks(values: Sequence[T], size: int = 500) -> Iterator[Sequence[T]]:
    """Yield values in parts that fit into a statement."""
    for start in range(0, len(values), size):
        yield values[start : start + size]


def known(number: int) -> bool:
    """Say whether a database can hold a whole number at all."""
    return abs(number) < 2**63


def clean(text: str) -> str:
    """Return a text as a database can compare it: without halves of characters."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd")
