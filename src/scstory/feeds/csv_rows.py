"""CSV as a stream of rows, in which a quote that is never closed costs one row, not the rest.

The csv module alone would read everything after such a quote as one cell.
"""

import csv
from collections.abc import Callable, Iterator

from scstory.errors import BadItem
from scstory.feeds.article import parse_date

Line = tuple[int, str | None]
"""The number of a line and its text; None instead of one that is too long."""
Row = tuple[int, list[str], str | None]
"""The number of a row's first line, its cells, and its problem."""


class CsvRows:
    """The rows of a CSV file, each with the line it begins at.

    `is_row` returns whether a line is certainly the start of a row. Inside a quoted cell this
    means that the quote was never closed, and reading continues with that line.
    """

    def __init__(self, lines: Iterator[Line], *, limit: int) -> None:
        self.is_row: Callable[[str], bool] = lambda line: False
        self._lines, self._limit = lines, limit
        self._again: Line | None = None
        self._start = 0

    def __iter__(self) -> Iterator[Row]:
        csv.field_size_limit(self._limit)
        rows = csv.reader(self._feed())
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
                rows = csv.reader(self._feed())
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


def starts_row(line: str, header: list[str]) -> bool:
    """Return whether a line is certainly the start of a row: id, date and all cells are there.

    >>> header = ["id", "date", "title", "text"]
    >>> starts_row("7,2026-03-03,Alder rises,The river rose.", header)
    True
    >>> starts_row("On Monday, 2026-03-03, the river rose.", header)
    False
    """
    if line.count(",") < header.index("date"):
        return False
    try:
        cells = next(csv.reader([line]))
        values = dict(zip(header, cells, strict=False))
        parse_date(values["date"])
    except (csv.Error, BadItem, KeyError, StopIteration):
        return False
    if not values.get("id", "").strip() or len(cells) > len(header):
        return False
    return len(cells) == len(header) or _ends_quoted(line)


def _ends_quoted(line: str) -> bool:
    """Return whether a row continues after a line, within quotes."""
    try:
        next(csv.reader([line], strict=True))
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
