"""Where the articles are in a JSON value: an object, a list of them, or a list within objects.

Answers of APIs hold their articles somewhere inside (`articles.results`, `hits.hits`, `data` …),
and pandas writes tables by columns. The articles are the objects that look like articles and hold
no others.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scstory.feeds.columns import Columns, match_columns, normal
from scstory.feeds.known_formats import adapt
from scstory.feeds.values import INNER, flatten

_NAMES = (
    "articles article items item results result hits data docs documents posts post entries entry "
    "value values news stories records rows edges children response responses feed feeds query "
    "pages statuses tweets threads objects content list topics payload output body rss channel "
    "allpages search"
)
HOLDERS = frozenset(_NAMES.split())
"""Names under which answers hold their articles."""
MAX_DEPTH = 6
TABLE_MEMBERS = (("columns", "data"), ("columns", "rows"))
"""Members of a table that is written by rows without names, by pandas or Datasette."""


class Shapes:
    """Finds articles in values; remembers which names make one."""

    def __init__(self, chosen: Mapping[str, str] | None = None) -> None:
        self._chosen = chosen
        self._known: dict[tuple[str, ...], Columns] = {}

    def is_article(self, value: Any) -> bool:
        """Return whether a value looks like an article."""
        if not isinstance(value, dict):
            return False
        flat = flatten(value)
        return self._columns(flat).is_article or adapt(flat) is not flat

    def is_plain(self, value: Mapping[str, Any]) -> bool:
        """Return whether an object is an article that cannot hold others, by its names alone."""
        return self._columns(value).is_article and not any(
            isinstance(part, dict | list) for part in value.values()
        )

    def articles(self, value: Any, depth: int = 0) -> Iterator[Any]:
        """Yield the articles in a value, and beside them what stands in a list of articles."""
        if depth > MAX_DEPTH:
            return
        if isinstance(value, list):
            if value and any(True for _ in self.articles(value[0], depth + 1)):
                for element in value:
                    yield from self.in_list(element, depth)
        elif isinstance(value, dict):
            if (table := self.rows(value)) is not None:
                yield from table
                return
            held = [
                part
                for name, part in value.items()
                if normal(name) in HOLDERS
                and isinstance(part, list | dict)
                and not (isinstance(part, dict) and name in INNER and self.is_article(value))
            ]
            found = False
            for part in held:
                for article in self.articles(part, depth + 1):
                    found = True
                    yield article
            if found:
                return
            if self.is_article(value):
                yield value
                return
            for part in value.values():
                if isinstance(part, list | dict):
                    yield from self.articles(part, depth + 1)

    def in_list(self, element: Any, depth: int = 0) -> Iterator[Any]:
        """Yield the articles of an element of a list of articles, or else the element itself."""
        found = False
        for article in self.articles(element, depth + 1):
            found = True
            yield article
        if not (found or _is_empty_answer(element)):
            yield element

    def rows(self, value: Mapping[str, Any]) -> Iterator[dict[str, Any]] | None:
        """Return the rows of a table that is written by columns, or None if it is no table."""
        for columns, rows in TABLE_MEMBERS:
            names, cells = value.get(columns), value.get(rows)
            if (
                isinstance(names, list)
                and isinstance(cells, list)
                and self._columns([str(name) for name in names]).is_article
                and (not cells or isinstance(cells[0], list))
            ):
                return (_row(names, row) for row in cells)
        if len(value) > 1 and self._columns(value).is_article:
            parts = list(value.values())
            if all(isinstance(part, dict) for part in parts) and _same_keys(parts):
                return _turned(value, list(parts[0]))
            by_lists = all(isinstance(part, list) for part in parts)
            if by_lists and len({*map(len, parts)}) == 1 and len(parts[0]) > 1:
                return _turned(value, list(range(len(parts[0]))))
        return None

    def _columns(self, names: Mapping[str, Any] | Sequence[str]) -> Columns:
        key = tuple(names)
        if (found := self._known.get(key)) is None:
            found = match_columns(key, self._chosen)
            if len(self._known) < 1_000:
                self._known[key] = found
        return found


def _is_empty_answer(value: Any) -> bool:
    """Return whether a value is the answer to a query that found no articles."""
    return isinstance(value, dict) and any(
        part == [] or _is_empty_answer(part)
        for name, part in value.items()
        if normal(name) in HOLDERS
    )


def _same_keys(parts: Sequence[dict[str, Any]]) -> bool:
    """Return whether all are columns of one table, as pandas writes them."""
    first = parts[0].keys()
    return bool(first) and all(part.keys() == first for part in parts[1:])


def _turned(value: Mapping[str, Any], places: Sequence[Any]) -> Iterator[dict[str, Any]]:
    for place in places:
        yield {name: column[place] for name, column in value.items()}


def _row(names: Sequence[Any], row: Any) -> Any:
    if not isinstance(row, list) or len(row) != len(names):
        return row
    return dict(zip(map(str, names), row, strict=True))
