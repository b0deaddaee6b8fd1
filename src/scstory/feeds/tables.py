"""Tables in text: CSV, TSV and the like. The delimiter, the quotes and the encoding are found."""

from collections.abc import Iterator
from functools import partial
from io import BufferedReader

from scstory.errors import SourceError
from scstory.feeds.byte_streams import CHUNK, start_of
from scstory.feeds.csv_dialect import is_sep_line, sniff
from scstory.feeds.csv_rows import CsvRows, Line, starts_row
from scstory.feeds.records import RecordReader
from scstory.feeds.source import Raw

WINDOWS = "cp1252"
EMPTY = frozenset(("NULL", "null", r"\N", "NaN", "nan", "NaT", "None", "<NA>", "#N/A"))
"""What databases and pandas write into a cell that has no value."""
NOT_UTF8 = (
    "is not UTF-8; it is read as Windows-1252, which is right for Western Europe; if letters are "
    "wrong, save the file as UTF-8"
)


class Decoder:
    """Decodes lines: as UTF-8, or as Windows-1252 if no line before had letters in UTF-8.

    Bytes that are neither become surrogates, which are refused field by field later: one bad line
    must not end the reading.
    """

    def __init__(self, reader: RecordReader, *, certain: bool) -> None:
        self._reader, self._utf8 = reader, certain

    def __call__(self, line: bytes) -> str:
        """Return a line as text."""
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError:
            if not self._utf8:
                try:
                    text = line.decode(WINDOWS)
                except UnicodeDecodeError:
                    pass
                else:
                    self._reader.say(NOT_UTF8)
                    return text
            return line.decode("utf-8", "surrogateescape")
        self._utf8 = self._utf8 or not line.isascii()
        return text


def read_table(
    lines: Iterator[Line], stream: BufferedReader, reader: RecordReader, *, limit: int
) -> Iterator[Raw]:
    """Yield the rows of a table, each under the names of its header."""
    sample = start_of(stream, CHUNK).decode("utf-8", "replace")
    dialect = sniff(sample, lambda cells: len(reader.columns(tuple(cells)).names))
    table = CsvRows(lines, limit=limit, dialect=dialect)
    header: tuple[str, ...] | None = None
    for start, row, problem in table:
        place = f":{start}"
        if header is None:
            if start == 1 and is_sep_line(dialect.delimiter.join(row)):
                continue
            header = _header(row, problem, reader)
            picked = {name: header.index(name) for name in header if name}
            columns = reader.columns(header)
            places = [
                header.index(columns.names[ours][0]) if ours in columns else None
                for ours in ("date", "id")
            ]
            table.is_row = partial(
                starts_row, cells=len(header), date=places[0], id_=places[1], dialect=dialect
            )
        elif problem:
            yield place, None, problem
        elif any(row):
            extra = row[len(header) :]
            if len(row) < len(header) or any(extra):
                plural = "s" * (len(row) != 1)
                yield place, None, f"{len(row)} cell{plural} where the header has {len(header)}"
            else:
                cells = ["" if cell.strip() in EMPTY else cell for cell in row]
                yield place, {name: cells[number] for name, number in picked.items()}, None


def _header(row: list[str], problem: str | None, reader: RecordReader) -> tuple[str, ...]:
    names = tuple(name.strip() for name in row)
    if problem:
        raise SourceError(
            f"{reader.name}: {problem}; the first line must name the columns, such as id, date, "
            "title and text"
        )
    reader.check_table(names)
    return names
