"""``scstory export``: writes a whole database as JSON Lines."""

from __future__ import annotations

import gzip
import os
import sys
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated

import typer

from scstory.cli.options import Config, Database, existing_store
from scstory.errors import StoreError, UsageError

if TYPE_CHECKING:
    from scstory.store import Store

SECRET_MODE = 0o600
"""An export holds the keys of webhooks and the addresses of feeds."""


def command(
    path: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="The file to write; - is standard output; .gz is zipped."
        ),
    ],
    db: Database = None,
    config: Config = None,
) -> None:
    """Write all of a database as JSON Lines, for `scstory import` or for your own programs.

    Everything is carried but the index of the search, which an import makes again. A run or a
    service may go on writing meanwhile: the export is of one moment.
    """
    from scstory.cli.show import counted, safe

    if path != "-" and Path(path).exists():
        raise UsageError(f"{path}: exists already; name a new file")
    if path != "-" and not Path(path).absolute().parent.is_dir():
        raise UsageError(f"{path}: its folder does not exist; create it first")
    with existing_store(db, config) as store:
        if path == "-":
            rows = _write(store, sys.stdout.buffer, can_restart=False)
        else:
            with _new_file(path) as file:
                rows = _write(store, file, can_restart=True)
    sys.stderr.write(f"{safe(path)}: {counted(rows, 'row')}\n")


def _write(store: Store, file: IO[bytes], *, can_restart: bool) -> int:
    from scstory.store.transfer import export_lines

    started = False

    def work() -> int:
        nonlocal started
        if started and not can_restart:
            raise StoreError(f"{store.name}: the connection was lost; export it again")
        if started:
            file.seek(0)
            file.truncate()
        started = True
        return _write_lines(file, export_lines(store.db))

    return store.db.read(work)


def _write_lines(file: IO[bytes], lines: Generator[str]) -> int:
    """Write lines; return how many rows they hold: all but the first and the last are one."""
    number = 0
    try:
        with closing(lines):
            for line in lines:
                file.write(line.encode("utf-8"))
                number += 1
        file.flush()
    except OSError as error:
        raise StoreError(f"the export cannot be written ({error.strerror or error})") from error
    return number - 2


@contextmanager
def _new_file(path: str) -> Iterator[IO[bytes]]:
    """Open a file that is there under its name only when it is whole."""
    part = f"{path}.part"
    try:
        number = os.open(part, os.O_RDWR | os.O_CREAT | os.O_TRUNC, SECRET_MODE)
        with os.fdopen(number, "wb") as file:
            if path.endswith(".gz"):
                with gzip.GzipFile(fileobj=file, mode="wb", compresslevel=6, mtime=0) as packed:
                    yield packed  # type: ignore[misc]
            else:
                yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except OSError as error:
        reason = error.strerror or error
        raise StoreError(f"{path}: cannot be written ({reason}); nothing is left of it") from error
    except StoreError as error:
        raise StoreError(f"{path}: {error}; nothing is left of it") from error
    finally:
        Path(part).unlink(missing_ok=True)
