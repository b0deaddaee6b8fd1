"""``scstory import``: makes a database of an export."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated

import typer

from scstory.cli.options import Config, Database
from scstory.errors import SourceError, StoreError, UsageError

if TYPE_CHECKING:
    from scstory.store.database import Database as Database_


def command(
    path: Annotated[
        str,
        typer.Argument(metavar="FILE", help="What `scstory export` wrote; - is standard input."),
    ],
    db: Database = None,
    config: Config = None,
) -> None:
    """Make a database of an export: articles, stories, decisions, corrections, feeds, follows.

    The database must be new or empty. All of it is stored, or nothing: a run and a service go on
    from there as if it had always been their database.
    """
    from scstory.cli.show import counted, safe
    from scstory.config import load_settings
    from scstory.store import open_store
    from scstory.store.address import is_server
    from scstory.store.transfer import is_empty

    settings = load_settings(config=config, db=db)
    if path != "-" and not Path(path).is_file():
        raise SourceError(f"{path}: no such file")
    made = not is_server(settings.db) and not Path(settings.db).exists()
    done = False
    try:
        with closing(open_store(settings.db)) as store:
            store.claim()
            if not store.db.read(lambda: is_empty(store.db)):
                raise UsageError(f"{store.name}: is not empty; name a new database with --db")
            rows = store.db.write(_Import(store.db, path))
            counts = store.counts()
            done = True
    finally:
        if made and not done:
            for suffix in ("", "-wal", "-shm", ".lock"):
                Path(f"{settings.db}{suffix}").unlink(missing_ok=True)
    sys.stderr.write(
        f"{safe(store.name)}: {counted(rows, 'row')}; {counted(counts.articles, 'article')} of "
        f"{counted(counts.stories, 'story')}\n"
    )


class _Import:
    """Reads an export into a database; after a lost connection, from its start."""

    def __init__(self, db: Database_, path: str) -> None:
        self._db, self._path, self._started = db, path, False

    def __call__(self) -> int:
        """Store all rows; return how many there are."""
        from scstory.store.transfer import import_lines

        if self._started and self._path == "-":
            raise StoreError(f"{self._db.name}: the connection was lost; import it again")
        self._started = True
        try:
            with _opened(self._path) as file:
                return import_lines(self._db, _decoded(file, self._path), name=self._path)
        except (OSError, EOFError, zlib.error) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise SourceError(f"{self._path}: cannot be read ({reason})") from None


@contextmanager
def _opened(path: str) -> Iterator[IO[bytes]]:
    if path == "-":
        yield sys.stdin.buffer
        return
    with open(path, "rb") as file:
        zipped = file.peek(2)[:2] == b"\x1f\x8b"
        yield gzip.GzipFile(fileobj=file) if zipped else file  # type: ignore[misc]


def _decoded(file: IO[bytes], name: str) -> Iterator[str]:
    for number, line in enumerate(file, 1):
        try:
            yield line.decode("utf-8")
        except UnicodeDecodeError:
            raise UsageError(f"{name}:{number}: not UTF-8; it is damaged") from None
