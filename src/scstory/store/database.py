"""What the store needs of a database, whether it is SQLite or PostgreSQL."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Concatenate, ParamSpec, TypeVar

from scstory.errors import StoreError
from scstory.store.columns import Row
from scstory.store.search.dialect import Search

T = TypeVar("T")
P = ParamSpec("P")


class Readable(ABC):
    """Plain SQL queries with ``?`` as the placeholder of a value."""

    name: str
    """What the database is called in messages; never with a password."""

    @property
    @abstractmethod
    def search(self) -> Search:
        """How the database searches."""

    @abstractmethod
    def rows(self, query: str, values: Row = ()) -> list[Row]:
        """Return all rows of a query."""

    def value(self, query: str, values: Row = ()) -> Any:
        """Return the one value of a query."""
        return self.rows(query, values)[0][0]

    @abstractmethod
    def read(self, work: Callable[[], T]) -> T:
        """Do work in a transaction that only reads; an error of the database is a StoreError."""


class Database(Readable):
    """Plain SQL with ``?`` as the placeholder of a value, and transactions.

    If the connection is lost, work that was handed to `read` or `write` is retried from its
    start. Calls may be nested: the outermost one is the transaction. Threads take turns.
    """

    shared = False
    """Whether other processes can stand by to become the writer, and can `listen` to its writes."""
    retry_seconds = 30.0
    """How long work is retried while the server cannot be reached."""

    @abstractmethod
    def run(self, statement: str, values: Row = ()) -> int:
        """Execute a statement; return how many rows it changed."""

    @abstractmethod
    def run_many(self, statement: str, values: Iterable[Row]) -> None:
        """Execute a statement once for each row of values."""

    @abstractmethod
    def stream(self, query: str) -> Iterator[Row]:
        """Yield the rows of a query without holding all of them, within a transaction."""

    @abstractmethod
    def write(self, work: Callable[[], T]) -> T:
        """Do work in one transaction, which an error rolls back as a whole."""

    # -- the writer ---------------------------------------------------------------------------

    @abstractmethod
    def claim(self) -> None:
        """Become the writer, until `close`; raise AlreadyClaimed if another process is."""

    @abstractmethod
    def is_writer(self) -> bool:
        """Say whether this process is the writer, as far as it knows."""

    @abstractmethod
    def check_claim(self) -> None:
        """Within a transaction, raise LeaseLost if another process has become the writer."""

    def listen(self, seconds: float) -> bool:
        """Wait until a transaction has been committed, or so long; say whether one may have been.

        A database that does not notify its readers always says yes.
        """
        time.sleep(seconds)
        return True

    # -- the database as a whole --------------------------------------------------------------

    @abstractmethod
    def schema(self) -> int:
        """Return the number of the schema; raise StoreError if it is of a newer version."""

    @abstractmethod
    def tables(self) -> list[str]:
        """Return the names of the tables, without those that an index consists of."""

    @abstractmethod
    def columns(self, table: str) -> list[str]:
        """Return the columns of a table, in the order of their making."""

    def restart_numbers(self) -> None:
        """Have the next rows numbered after those that were inserted with a number."""

    @abstractmethod
    def size(self) -> int:
        """Return how many bytes the database takes."""

    @abstractmethod
    def faults(self) -> list[str]:
        """Return what the database itself finds wrong."""

    @abstractmethod
    def backup(self, path: str) -> None:
        """Write a copy of the database, as of one moment, to a new file."""

    @abstractmethod
    def shrink(self) -> None:
        """Give back the space of what was deleted."""

    @abstractmethod
    def close(self) -> None:
        """Close the connection, and give up the claim."""


class Reads:
    """An object with a database that can be read."""

    db: Readable


class Writes(Reads):
    """An object with a database that can be written."""

    db: Database


S = TypeVar("S", bound=Reads)
W = TypeVar("W", bound=Writes)


def read_transaction(method: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """Run a method in a transaction that only reads."""

    @wraps(method)
    def whole(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self.db.read(lambda: method(self, *args, **kwargs))

    return whole


def write_transaction(method: Callable[Concatenate[W, P], T]) -> Callable[Concatenate[W, P], T]:
    """Run a method in a transaction."""

    @wraps(method)
    def whole(self: W, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self.db.write(lambda: method(self, *args, **kwargs))

    return whole


def migrations(dialect: str) -> list[list[Traversable]]:
    """Return the migrations in order, each as the files of one number for a dialect.

    NNNN_name.sql is for all dialects; NNNN_name.DIALECT.sql follows it in that dialect alone.
    """
    found: dict[str, list[Traversable]] = {}
    for entry in sorted(files("scstory.store.migrations").iterdir(), key=lambda e: e.name):
        number, _, rest = entry.name.partition("_")
        if rest.endswith(".sql") and rest.count(".") == 1 + rest.endswith(f".{dialect}.sql"):
            found.setdefault(number, []).append(entry)
    return [found[number] for number in sorted(found)]


def statements(
    migration: Iterable[Traversable], translate: Callable[[str], str] = lambda common: common
) -> Iterator[str]:
    """Yield the statements of a migration, those for all dialects first, translated."""
    for file in sorted(migration, key=lambda entry: entry.name.count(".")):
        text, common = file.read_text("utf-8"), file.name.count(".") == 1
        yield from (translate(text) if common else text).split(";\n")


def refuse_newer(name: str, version: int, newest: int) -> None:
    """Refuse a database that a newer version of scstory made."""
    if version > newest:
        raise StoreError(
            f"{name}: made by a newer scstory (schema {version}, this one knows {newest}); "
            "update scstory or name another database with --db"
        )


def placeholders(values: Iterable[Any]) -> str:
    """Return a placeholder for each value, to be written in ``IN (…)``."""
    return ", ".join("?" for _ in values) or "NULL"


def chunks(values: Sequence[T], size: int = 500) -> Iterator[Sequence[T]]:
    """Yield values in parts that are small enough for one statement."""
    for start in range(0, len(values), size):
        yield values[start : start + size]


def clean(text: str) -> str:
    """Return text without lone surrogates and NULs, which no database can store."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd")
