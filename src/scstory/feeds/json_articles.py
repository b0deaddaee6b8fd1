"""The articles in JSON: line by line, in a list, or somewhere in an object of any size."""

import json
import re
from collections.abc import Iterator
from io import BufferedReader
from typing import Any

from scstory.feeds.columns import match_columns
from scstory.feeds.json_shapes import MAX_DEPTH, Shapes
from scstory.feeds.json_text import JsonError, JsonText, TooLong

MAX_TABLE_CHARACTERS = 2**26
"""The largest table written by columns: all of it has to be in memory."""
_DECODER = json.JSONDecoder()
_BETWEEN = re.compile(r"[\s,]*")
_KEY = r'"((?:[^"\\]|\\.){0,200})"\s*:\s*'
_BY_COLUMNS = re.compile(rf"\s*\{{\s*{_KEY}(?:\{{\s*{_KEY}[^\s{{\[]|\[)")

Found = tuple[Any, str | None]
"""An article, or whatever stands in the place of one, and a problem."""


def articles_by_line(line: str, shapes: Shapes) -> Iterator[Found]:
    """Yield the articles of a line of JSON, in which several values may stand side by side."""
    at = 0
    while found := _BETWEEN.match(line, at):
        if (at := found.end()) == len(line):
            return
        try:
            value, at = _DECODER.raw_decode(line, at)
        except ValueError as error:
            yield None, f"broken JSON ({str(error).split(':')[0]})"
            return
        except RecursionError:
            yield None, "broken JSON (nested too deeply)"
            return
        if isinstance(value, dict) and shapes.is_plain(value):
            yield value, None
        else:
            for article in shapes.in_list(value):
                yield article, None


class JsonArticles:
    """The articles of a file of JSON, of which only a part is in memory at any time."""

    def __init__(self, stream: BufferedReader, shapes: Shapes, *, live: bool = False) -> None:
        self._text = JsonText(stream, errors="surrogateescape", live=live)
        self._shapes = shapes

    def __iter__(self) -> Iterator[Found]:
        try:
            while char := self._text.peek(between=True):
                if char == "[":
                    yield from self._list(0)
                elif char == "{":
                    yield from self._object(0)
                else:
                    yield self._text.value(), None
        except JsonError as error:
            yield None, f"broken JSON, the rest is unreadable ({error})"

    def _list(self, depth: int) -> Iterator[Found]:
        """Yield the articles of a list. Within an object it may be a list of something else."""
        self._text.skip()
        of_articles: bool | None = None if depth else True
        while char := self._text.peek(between=True):
            if char == "]":
                self._text.skip()
                return
            try:
                element = self._text.value()
            except TooLong:
                if char not in "[{" or depth >= MAX_DEPTH:
                    raise
                yield from self._list(depth + 1) if char == "[" else self._members(depth)
                continue
            if of_articles is None:
                of_articles = any(True for _ in self._shapes.articles(element, depth))
            if of_articles:
                for article in self._shapes.in_list(element, depth):
                    yield article, None
        raise JsonError("it ends in the middle of a list")

    def _object(self, depth: int) -> Iterator[Found]:
        """Yield the articles of an object; the outermost one is one itself if it has none."""
        try:
            value = self._text.value()
        except TooLong:
            if depth >= MAX_DEPTH:
                raise
            if (table := self._table()) is not None:
                for row in table:
                    yield row, None
            else:
                yield from self._members(depth)
            return
        found = self._shapes.articles(value, depth) if depth else self._shapes.in_list(value)
        for article in found:
            yield article, None

    def _members(self, depth: int) -> Iterator[Found]:
        """Yield the articles in the members of an object that is too large for memory."""
        self._text.skip()
        while char := self._text.peek(between=True):
            if char == "}":
                self._text.skip()
                return
            self._text.value()
            if self._text.peek() != ":":
                raise JsonError("Expecting ':' delimiter")
            self._text.skip()
            char = self._text.peek()
            if char == "[":
                yield from self._list(depth + 1)
            elif char == "{":
                yield from self._object(depth + 1)
            else:
                self._text.value()
        raise JsonError("it ends in the middle of an object")

    def _table(self) -> Iterator[Any] | None:
        """Return the rows of a table that is written by columns, None for anything else."""
        found = _BY_COLUMNS.match(self._text.ahead(2_000))
        if not found or not (found[1] == "columns" or match_columns([found[1]]).names):
            return None
        try:
            value = self._text.value(limit=MAX_TABLE_CHARACTERS)
        except TooLong:
            raise JsonError(
                f"a table written by columns with more than {MAX_TABLE_CHARACTERS:,} characters; "
                "write it by rows, in pandas with orient='records', lines=True"
            ) from None
        return self._shapes.rows(value) if isinstance(value, dict) else None
