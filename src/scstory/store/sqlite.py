"""The store in one SQLite file."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from scstory.errors import NoDatabase, StoreError
from scstory.store.base import Condition
from scstory.store.inbox import Inbox
from scstory.store.lock import FileLock
from scstory.store.reading import Reading
from scstory.store.rows import UNREADABLE, Row
from scstory.store.subscriptions import Subscriptions
from scstory.store.upkeep import Upkeep
from scstory.store.writing import Writing

APPLICATION_ID = 0x53635374  # "ScSt": tells our files from other SQLite databases
WAIT = 30
"""Seconds to wait for another writer to finish its transaction."""


class SqliteStore(Inbox, Subscriptions, Writing, Reading, Upkeep):
    """One file, one who commits, any number of readers and of those who offer articles.

    It may be used by several threads; they take turns.
    """

    connection = sqlite3.Connection
    """What talks to the file; tests put in one that fails now and then."""

    def __init__(self, path: str, *, create: bool = True, write: bool = True) -> None:
        self.path = path
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
        steps = _steps()
        with self._errors("cannot be opened"):
            self._db = self._connect(write)
            if not write and self._version(steps) < len(steps):
                self._db.close()
                if not os.access(path, os.W_OK):
                    raise StoreError(
                        f"{path}: made by an older scstory and not writable, so it cannot be "
                        "brought up to date; make it writable once, or copy it"
                    )
                self._db = self._connect(write := True)
            if write:
                self._migrate(steps)
                self._db.execute("PRAGMA journal_mode = WAL")
                self._db.execute("PRAGMA synchronous = FULL")
        self._last = None
        with self._reading():
            self._expected = self._commits()

    def close(self) -> None:
        """Let go of the file."""
        with self._turn:
            self._db.close()
            if self._claim:
                self._claim.release()
                self._claim = None

    def claim(self) -> None:
        """Become the one who commits, until `close`; raise StoreError if somebody else is."""
        if self._claim is None:
            self._claim = FileLock(f"{self.path}.lock", busy=self._busy())

    # -- the parts' way to the file -----------------------------------------------------------

    def _run(self, statement: str, values: Row = ()) -> int:
        return self._db.execute(statement, values).rowcount

    def _run_many(self, statement: str, values: Iterable[Row]) -> None:
        self._db.executemany(statement, values)

    def _rows(self, query: str, values: Row = ()) -> list[Row]:
        return self._db.execute(query, values).fetchall()

    @contextmanager
    def _reading(self) -> Iterator[None]:
        with self._errors("cannot be read"), self._transaction("BEGIN"):
            yield

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with self._errors("cannot be written"), self._transaction("BEGIN IMMEDIATE"):
            yield

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
            raise StoreError(f"{self.path}: {what} ({error})") from error
        except UNREADABLE as error:
            reason = f"{type(error).__name__}: {error}"
            raise StoreError(f"{self.path}: {what}, it is damaged ({reason})") from error

    # -- the file -----------------------------------------------------------------------------

    def _connect(self, write: bool) -> sqlite3.Connection:
        file = Path(self.path).absolute()
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

    def _version(self, steps: list[Traversable]) -> int:
        """Return the number of the schema; refuse what this version cannot read."""
        found = self._db.execute("PRAGMA application_id").fetchone()[0]
        version: int = self._db.execute("PRAGMA user_version").fetchone()[0]
        tables = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if found != APPLICATION_ID and (tables or version):
            raise StoreError(f"{self.path}: not a scstory database; name another with --db")
        if version > len(steps):
            raise StoreError(
                f"{self.path}: made by a newer scstory (schema {version}, this one knows "
                f"{len(steps)}); update scstory or name another database with --db"
            )
        return version

    def _migrate(self, steps: list[Traversable]) -> None:
        """Bring the schema up to date, one numbered step after the other."""
        version = self._version(steps)
        for number, step in enumerate(steps[version:], version + 1):
            with self._transaction("BEGIN IMMEDIATE"):
                # Another process may have been faster while this one waited for the lock.
                if self._db.execute("PRAGMA user_version").fetchone()[0] >= number:
                    continue
                for statement in step.read_text("utf-8").split(";\n"):
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                self._db.execute(f"PRAGMA user_version = {number}")

    # -- upkeep -------------------------------------------------------------------------------

    def check(self) -> Condition:
        """Look the whole store over."""
        with self._reading():
            found = [row[0] for row in self._rows("PRAGMA integrity_check(20)") if row[0] != "ok"]
            broken = self._rows("PRAGMA foreign_key_check")
            found += [
                f"{table}: a row refers to {parent} that is not there"
                for table, _, parent, _ in broken[:20]
            ]
            size = self._value("PRAGMA page_count") * self._value("PRAGMA page_size")
            return self._condition(self._version(_steps()), size, found)

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

    def compact(self, before: datetime) -> int:
        """Let the text of older articles go, and give the space back; return how many."""
        with self._writing():
            count = self._forget(before)
        with self._errors("cannot be compacted"), self._turn:
            self._db.execute("VACUUM")
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return count


def _steps() -> list[Traversable]:
    found = files("scstory.store.migrations").iterdir()
    return sorted((e for e in found if e.name.endswith(".sql")), key=lambda entry: entry.name)
