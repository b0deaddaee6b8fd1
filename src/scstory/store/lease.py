"""The lease: one row says which process is the writer of a shared database, and until when.

Time is the server's, so the clocks of hosts do not matter. Each new holder gets the next number,
the fencing token. A commit checks its token in its own transaction, with the row locked: a process
that was paused, lost the lease and wakes up cannot commit anything. A process that is paused within
a transaction does not block others either: the holder, and processes that want to be, end sessions
that have fallen silent.
"""

import os
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import psycopg

from scstory.errors import AlreadyClaimed, LeaseLost

SECONDS = 15.0
"""How long a lease is valid; it is renewed three times in that time, and with each commit."""
INSIST_SECONDS = 2.0
"""How long to try: the server may not know yet that a holder was killed just now."""

_EXPIRES = "expires = clock_timestamp() + %s * interval '1 second'"
_SESSION = "session = pg_backend_pid(), server = pg_postmaster_start_time()"
_END_SILENT = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()
    AND application_name = current_setting('application_name')
    AND xact_start IS NOT NULL AND wait_event_type = 'Client'
    AND state_change < clock_timestamp() - %s * interval '1 second'
"""
"""Within a pipeline of statements the server itself waits for ever for the next one. Only sessions
of scstory are ended: a copy made by pg_dump waits for its reader too."""


class Lease:
    """The lease, held from `take` to `end` and renewed in a thread.

    A holder whose session has ended while the server runs on is dead: nobody waits for it.
    """

    def __init__(self, connect: Callable[[], psycopg.Connection[Any]], name: str) -> None:
        self._connect, self._name, self.held = connect, name, False
        self._holder = f"{socket.gethostname()}:{os.getpid()}"
        self._asked: set[tuple[Any, ...]] = set()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._keep_renewing, name="lease", daemon=True)

    def take(self) -> None:
        """Take the lease; raise AlreadyClaimed if another process has it."""
        self._db = self._connect()
        try:
            self._token = self._take()
        except BaseException:
            self._db.close()
            raise
        self.held = True
        self._thread.start()

    def check(self, db: psycopg.Connection[Any]) -> None:
        """Renew within a transaction of the writer; raise LeaseLost if another has it now."""
        if not self._renew(db, _EXPIRES):
            self.held = False
            (holder,) = db.execute("SELECT holder FROM lease").fetchone() or ("",)
            raise LeaseLost(self._name, holder or "another process")

    def end(self) -> None:
        """Give the lease up, if it is still held."""
        self._stop.set()
        self._thread.join()
        end = time.monotonic() + INSIST_SECONDS
        while self.held and not self._gave_up() and time.monotonic() < end:
            time.sleep(0.1)
        self.held = False
        self._db.close()

    def _take(self) -> int:
        end = time.monotonic() + INSIST_SECONDS
        while True:
            self._db.execute(_END_SILENT, (SECONDS,))
            try:
                holder, token = self._try()
            except psycopg.errors.LockNotAvailable:
                holder, token = "a process in the middle of a transaction", 0
            if holder is None:
                return token
            if time.monotonic() > end:
                raise AlreadyClaimed(self._name, holder)
            time.sleep(0.1)

    def _try(self) -> tuple[str | None, int]:
        """Take the lease if it is free; return its holder otherwise, and its token."""
        with self._db.transaction():
            self._db.execute(f"SET LOCAL lock_timeout = {1000 * SECONDS / 3:.0f}")
            self._db.execute("SELECT 1 FROM lease FOR UPDATE")  # another may be taking it just now
            row = self._db.execute(
                "SELECT holder, token, expires <= clock_timestamp(), session, "
                "server = pg_postmaster_start_time() FROM lease"
            ).fetchone()
            assert row is not None
            holder, token, expired, session, same_server = row
            alive = "SELECT 1 FROM pg_stat_activity WHERE pid = %s"
            dead = same_server and not self._db.execute(alive, (session,)).fetchone()
            # This process got it, and the connection was lost before the answer came.
            own = (holder, token, session) in self._asked
            if not (expired or dead or own):
                return holder, token
            taken = self._db.execute(
                f"UPDATE lease SET holder = %s, token = %s, {_EXPIRES}, {_SESSION} "
                "RETURNING holder, token, session",
                (self._holder, token + 1, SECONDS),
            ).fetchone()
            assert taken is not None
            self._asked.add(taken)
            return None, token + 1

    def _gave_up(self) -> bool:
        try:
            self._reconnect()
            self._renew(self._db, "holder = '', expires = '-infinity'")
        except psycopg.Error:
            return False
        return True

    def _keep_renewing(self) -> None:
        while self.held and not self._stop.wait(SECONDS / 3):
            with suppress(psycopg.Error):  # the next attempt may succeed
                self._reconnect()
                self._db.execute(_END_SILENT, (SECONDS,))
                self.held &= self._renew(self._db, f"{_EXPIRES}, {_SESSION}")

    def _reconnect(self) -> None:
        if self._db.closed:
            self._db = self._connect()

    def _renew(self, db: psycopg.Connection[Any], change: str) -> bool:
        values = (SECONDS, self._token) if "%s" in change else (self._token,)
        return db.execute(f"UPDATE lease SET {change} WHERE token = %s", values).rowcount > 0
