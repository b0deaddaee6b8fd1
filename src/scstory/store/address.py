"""Names of databases: paths of files and addresses of servers, and how messages show them."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from scstory.errors import ConfigError

if TYPE_CHECKING:
    from scstory.store.database import Database

DEFAULT_DATABASE = "scstory.db"

_ADDRESS = re.compile(
    r"postgres(?:ql)?://"
    r"(?:(?P<user>[^:@/?#\s]*)(?::[^@/?#\s]*)?@)?"
    r"(?P<host>(?:[\w.,%-]*(?::\d+)?|\[[\da-fA-F:.]+\](?::\d+)?)+?)"
    r"(?:/(?P<base>[^@/?#\s]*))?"
    r"(?:\?(?P<options>\S*))?"
)
_SHOWN = ("host", "hostaddr", "port", "user", "dbname", "sslmode", "sslrootcert")
"""Options that tell where the server is. Any other may be a secret."""
_HARMLESS = re.compile(r"[\w./,-]*|[\da-fA-F:.]*")
"""What such an option is if it is written as it should be: nothing hides in it."""


def is_server(name: str) -> bool:
    """Say whether a name is the address of a server, not a path."""
    return "://" in name


def database_name(name: str) -> str:
    """Return a database's path or address as messages may show it: without a password.

    >>> database_name("postgresql://ann:secret@db.example:5432/news?sslmode=require")
    'postgresql://ann@db.example:5432/news?sslmode=require'
    >>> database_name("postgresql://ann:sec/ret@db.example/news")
    'postgresql://…'
    """
    if not is_server(name):
        return name
    found = _ADDRESS.fullmatch(name)
    if found is None:
        return f"{name.partition('://')[0][:20]}://…"
    user = f"{found['user']}@" if found["user"] else ""
    given = [part.partition("=") for part in (found["options"] or "").split("&")]
    shown = [
        f"{name}={value}"
        for name, _, value in given
        if name in _SHOWN and _HARMLESS.fullmatch(value)
    ]
    if "@" in (found["options"] or ""):  # then the password had a "?" in it
        return "postgresql://…"
    options = f"?{'&'.join(shown)}" if shown else ""
    return f"postgresql://{user}{found['host']}/{found['base'] or ''}{options}"


def database_exists(name: str) -> bool:
    """Say whether a database is there already; of a server that is taken for granted."""
    return is_server(name) or Path(name).exists()


def db_option(name: str) -> str:
    """Return the option that names a database, for commands that are suggested.

    >>> db_option("news.db"), db_option("scstory.db")
    (' --db news.db', '')
    """
    return "" if name == DEFAULT_DATABASE else f" --db {shlex.quote(name)}"


def check_address(name: str) -> None:
    """Refuse what cannot be the address of a server, without showing what may be a password."""
    if not name.startswith(("postgresql://", "postgres://")):
        raise ConfigError(
            f"database {database_name(name)}: give the path of a SQLite file, as in scstory.db, "
            "or postgresql://USER@HOST/NAME"
        )
    if not _ADDRESS.fullmatch(name):
        raise ConfigError(
            f"database {database_name(name)}: cannot be read; write postgresql://USER:PASSWORD@"
            "HOST:PORT/NAME, and in the password %40 for @, %3A for :, %2F for /, %3F for ?, "
            "%23 for #, %25 for %"
        )


def open_database(name: str, *, create: bool, write: bool) -> Database:
    """Return the database that a path or address names."""
    if not name.strip() or "\0" in name:
        raise ConfigError(f"database {name!r}: give the path of a file, as in scstory.db")
    if is_server(name):
        check_address(name)
        try:
            from scstory.store.postgres import PostgresDatabase
        except ImportError as error:
            raise ConfigError(
                f"database {database_name(name)}: needs psycopg, which is not here ({error}); "
                "get it with: pip install 'scstory[postgres]'"
            ) from error
        return PostgresDatabase(name, create=create, write=write)
    from scstory.store.sqlite import SqliteDatabase

    return SqliteDatabase(name, create=create, write=write)
