"""Connections to a PostgreSQL server: how one is made, lost and made again."""

import logging
import re
import time
from typing import Any, TypeGuard

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.types.numeric import Int8Dumper

from scstory.errors import ConfigError, StoreError
from scstory.store import lease

# psycopg's messages about lost connections come as errors too, which are handled.
logging.getLogger("psycopg").addHandler(logging.NullHandler())

Connection = psycopg.Connection[tuple[Any, ...]]

FIRST_RETRY, LONGEST_RETRY = 0.1, 2.0
"""Seconds between two attempts to reach the server."""
LOCK_TIMEOUT = 30
"""Seconds to wait for another process to finish its transaction."""

_GOING_DOWN = "57P"
"""The codes of a server that stops, crashes or starts begin so."""
_NOT_NOW = re.compile("starting up|shutting down|recovery mode|not (yet )?accepting connections")
"""What a running server says that accepts no connections; an error at login has no code."""
_SETTINGS: dict[str, Any] = {
    "client_encoding": "utf8",
    "application_name": "scstory",
    "connect_timeout": 10,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
}


class LostAtOnce(psycopg.OperationalError):
    """A connection was made, and lost before it was used."""


def first_connection(
    kind: type[Connection], address: str, name: str, *, write: bool, seconds: float
) -> Connection:
    """Connect for the first time; wait for a server that is starting or stopping."""
    pause, end = FIRST_RETRY, time.monotonic() + seconds
    running = False
    while True:
        try:
            return connect(kind, address, name, write=write)
        except psycopg.Error as error:
            said = reason(error)
            running |= isinstance(error, LostAtOnce) or bool(_NOT_NOW.search(said))
            if not running or time.monotonic() + pause > end:
                raise StoreError(f"{name}: cannot be reached ({said}); {_way_out(said)}") from error
        time.sleep(pause)
        pause = min(2 * pause, LONGEST_RETRY)


def connect(kind: type[Connection], address: str, name: str, *, write: bool) -> Connection:
    """Return a new connection with the settings that the store needs."""
    try:
        given = conninfo_to_dict(address)
    except psycopg.Error:
        raise ConfigError(
            f"database {name}: cannot be read; write postgresql://USER@HOST:PORT/NAME"
        ) from None
    settings = {option: value for option, value in _SETTINGS.items() if option not in given}
    db = kind.connect(address, autocommit=True, **settings)
    db.adapters.register_dumper(int, Int8Dumper)
    try:
        # A process that stops in the middle of a transaction must not block others for ever.
        db.execute(
            "SELECT set_config('lock_timeout', %s, false), "
            "set_config('idle_in_transaction_session_timeout', %s, false), "
            "set_config('default_transaction_read_only', %s, false)",
            (f"{LOCK_TIMEOUT}s", f"{1000 * lease.SECONDS:.0f}", "off" if write else "on"),
        )
    except BaseException as error:
        db.close()
        if is_lost(error):
            raise LostAtOnce(reason(error)) from error
        raise
    return db


def is_going_down(error: psycopg.Error) -> bool:
    """Say whether an error tells that the server stops, crashes or starts."""
    return (error.sqlstate or "").startswith(_GOING_DOWN)


def is_lost(error: BaseException) -> TypeGuard[psycopg.OperationalError]:
    """Say whether an error is that of a lost connection."""
    return isinstance(error, psycopg.OperationalError) and (
        error.sqlstate is None or is_going_down(error)
    )


def reason(error: Exception) -> str:
    """Return the message of an error on one line."""
    message = error.diag.message_primary if isinstance(error, psycopg.Error) else None
    return " ".join((message or str(error)).split())[:400]


def _way_out(said: str) -> str:
    """Return what to do where a server cannot be reached."""
    if "password" in said:
        return "give the password as PGPASSWORD or in ~/.pgpass"
    if re.search('database ".*" does not exist', said):
        return "make it with createdb, or name another with --db"
    return "check the address, and that the server runs"
