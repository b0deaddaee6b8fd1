"""CSV as a stream of rows, in which a quote that is never closed costs one row, not the rest.

The csv module alone would read everything after such a quote as one cell.
"""

import csv
from collections.abc import Callable, Iterator

from scstory.errors import BadItem
from scstory.feeds.csv_dialect import Dialect
from scstory.feeds.dates import DayOrder, parse_date

Line = tuple[int, str | None]
"""The number of a line and its text; None instead of one that is too long."""
Row = tuple[int, list[str], str | None]
"""The number of a row's first line, its cells, and its problem."""


class CsvRows:
    """The rows of a CSV file, each with the line it begins at.

    `is_row` returns whether a line is certainly the start of a row. Inside a quoted cell this
    means that the quote was never closed, and reading continues with that line.
    """

    def __init__(
        self, lines: Iterator[Line], *, limit: int, dialect: Dialect | None = None
    ) -> None:
        self.is_row: Callable[[str], bool] = lambda line: False
        self._lines, self._limit = lines, limit
        self._dialect = dialect or Dialect()
        self._again: Line | None = None
        self._start = 0

    def __iter__(self) -> Iterator[Row]:
        csv.field_size_limit(self._limit)
        rows = self._dialect.reader(self._feed())
        while True:
            self._start = 0
            try:
                row = next(rows)
            except StopIteration:
                return
            except csv.Error as error:
                yield self._start, [], _reason(error)
            except BadItem as error:
                yield self._start, [], str(error)
                rows = self._dialect.reader(self._feed())
            else:
                yield self._start, row, None

    def _feed(self) -> Iterator[str]:
        """Yield lines as the reader asks for them; raise BadItem where a row cannot go on."""
        last = size = 0
        while found := self._again or next(self._lines, None):
            self._again = None
            number, line = found
            if not self._start:
                self._start, size = number, 0
                if line is None:
                    raise BadItem(f"line longer than {self._limit:,} bytes")
            elif line is None or size > self._limit or self.is_row(line):
                self._again = found
                raise _unclosed(self._start, last)
            last, size = number, size + len(line)
            yield line
        if self._start:
            raise _unclosed(self._start, last)


def starts_row(
    line: str, cells: int, date: int | None, id_: int | None = None, dialect: Dialect | None = None
) -> bool:
    """Return whether a line is certainly the start of a row of so many cells.

    All cells are there, or the last one goes on in the next line, and those at the places of the
    date and the id are a date and an id.

    >>> starts_row("7,2026-03-03,Alder rises,The river rose.", 4, 1, 0)
    True
    >>> starts_row("On Monday, 2026-03-03, the river rose.", 4, 1, 0)
    False
    """
    dialect = dialect or Dialect()
    if date is None or line.count(dialect.delimiter) < date:
        return False
    try:
        row = next(dialect.reader([line]))
        parse_date(row[date], order=DayOrder(day_first=True))
    except (csv.Error, BadItem, IndexError, StopIteration):
        return False
    if len(row) > cells or (id_ is not None and not row[id_].strip()):
        return False
    # The end of a quoted text with a delimiter in it may look like a row, but for its quote.
    whole = len(row) == cells and line.count(dialect.quote) % 2 == 0
    return whole or _ends_quoted(line, dialect)


def _ends_quoted(line: str, dialect: Dialect) -> bool:
    """Return whether a row continues after a line, within quotes."""
    try:
        next(dialect.reader([line], strict=True))
    except csv.Error as error:
        return "end of data" in str(error)
    return False


def _unclosed(start: int, last: int) -> BadItem:
    skipped = "it is" if start == last else f"lines {start:,} to {last:,} are"
    return BadItem(f'a quote (") in this row is not closed; {skipped} skipped')


def _reason(error: csv.Error) -> str:
    if "new-line" in str(error):
        return "broken CSV (a carriage return alone; lines must end with a line feed)"
    return f"broken CSV ({error})"
