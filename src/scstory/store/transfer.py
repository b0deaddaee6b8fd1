"""A whole database as JSON Lines, and back: row by row, from SQLite or PostgreSQL to either.

The first line names the format and the schema; each line after it is one row of one table, in an
order in which references lead back; the last line counts the rows. What is made of other rows is
not carried but made again: the index of the search. The lease of the writer is not carried either.
"""

import base64
import json
from collections.abc import Generator, Iterable
from typing import Any

from scstory import __version__
from scstory.errors import StoreError, UsageError
from scstory.store.columns import to_json
from scstory.store.database import Database, migrations, placeholders
from scstory.store.search.index import index_all

FORMAT = "scstory export"
ROWS_AT_A_TIME = 500
FIRST_TABLES = ("head", "articles", "vectors", "stories", "assignments", "feeds")
"""The tables that come first, since others refer to them; the rest follows by name."""
NOT_CARRIED = frozenset({"lease", "writes", "words", "scstory"})
"""Tables of the writer and of the search, which every database makes for itself."""
_INDEX_COLUMN = "words"
"""The index of the search on PostgreSQL: a column of articles and of stories."""


def export_lines(db: Database) -> Generator[str]:
    """Yield the lines of an export, within a transaction that the caller holds open."""
    header = {"format": FORMAT, "version": 1, "scstory": __version__, "schema": db.schema()}
    yield _line(header)
    count = 0
    for table in carried_tables(db):
        columns = _columns(db, table)
        for row in db.stream(f"SELECT {_quoted(columns)} FROM {table} ORDER BY 1, 2"):
            values = {name: _plain(value) for name, value in zip(columns, row, strict=True)}
            yield _line({"table": table, "row": values})
            count += 1
    yield _line({"rows": count})


def import_lines(db: Database, lines: Iterable[str], *, name: str) -> int:
    """Store the rows of an export in an empty database, within a transaction of the caller.

    Returns the number of rows; raises UsageError if the lines are not those of a whole export.
    """
    numbered = enumerate(lines, 1)
    _check_header(next(numbered, (1, "")), name)
    known = {table: set(_columns(db, table)) for table in carried_tables(db)}
    db.run("DELETE FROM head")
    waiting, count, kind, end = list[tuple[Any, ...]](), 0, ("", ("",)), None
    for number, line in numbered:
        record = _record(line, f"{name}:{number}")
        if end is not None:
            raise UsageError(f"{name}:{number}: goes on after its end; it is not one export")
        if "rows" in record:
            end = record["rows"]
            continue
        table, row = record.get("table"), record.get("row")
        if table not in known or not isinstance(row, dict) or not row.keys() <= known[table]:
            raise UsageError(f"{name}:{number}: not a row of a table that this version knows")
        columns = tuple(row)
        if waiting and (kind != (table, columns) or len(waiting) >= ROWS_AT_A_TIME):
            _insert(db, *kind, waiting)
            waiting = []
        kind = table, columns
        waiting.append(tuple(_stored(value, f"{name}:{number}") for value in row.values()))
        count += 1
    if waiting:
        _insert(db, *kind, waiting)
    if end != count:
        raise UsageError(f"{name}: breaks off after {count:,} rows; export the database again")
    index_all(db)
    db.restart_numbers()
    return count


def is_empty(db: Database) -> bool:
    """Return whether a database holds nothing that an import could overwrite."""
    return not any(
        db.value(f"SELECT count(*) FROM {table}") for table in carried_tables(db) if table != "head"
    )


def carried_tables(db: Database) -> list[str]:
    """Return the tables of an export, in its order."""
    there = set(db.tables()) - NOT_CARRIED
    return [table for table in FIRST_TABLES if table in there] + sorted(there - {*FIRST_TABLES})


def _columns(db: Database, table: str) -> list[str]:
    return [column for column in db.columns(table) if column != _INDEX_COLUMN]


def _insert(
    db: Database, table: str, columns: tuple[str, ...], rows: list[tuple[Any, ...]]
) -> None:
    places = placeholders(columns)
    db.run_many(f"INSERT INTO {table} ({_quoted(columns)}) VALUES ({places})", rows)


def _quoted(columns: Iterable[str]) -> str:
    """Return names as SQL has them: some are words of its language."""
    return ", ".join(f'"{column}"' for column in columns)


def _line(values: dict[str, Any]) -> str:
    return json.dumps(values, ensure_ascii=False) + "\n"


def _plain(value: Any) -> Any:
    """Return a stored value as JSON: JSON that is stored as text becomes part of it."""
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode("ascii")}
    if isinstance(value, str) and value[:1] in ("[", "{"):
        try:
            decoded = json.loads(value)
        except (ValueError, RecursionError):
            return value
        # A text of an article may look like JSON; only what comes back the same is written so.
        if to_json(decoded) == value and not (isinstance(decoded, dict) and "base64" in decoded):
            return decoded
    return value


def _stored(value: Any, place: str) -> Any:
    if isinstance(value, dict) and value.keys() == {"base64"}:
        try:
            return base64.b64decode(str(value["base64"]), validate=True)
        except ValueError:
            raise UsageError(f"{place}: has damaged base64; export the database again") from None
    return to_json(value) if isinstance(value, dict | list) else value


def _record(line: str, place: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        raise UsageError(f"{place}: not a line of an export (JSON); it may be cut off")
    return record


def _check_header(first: tuple[int, str], name: str) -> None:
    try:
        header = json.loads(first[1])
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise UsageError(
            f"{name}: not an export of scstory; files of articles are read with: scstory run"
        )
    newest = len(migrations("sqlite"))
    if header.get("version") != 1 or not isinstance(header.get("schema"), int):
        raise UsageError(f"{name}: an export of another version; update scstory")
    if header["schema"] > newest:
        raise StoreError(
            f"{name}: made by a newer scstory (schema {header['schema']}, this one knows "
            f"{newest}); update scstory"
        )
