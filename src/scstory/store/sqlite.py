"""A database in one SQLite file."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from scstory.errors import AlreadyClaimed, NoDatabase, StoreError
from scstory.store.columns import UNREADABLE, Row
from scstory.store.database import Database, T, migrations, refuse_newer, statements
from scstory.store.search.dialect import SQLITE
from scstory.text.search_words import searchable

if TYPE_CHECKING:
    from filelock import FileLock

APPLICATION_ID = 0x53635374  # "ScSt": tells our files from other SQLite databases
BUSY_SECONDS = 30
"""How long to wait for another process to finish its transaction."""
LOCK_SECONDS = 0.1
"""How long to try for the lock: a process that is just ending may still remove its file."""


class SqliteDatabase(Database):
    """One file; the writer holds a lock on a second file beside it, which names its process."""

    search = SQLITE
    connection = sqlite3.Connection
    """The class of connections; tests use one that fails now and then."""

    def __init__(self, path: str, *, create: bool = True, write: bool = True) -> None:
        self.name = path
        self._turn = threading.RLock()
        self._inside = False
        self._lock: FileLock | None = None
        if not create and not Path(path).exists():
            raise NoDatabase(
                f"{path}: no such database; make one with: scstory run ARTICLES --db {path}"
            )
        if Path(path).is_dir():
            raise NoDatabase(f"{path}: is a folder; name a file, as in {path}/scstory.db")
        if not (folder := Path(path).absolute().parent).is_dir():
            raise NoDatabase(f"{path}: there is no folder {folder}; make it first")
        with self._errors("cannot be opened"):
            self._db = self._connect(write)
            if self.schema() < len(migrations("sqlite")) and not write:
                self._db.close()
                if not os.access(path, os.W_OK):
                    raise StoreError(
                        f"{path}: made by an older scstory and not writable, so it cannot be "
                        "brought up to date; make it writable once, or copy it"
                    )
                self._db = self._connect(write := True)
            if write:
                self._migrate()
                self._db.execute("PRAGMA journal_mode = WAL")
                self._db.execute("PRAGMA synchronous = FULL")
                # What undoes a single statement need not be durable.
                self._db.execute("PRAGMA temp_store = MEMORY")

    def run(self, statement: str, values: Row = ()) -> int:
        """Execute a statement; return how many rows it changed."""
        return self._db.execute(statement, values).rowcount

    def run_many(self, statement: str, values: Iterable[Row]) -> None:
        """Execute a statement once for each row of values."""
        self._db.executemany(statement, values)

    def rows(self, query: str, values: Row = ()) -> list[Row]:
        """Return all rows of a query."""
        return self._db.execute(query, values).fetchall()

    def stream(self, query: str) -> Iterator[Row]:
        """Yield the rows of a query without holding all of them, within a transaction."""
        yield from self._db.execute(query)

    def read(self, work: Callable[[], T]) -> T:
        """Do work in a transaction that only reads; an error of the database is a StoreError."""
        with self._errors("cannot be read"), self._transaction("BEGIN"):
            return work()

    def write(self, work: Callable[[], T]) -> T:
        """Do work in one transaction, which an error rolls back as a whole."""
        with self._errors("cannot be written"), self._transaction("BEGIN IMMEDIATE"):
            return work()

    # -- the writer ---------------------------------------------------------------------------

    def claim(self) -> None:
        """Become the writer, until `close`; raise AlreadyClaimed if another process is."""
        if self._lock is not None:
            return
        # Commands that only read need no lock, and not the asyncio that filelock imports.
        from filelock import FileLock, Timeout

        path = Path(f"{self.name}.lock")
        lock = FileLock(path, mode=0o666, thread_local=False)
        try:
            lock.acquire(timeout=LOCK_SECONDS, poll_interval=LOCK_SECONDS / 4)
        except Timeout:
            raise AlreadyClaimed(self.name, _holder(path)) from None
        except OSError as error:
            raise StoreError(f"{path}: cannot be made ({error.strerror})") from error
        with suppress(OSError):  # a disk that is full costs only the name
            path.write_text(str(os.getpid()))
        self._lock = lock

    def is_writer(self) -> bool:
        """Say whether this process is the writer."""
        return self._lock is not None

    def check_claim(self) -> None:
        """Do nothing: the process holds the lock for as long as it lives."""

    # -- the database as a whole --------------------------------------------------------------

    def schema(self) -> int:
        """Return the number of the schema; refuse what this version cannot read."""
        found, version = self.value("PRAGMA application_id"), int(self.value("PRAGMA user_version"))
        tables, newest = self.value("SELECT count(*) FROM sqlite_master"), len(migrations("sqlite"))
        if found != APPLICATION_ID and (tables or version):
            raise StoreError(f"{self.name}: not a scstory database; name another with --db")
        refuse_newer(self.name, version, newest)
        return version

    def tables(self) -> list[str]:
        """Return the names of the tables, without those that an index consists of."""
        found = self.rows(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' "
            "AND name NOT LIKE 'sqlite%' ORDER BY name"
        )
        return [row[0] for row in found]

    def columns(self, table: str) -> list[str]:
        """Return the columns of a table, in the order of their making."""
        return [row[0] for row in self.rows("SELECT name FROM pragma_table_info(?)", (table,))]

    def size(self) -> int:
        """Return how many bytes the file has."""
        return int(self.value("PRAGMA page_count") * self.value("PRAGMA page_size"))

    def faults(self) -> list[str]:
        """Return what the database itself finds wrong."""
        broken = self.rows("PRAGMA foreign_key_check")
        return [row[0] for row in self.rows("PRAGMA integrity_check(20)") if row[0] != "ok"] + [
            f"{table}: a row refers to {parent} that is not there"
            for table, _, parent, _ in broken[:20]
        ]

    def backup(self, path: str) -> None:
        """Write a copy of the database, as of one moment, to a new file."""
        unfinished = f"{path}.part"
        try:
            with self._errors(f"cannot be copied to {path}"), self._turn:
                copy = sqlite3.connect(unfinished)
                try:
                    self._db.backup(copy)
                    copy.execute("PRAGMA journal_mode = DELETE")
                finally:
                    copy.close()
            os.replace(unfinished, path)
        except OSError as error:
            raise StoreError(f"{path}: cannot be written ({error.strerror})") from error
        finally:
            Path(unfinished).unlink(missing_ok=True)

    def shrink(self) -> None:
        """Give back the space of what was deleted."""
        with self._errors("cannot be compacted"), self._turn:
            self._db.execute("PRAGMA temp_store = FILE")  # the copy has the size of the database
            self._db.execute("VACUUM")
            self._db.execute("PRAGMA temp_store = MEMORY")
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Close the file, and give up the claim."""
        with self._turn:
            self._db.close()
            if self._lock:
                with suppress(OSError):
                    os.unlink(f"{self.name}.lock")
                self._lock.release()
                self._lock = None

    # -- how it is done -----------------------------------------------------------------------

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[None]:
        with self._turn:
            if self._inside:
                yield
                return
            if self._db.in_transaction:  # the last one could not be rolled back
                self._db.execute("ROLLBACK")
            self._db.execute(begin)
            self._inside = True
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):  # some errors have rolled back already
                    self._db.execute("ROLLBACK")
                raise
            finally:
                self._inside = False

    @contextmanager
    def _errors(self, what: str) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, UnicodeError, OverflowError) as error:
            raise StoreError(f"{self.name}: {what} ({error})") from error
        except UNREADABLE as error:
            reason = f"{type(error).__name__}: {error}"
            raise StoreError(f"{self.name}: {what}, it is damaged ({reason})") from error

    def _connect(self, write: bool) -> sqlite3.Connection:
        file = Path(self.name).absolute()
        mode = "rwc" if write else "rw"
        if not write and not (os.access(file, os.W_OK) and os.access(file.parent, os.W_OK)):
            mode = "ro"
            if not os.access(file.parent, os.W_OK) and not Path(f"{file}-wal").exists():
                mode += "&immutable=1"  # nobody can be writing, and no helper file can be made
        db = sqlite3.connect(
            f"{file.as_uri()}?mode={mode}",
            timeout=BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,
            uri=True,
            factory=self.connection,
        )
        db.create_function("search_text", 1, _search_text, deterministic=True)
        db.execute("PRAGMA foreign_keys = ON")
        if not write:
            db.execute("PRAGMA query_only = ON")
        return db

    def _migrate(self) -> None:
        """Run the migrations that are missing, in order."""
        version = self.schema()
        for number, migration in enumerate(migrations("sqlite")[version:], version + 1):
            with self._transaction("BEGIN IMMEDIATE"):
                # Another process may have been faster while this one waited for the lock.
                if self.value("PRAGMA user_version") >= number:
                    continue
                for statement in statements(migration):
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                self._db.execute(f"PRAGMA user_version = {number}")


def _search_text(text: object) -> str:
    """Return what the index holds of a text; the triggers of the schema call it."""
    return searchable(text) if isinstance(text, str) else ""


def _holder(lock: Path) -> str:
    """Return the process that a lock file names."""
    try:
        return f"process {int(lock.read_text())}"
    except (OSError, ValueError):
        return "another process"
