"""What a library user has, as articles: lists, records, columns, and frames of pandas or polars.

None of the two libraries is imported: a frame is whatever has named columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from scstory.errors import BadItem, UsageError
from scstory.types import Article

COLUMNS = ("id", "date", "title", "text", "url", "source", "language")
NEEDED = "date and text or title"


def to_articles(
    data: Any, *, columns: Mapping[str, Iterable[Any] | None], first: int = 0
) -> list[Article]:
    """Return the articles of a collection, in its order.

    `data` is a frame, a mapping of columns, or an iterable of articles, of records or of texts.
    `columns` are added to it, in place of columns of the same name. A row without an id gets its
    number, counted from `first`.
    """
    given = {name: list(column) for name, column in columns.items() if column is not None}
    rows = list(_rows(data))
    for name, column in given.items():
        if len(column) != len(rows):
            raise UsageError(
                f"{name}s: {len(column):,} values for {len(rows):,} articles; give one for each"
            )
    found: list[Article] = []
    row_of: dict[str, int] = {}
    for number, row in enumerate(rows):
        added = {name: column[number] for name, column in given.items()}
        try:
            article = _article(row, added, number=first + number)
        except BadItem as error:
            raise UsageError(f"row {number}: {error}") from None
        if (earlier := row_of.setdefault(article.id, number)) != number:
            raise UsageError(
                f"row {number}: id {article.id!r} is that of row {earlier} too; ids must differ"
            )
        found.append(article)
    return found


def _rows(data: Any) -> Iterator[Any]:
    """Yield the rows of a collection: articles, mappings or texts."""
    if hasattr(data, "collect"):  # a lazy frame of polars
        data = data.collect()
    names = list(data) if isinstance(data, Mapping) else getattr(data, "columns", None)
    if names is None:
        if isinstance(data, (str, bytes)) or not isinstance(data, Iterable):
            raise UsageError(
                f"articles of type {type(data).__name__}: give a list, a column, or a frame with "
                f"the columns {NEEDED}"
            )
        yield from data
        return
    names = [name for name in names if name in COLUMNS]
    if not {"title", "text"}.intersection(names):
        raise UsageError(
            f"no column 'text' or 'title'; the columns that are read are {', '.join(COLUMNS)}. "
            "Under other names, pass columns as in discover(frame['body'], dates=frame['day'])"
        )
    columns = [list(data[name]) for name in names]
    lengths = {len(column) for column in columns}
    if len(lengths) > 1:
        raise UsageError(f"columns of different lengths: {', '.join(map(str, sorted(lengths)))}")
    for values in zip(*columns, strict=True):
        yield dict(zip(names, values, strict=True))


def _article(row: Any, added: Mapping[str, Any], *, number: int) -> Article:
    from scstory.feeds import parse_article
    from scstory.feeds.values import date_of

    if isinstance(row, Article):
        if added:
            raise BadItem(f"an Article has its own {', '.join(added)}; leave these arguments out")
        return row
    if isinstance(row, str):
        row = {"text": row}
    if not isinstance(row, Mapping):
        raise BadItem(f"{type(row).__name__} is neither an article, nor a record, nor a text")
    record = {name: _value(value) for name, value in {**row, **added}.items() if name in COLUMNS}
    record = {name: value for name, value in record.items() if value is not None}
    if not (date := date_of(record.get("date"))):
        raise BadItem(f"no date; an article needs {NEEDED}")
    return parse_article({"id": str(number), "title": "", "text": "", **record, "date": date})


def _value(value: Any) -> Any:
    """Return a cell as a record has it, None for what is missing."""
    if value is None or _is_missing(value):
        return None
    if isinstance(value, np.datetime64):
        return value.astype("datetime64[us]").item()
    return value.item() if isinstance(value, np.generic) else value


def _is_missing(value: Any) -> bool:
    """Say whether a cell is NaN or NaT, which differ from themselves, or the NA of pandas."""
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"
