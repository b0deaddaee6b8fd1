"""How a table in text is written: what is between the cells, and around them."""

import csv
import re
from collections.abc import Callable
from dataclasses import dataclass

DELIMITERS = (",", ";", "\t", "|")
_SEP_LINE = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Dialect:
    """The delimiter of cells, the quotes around them, and the quotes within these."""

    delimiter: str = ","
    quote: str = '"'
    escape: str | None = None
    """The character before a quote in a cell; None where quotes are doubled."""

    def reader(self, lines: object, *, strict: bool = False) -> "csv._reader":  # type: ignore[name-defined]
        """Return a reader of the rows of some lines."""
        return csv.reader(
            lines,  # type: ignore[arg-type]
            delimiter=self.delimiter,
            quotechar=self.quote,
            escapechar=self.escape,
            doublequote=self.escape is None,
            strict=strict,
        )


def sniff(sample: str, known: Callable[[list[str]], int]) -> Dialect:
    """Return the dialect of a table by its first lines.

    `known` returns how many names of a header are known; the delimiter with most of them counts,
    then the one with most cells.
    """
    if found := _SEP_LINE.match(sample):
        return Dialect(found[1])
    header = sample.partition("\n")[0]
    quote = "'" if re.match(r"\s*'[^']*'\s*[,;\t|]\s*'", header) else '"'

    def fit(delimiter: str) -> tuple[int, int]:
        try:
            cells: list[str] = next(Dialect(delimiter, quote).reader([header]), [])
        except csv.Error:
            return 0, 0
        return known(cells), len(cells)

    delimiter = max(DELIMITERS, key=fit)
    escaped = sample.count(f"\\{quote}")
    doubled = len(re.findall(rf"[^{quote}{delimiter}\n]{quote}{quote}", sample))
    return Dialect(delimiter, quote, "\\" if escaped > doubled else None)


def is_sep_line(line: str) -> bool:
    """Return whether a line only tells Excel the delimiter (`sep=;`)."""
    return _SEP_LINE.fullmatch(line) is not None
