"""A database in one SQLite file."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from scstory.errors import NoDatabase, StoreError
from scstory.store.database import Database, T, migrations, newer, statements
from scstory.store.lock import FileLock
from scstory.store.rows import UNREADABLE, Row
from scstory.store.search import SQLITE
from scstory.store.writing import busy

APPLICATION_ID = 0x53635374  # "ScSt": tells our files from other SQLite databases
WAIT = 30
"""Seconds to wait for another writer to finish its transaction."""


class SqliteDatabase(Database):
    """One file; a lock file beside it names the one who commits."""

    search = SQLITE
    connection = sqlite3.Connection
    """What talks to the file; tests put in one that fails now and then."""

    def __init__(self, path: str, *, create: bool = True, write: bool = True) -> None:
        self.name = path
        self._turn = threading.RLock()
        self._claim: FileLock | None = None
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

    def run(self, statement: str, values: Row = ()) -> int:
        """Carry out a statement; return how many rows it changed."""
        return self._db.execute(statement, values).rowcount

    def run_many(self, statement: str, values: Iterable[Row]) -> None:
        """Carry out a statement once for each row of values."""
        self._db.executemany(statement, values)

    def rows(self, query: str, values: Row = ()) -> list[Row]:
        """Return all rows of a query."""
        return self._db.execute(query, values).fetchall()

    def read(self, work: Callable[[], T]) -> T:
        """Do work that reads, as of one moment; what goes wrong is a StoreError."""
        with self._errors("cannot be read"), self._transaction("BEGIN"):
            return work()

    def write(self, work: Callable[[], T]) -> T:
        """Do work in one transaction; what goes wrong is a StoreError and leaves no trace."""
        with self._errors("cannot be written"), self._transaction("BEGIN IMMEDIATE"):
            return work()

    # -- the one who commits ------------------------------------------------------------------

    def claim(self) -> None:
        """Become the one who commits, until `close`; raise Kept if somebody else is."""
        if self._claim is None:
            self._claim = FileLock(f"{self.name}.lock", busy=busy(self.name))

    def keeping(self) -> bool:
        """Say whether this is the one who commits."""
        return self._claim is not None

    def hold(self) -> None:
        """Do nothing: the lock is held as long as the process lives."""

    # -- the whole ----------------------------------------------------------------------------

    def schema(self) -> int:
        """Return the number of the schema; refuse what this version cannot read."""
        found, version = self.value("PRAGMA application_id"), int(self.value("PRAGMA user_version"))
        tables, newest = self.value("SELECT count(*) FROM sqlite_master"), len(migrations("sqlite"))
        if found != APPLICATION_ID and (tables or version):
            raise StoreError(f"{self.name}: not a scstory database; name another with --db")
        if version > newest:
            raise StoreError(newer(self.name, version, newest))
        return version

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
        """Write a copy of all there is, as of one moment, to a new file."""
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
            self._db.execute("VACUUM")
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Let go of the file."""
        with self._turn:
            self._db.close()
            if self._claim:
                self._claim.release()
                self._claim = None

    # -- how ----------------------------------------------------------------------------------

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[None]:
        with self._turn:
            if self._db.in_transaction:
                yield
                return
            self._db.execute(begin)
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):  # some errors have rolled back already
                    self._db.execute("ROLLBACK")
                raise

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
            timeout=WAIT,
            isolation_level=None,
            check_same_thread=False,
            uri=True,
            factory=self.connection,
        )
        db.execute("PRAGMA foreign_keys = ON")
        if not write:
            db.execute("PRAGMA query_only = ON")
        return db

    def _migrate(self) -> None:
        """Bring the schema up to date, one numbered step after the other."""
        version = self.schema()
        for number, step in enumerate(migrations("sqlite")[version:], version + 1):
            with self._transaction("BEGIN IMMEDIATE"):
                # Another process may have been faster while this one waited for the lock.
                if self.value("PRAGMA user_version") >= number:
                    continue
                for statement in statements(step):
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                self._db.execute(f"PRAGMA user_version = {number}")
